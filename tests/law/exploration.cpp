#include "law/exploration.hpp"

#include "law/promises.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

namespace gateway::law {
namespace {

using Index = std::uint32_t;
constexpr Index nowhere = std::numeric_limits<Index>::max();

// Holds every state that was met, each once, in the order in which they were met.
class States {
  public:
    std::size_t size() const { return worlds_.size(); }
    const World& operator[](Index index) const { return worlds_[index]; }

    // Returns the state's index, and whether it is new.
    std::pair<Index, bool> add(const World& world) {
        if (2 * worlds_.size() >= slots_.size()) grow();
        auto& slot = slot_of(world);
        if (slot != nowhere) return {slot, false};
        slot = static_cast<Index>(worlds_.size());
        worlds_.push_back(world);
        return {slot, true};
    }

  private:
    static std::uint64_t hash_of(const World& world) {
        static_assert(sizeof(World) == 2 * sizeof(std::uint64_t), "a state has no padding");
        const auto [low, high] = std::bit_cast<std::array<std::uint64_t, 2>>(world);
        auto hash = (low ^ (high * 0x9E37'79B9'7F4A'7C15ULL)) * 0xBF58'476D'1CE4'E5B9ULL;
        hash = (hash ^ (hash >> 31)) * 0x94D0'49BB'1331'11EBULL;
        return hash ^ (hash >> 29);
    }
    Index& slot_of(const World& world) {
        auto slot = hash_of(world) & (slots_.size() - 1);
        while (slots_[slot] != nowhere && worlds_[slots_[slot]] != world)
            slot = (slot + 1) & (slots_.size() - 1);
        return slots_[slot];
    }
    void grow() {
        slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), nowhere);
        for (Index i = 0; i < worlds_.size(); ++i)
            slot_of(worlds_[i]) = i;
    }

    std::vector<World> worlds_;
    std::vector<Index> slots_;  // its size is a power of two
};

struct Edge {
    Index from;
    Index to;
};

class Exploration {
  public:
    Exploration(const Configuration& configuration, const Functions& functions, std::uint64_t limit)
        : configuration_(configuration),
          law_(configuration.terms, functions),
          moves_(configuration, law_),
          limit_(limit) {}

    Found run() {
        found_.configuration = configuration_.name;
        try {
            for (const auto& world : moves_.beginnings())
                meet(world, nowhere, {.what = "the beginning"});
            Index next = 0;
            for (; next < states_.size() && states_.size() < limit_; ++next)
                explore(next);
            found_.unexplored = states_.size() - next;
        } catch (const Broken& broken) {
            break_promise(broken.what(), here_);
        }
        found_.states = states_.size();
        found_.classes = law_.classes();
        if (found_.broken.empty() && found_.unexplored == 0) look_for_what_never_settles();
        return std::move(found_);
    }

  private:
    void explore(Index index) {
        here_ = index;
        const auto world = states_[index];
        moves_.each(world, [&](const World& next, const Move& move) {
            ++found_.moves;
            meet(next, index, move);
        });
    }

    void meet(const World& world, Index from, const Move& move) {
        const auto [index, is_new] = states_.add(world);
        if (move.calm && from != nowhere && index != from) calm_.push_back({from, index});
        if (!is_new) return;
        parents_.push_back(from);
        here_ = index;
        check(world, law_[world.sale], configuration_);
        here_ = from;
    }

    void break_promise(const std::string& promise, Index where) {
        found_.broken = promise;
        std::vector<Index> path;
        for (; where != nowhere; where = parents_[where])
            path.insert(path.begin(), where);
        if (path.empty()) return;
        found_.story.push_back(in_words(states_[path.front()], law_));
        for (std::size_t i = 1; i < path.size(); ++i)
            found_.story.push_back(step_in_words(states_[path[i - 1]], states_[path[i]]));
    }

    // A state does not keep the move that led to it, so the move is found again.
    std::string step_in_words(const World& from, const World& to) {
        std::string words;
        const auto look = [&](const World& next, const Move& move) {
            if (words.empty() && next == to) words = in_words(move);
        };
        try {
            moves_.each(from, look);
        } catch (const Broken&) {  // another move from there breaks a promise
        }
        return fmt::format("{}\n        {}", words, in_words(to, law_));
    }

    // Promise 6. A way of calm moves leads from every state to one where the sale may stay. Every moment comes once,
    // every message arrives or is lost for ever, and every exchange is answered, so that no such way is passed by for
    // ever: nothing goes round without end and never settles.
    void look_for_what_never_settles() {
        std::vector<Index> first(states_.size() + 1, 0);
        for (const auto& edge : calm_)
            ++first[edge.to + 1];
        for (std::size_t i = 1; i < first.size(); ++i)
            first[i] += first[i - 1];
        std::vector<Index> before(calm_.size());
        auto fill = first;
        for (const auto& edge : calm_)
            before[fill[edge.to]++] = edge.from;
        std::vector<bool> settles(states_.size(), false);
        std::vector<Index> todo;
        const auto reach = [&](Index index) {
            if (settles[index]) return;
            settles[index] = true;
            todo.push_back(index);
        };
        for (Index i = 0; i < states_.size(); ++i)
            if (is_where_it_may_stay(states_[i], law_[states_[i].sale], configuration_)) reach(i);
        while (!todo.empty()) {
            const auto index = todo.back();
            todo.pop_back();
            for (auto i = first[index]; i < first[index + 1]; ++i)
                reach(before[i]);
        }
        const auto stuck = std::ranges::find(settles, false);
        if (stuck != settles.end())
            break_promise("6: once faults stop, the sale becomes final and settled, or is marked",
                          static_cast<Index>(stuck - settles.begin()));
    }

    const Configuration& configuration_;
    CompiledLaw law_;
    Moves moves_;
    const std::uint64_t limit_;
    States states_;
    std::vector<Index> parents_;
    std::vector<Edge> calm_;
    Index here_ = nowhere;
    Found found_;
};

}  // namespace

Found explore(const Configuration& configuration, const Functions& functions, std::uint64_t limit) {
    return Exploration(configuration, functions, limit).run();
}

}  // namespace gateway::law
