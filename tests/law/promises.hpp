// The promises of never-lose-a-sale.md, as functions of a state. Those that are about one decision, or about the
// beginning of one exchange, are checked where that is computed: compiled_law.cpp and world.cpp.
#pragma once

#include "law/world.hpp"

namespace gateway::law {

// Throws Broken if the state breaks a promise.
void check(const World& world, const SaleClass& sale, const Configuration& configuration);

// Promise 6: tells whether the sale is where it may stay when faults have stopped: final and settled, or marked for a
// person in one of the cases that the promise names.
bool is_where_it_may_stay(const World& world, const SaleClass& sale, const Configuration& configuration);

}  // namespace gateway::law
