// Builds every part in order from the configuration, adopts the unfinished sales, then listens. This is the composition
// root.
#pragma once

#include "base/systemd.hpp"
#include "config/config.hpp"

#include <string>
#include <string_view>

namespace gateway {

// Serves until it is told to stop, and returns the exit code of the program. Throws, in words for the operator, where
// something is missing that it cannot do without: an address is taken, or a journal is not ours. Where `systemd` was
// passed sockets under the names of the listeners, it listens on these instead of the addresses that the configuration
// names.
int serve(const Config& config, const std::string& config_path, Systemd& systemd);

// Returns the OpenAPI document of the listener, "terminals" or "admin", as JSON.
std::string openapi_document(std::string_view listener);

// Returns, for example, "0.2.0".
std::string_view version();

}  // namespace gateway
