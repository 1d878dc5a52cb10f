// Says what is in force of a configuration that is read while the gateway runs.
#pragma once

#include "config/config.hpp"

#include <boost/system/result.hpp>

#include <string_view>
#include <vector>

namespace gateway {

// Returns the running configuration with what a reload takes over: the terminals, the products, and the keys for which
// the table of keys says so. What the new terminals may sell, and for which establishment, is decided by the running
// settings. The error is about a terminal that could not work with them.
boost::system::result<Config, ConfigProblem> take_over(const Config& running, Config fresh);

// Returns the names of the keys that have another value in `fresh` than in `in_force`, the result of take_over(). They
// wait for a restart.
std::vector<std::string_view> waiting_keys(Config in_force, Config fresh);

}  // namespace gateway
