// Says when a server wants to be asked again (RFC 9110, section 10.2.3). It is pure.
#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace gateway::http {

// Reads the values of Retry-After and Date. A date in Retry-After is measured against the server's own clock if Date
// tells it, and otherwise against this machine's. A date that is past means "now". Returns nothing if there is no
// Retry-After that makes sense.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view retry_after, std::string_view date,
                                                      WallTime wall);

// Reads "Sun, 06 Nov 1994 08:49:37 GMT", or one of the two older forms (RFC 9110, section 5.6.7).
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

}  // namespace gateway::http
