// When a server wants to be asked again (RFC 9110, section 10.2.3). Pure.
#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace gateway::http {

// From the values of Retry-After and Date. A date is measured against the server's own where it names one, else against
// this machine's clock; one that is over means "now". Nothing where there is no Retry-After that makes sense.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view retry_after, std::string_view date,
                                                      WallTime wall);

// "Sun, 06 Nov 1994 08:49:37 GMT", or one of the two older forms (RFC 9110, section 5.6.7).
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

}  // namespace gateway::http
