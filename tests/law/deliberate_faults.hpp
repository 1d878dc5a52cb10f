// Who checks the checks: laws with one deliberate fault each. The enumeration must find every one of them.
#pragma once

#include "law/compiled_law.hpp"

#include <string>
#include <vector>

namespace gateway::law {

struct DeliberateFault {
    std::string what;
    std::string configuration;  // where it is looked for
    Functions functions;
};

std::vector<DeliberateFault> deliberate_faults();

}  // namespace gateway::law
