// Sets the length of a test journal's write-ahead log. Tests open thousands of journals, and otherwise each would write
// eight megabytes.
#pragma once

#include <cstdint>

namespace gateway::test {

inline constexpr std::int64_t short_log_bytes = 262'144;

}  // namespace gateway::test
