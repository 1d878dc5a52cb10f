// A configuration that is read while the gateway runs: what of it is in force from then on.
#pragma once

#include "config/config.hpp"

#include <boost/system/result.hpp>

#include <string_view>
#include <vector>

namespace gateway {

// The running configuration with what a reload takes over: the terminals, the products, and the keys that the table of
// keys says so of. What the fresh terminals may sell, and for whom, is decided by what is running. The error is a
// terminal that could not work like this.
boost::system::result<Config, ConfigProblem> take_over(const Config& running, Config fresh);

// The names of the keys that have another value in `fresh` than in what is in force after take_over(): they wait for a
// restart.
std::vector<std::string_view> waiting_keys(Config in_force, Config fresh);

}  // namespace gateway
