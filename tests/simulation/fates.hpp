// Decides what a power cut leaves of each block that was written and not flushed, and of each other change that was not
// flushed. A text has a letter for each of them in turn, and the last letter stands for all that follow.
#pragma once

#include "simulation/chance.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace gateway::simulation {

// The disk was writing a block that is torn when the power went: the block has zeros, random bytes, or the new content
// in one half and the old content in the other.
enum class BlockFate : char {
    is_new = 'n',
    is_old = 'o',
    zeros = 'z',
    random = 'r',
    new_first_half = 'f',
    new_second_half = 's',
};
inline constexpr std::array torn_fates{BlockFate::zeros, BlockFate::random, BlockFate::new_second_half,
                                       BlockFate::new_first_half};

class Fates {
  public:
    // These are two texts. With the first, nothing is left of what was not flushed; with the second, chance decides.
    static constexpr const char* all_old = "o";
    static constexpr const char* by_chance = "?";

    Fates(Chance& chance, std::string text) : chance_(chance), text_(std::move(text)) {}

    BlockFate of_block() {
        const char letter = next();
        if (letter != *by_chance) return static_cast<BlockFate>(letter);
        const auto kind = chance_.below(3);
        if (kind < 2) return kind == 0 ? BlockFate::is_old : BlockFate::is_new;
        return chance_.pick(torn_fates);
    }
    // Tells what becomes of a change that cannot be torn.
    bool is_lost() {
        const char letter = next();
        return letter == *by_chance ? !chance_.one_in(2) : letter == static_cast<char>(BlockFate::is_old);
    }
    Random& random_bytes() { return chance_.source(); }

  private:
    char next() { return text_.at(next_ + 1 < text_.size() ? next_++ : next_); }

    Chance& chance_;
    const std::string text_;
    std::size_t next_ = 0;
};

}  // namespace gateway::simulation
