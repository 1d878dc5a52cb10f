// The composition root: builds every part in order from the configuration, adopts the unfinished sales, then listens.
#pragma once

#include "base/systemd.hpp"
#include "config/config.hpp"

#include <string>
#include <string_view>

namespace gateway {

// Serves until it is told to stop; returns the exit code of the program. Throws, in words for the operator, where
// something that it cannot do without is not there: an address that is taken, a journal that is not ours. Listens on
// the sockets that `systemd` was passed under the names terminals, callbacks and admin, instead of the addresses that
// the configuration names for them.
int serve(const Config& config, const std::string& config_path, Systemd& systemd);

// The OpenAPI document of the listener, "terminals" or "admin", as JSON.
std::string openapi_document(std::string_view listener);

// "0.2.0".
std::string_view version();

}  // namespace gateway
