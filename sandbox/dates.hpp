// Dates as this provider writes and demands them. Its clocks stand in one zone, three hours behind UTC, whatever the
// zone of the machine: a run replays the same everywhere.
#pragma once

#include "base/clock.hpp"

#include <string>
#include <string_view>

namespace gateway::sandbox {

std::string to_offset_time(WallTime at);   // "2024-05-02T10:11:12.020-03:00"
std::string to_receipt_time(WallTime at);  // "02/05/2024 10:11:12"

// ISO 8601 in UTC with milliseconds and a trailing Z: "2024-05-02T13:11:12.020Z".
bool is_utc_milliseconds(std::string_view text);
// ISO 8601 without a zone, with or without a fraction of a second: "2024-05-02T10:11:12".
bool is_zoneless(std::string_view text);
// A day that exists, as ddmmyyyy.
bool is_birth_date(std::string_view text);

}  // namespace gateway::sandbox
