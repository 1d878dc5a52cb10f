// Enumerates every state that a configuration can reach, to the fixed point, and checks the promises in each.
#pragma once

#include "law/world.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gateway::law {

struct Found {
    std::string configuration;
    std::uint64_t states = 0;
    std::uint64_t moves = 0;
    std::uint64_t unexplored = 0;
    std::uint64_t classes = 0;
    std::string broken{};              // the promise that is broken; empty where none is
    std::vector<std::string> story{};  // the shortest way there, state by state
};

// Gives up after so many states, and then says how many were not explored.
inline constexpr std::uint64_t usual_limit = 60'000'000;

Found explore(const Configuration& configuration, const Functions& functions = {}, std::uint64_t limit = usual_limit);

}  // namespace gateway::law
