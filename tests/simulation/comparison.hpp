// What asking for a sale's status is good for, and what it costs: the same failures without an address for it and with
// one. First sale by sale: every scenario of the walk with every alternative of the provider's, and with every single
// fault at every exchange or crash at many times, where the luck of both sides is the same, so that times can be
// compared. Then random runs, by the same seeds.
#pragma once

#include <cstdint>
#include <string>

namespace gateway::simulation {

// Prints what was found. The exit status: 0 where no promise was broken and no sale took longer by more than an
// exchange.
int compare_with_asking(std::uint64_t sales, std::uint64_t seed, const std::string& personality);

}  // namespace gateway::simulation
