// The rows that are enumerated: families and modes, with each open point of the provider that changes a verdict.
#pragma once

#include "law/world.hpp"

#include <vector>

namespace gateway::law {

std::vector<Configuration> configurations();

}  // namespace gateway::law
