// Searches for a broken promise in three ways: by random runs, seed after seed, by the complete walk, and by images of
// disks. Several processes share the work. The first one that finds something ends the others; what it found is printed
// with its trace and the command that shows it again.
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
    bool chain = false;        // several gateways share a journal
    std::size_t gateways = 0;  // how many gateways; 0: two or three, as the seed says
    ProviderWanted provider{};
    bool walk = false;
    std::uint64_t disks = 0;  // this many images of disks are judged, and nothing else
    std::string image;        // the one image to judge
    std::uint64_t every = 1;  // every n-th beginning of the walk is walked, from one on that the seed chooses
    std::string step;
    bool trace = false;
    bool quiet = false;
};

struct Finding {
    std::string broken;  // in words; empty: nothing was found
    std::uint64_t sales = 0;
    std::uint64_t images = 0;  // of disks
    std::string replay;        // the command that shows it again
};
// Searches, and prints nothing.
Finding search(const Search& search);

// Searches, and prints what was dealt and found. Returns the exit status: 0 where nothing was found.
int run(const Search& search);

}  // namespace gateway::simulation
