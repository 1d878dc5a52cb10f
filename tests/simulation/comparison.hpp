// Compares what asking for a sale's status achieves with what it costs: the same failures with and without an address
// for it. First every sale of the walk is compared: every scenario with every alternative of the provider's, and with
// every single fault at every exchange or a crash at many times. The luck of both runs is the same there, so that times
// can be compared. Then random runs with the same seeds are compared.
#pragma once

#include <cstdint>
#include <string>

namespace gateway::simulation {

// Prints what was found. Returns the exit status: 0 where no promise was broken and no sale took longer by more than an
// exchange.
int compare_with_asking(std::uint64_t sales, std::uint64_t seed, const std::string& personality);

}  // namespace gateway::simulation
