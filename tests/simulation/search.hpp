// Two searches for a broken promise: random runs, seed after seed, and the complete walk. Shared out among processes;
// the first one that finds something ends them all, and what it found is told with its trace and how to see it again.
#pragma once

#include "simulation/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace gateway::simulation {

struct Search {
    std::uint64_t sales = 10'000;
    std::uint64_t seed = 1;
    unsigned jobs = 1;
    bool chain = false;        // several gateways that share a journal
    std::size_t gateways = 0;  // so many of them; 0: two or three, as the seed says
    ProviderWanted provider{};
    bool walk = false;
    std::uint64_t every = 1;  // of the walk's beginnings only each so-manieth, from one on that the seed chooses
    std::string step;
    bool trace = false;
    bool quiet = false;
};

struct Finding {
    std::string broken;  // in words; empty: nothing was found
    std::uint64_t sales = 0;
    std::string replay;  // the command that shows it again
};
// Searches and prints nothing.
Finding search(const Search& search);

// Searches, and prints what was dealt and found. The exit status: 0 where nothing was found.
int run(const Search& search);

}  // namespace gateway::simulation
