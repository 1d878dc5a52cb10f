// This is the simulation's dice, with a stream for each kind of thing, all from one seed: the same seed gives the same
// run on every machine.
#pragma once

#include "sandbox/seeded_random.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace gateway::simulation {

class Chance {
  public:
    Chance(std::uint64_t seed, std::uint64_t stream) noexcept : random_(seed * 0x9E3779B97F4A7C15ULL + stream) {}

    std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
    // Returns a number from `least` to `most`, both included.
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least) + 1));
    }
    bool one_in(std::uint64_t n) { return below(n) == 0; }
    bool permille(std::uint64_t n) { return below(1000) < n; }
    template <class List>
    const auto& pick(const List& list) {
        return list[below(std::size(list))];
    }
    Random& source() noexcept { return random_; }

  private:
    sandbox::SeededRandom random_;
};

// This is a Random that gives the middle of the range for everything that is asked for as one number. Identifiers are
// made as usual.
class EvenRandom final : public Random {
  public:
    explicit EvenRandom(Random& real) noexcept : real_(real) {}
    void fill(std::span<std::byte> bytes) override {
        real_.fill(bytes);
        if (bytes.size() != sizeof(std::uint64_t)) return;
        constexpr std::uint64_t middle = 0x8000'0000;  // of 32 bits
        std::memcpy(bytes.data(), &middle, sizeof middle);
    }

  private:
    Random& real_;
};

}  // namespace gateway::simulation
