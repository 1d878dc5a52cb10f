// Writes and reads wall-clock times as text. Inside everything is UTC, and a zone is used only at the edges. The local
// zone is this machine's until another one is set: the gateway sets store.timezone, so that it always shows the time of
// the clock on the store's wall.
#pragma once

#include "base/clock.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Returns "2024-05-02T13:11:12.020Z", with a year of four digits.
std::string to_rfc3339(WallTime at);
// Holds the same text, for callers that only copy it.
class Rfc3339 {
  public:
    explicit Rfc3339(WallTime at) noexcept;
    std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

  private:
    std::array<char, 24> text_;
};
// Makes this zone of the time zone database, which must know it, the local zone. Call it before any other thread runs.
void use_local_zone(const std::string& name);
// Returns the time in the local zone, without the zone: "2024-05-02T10:11:12.020".
std::string to_local_iso8601(WallTime at);
// Returns "2024-05-02 10:11:12" in the local zone, for people at a screen.
std::string to_local_text(WallTime at);
// Returns how far the clocks of the local zone are from UTC at that time: "-03:00".
std::string local_offset(WallTime at);
// Returns both, where the zone is not clear: "2024-05-02 10:11:12 (-03:00)".
std::string to_zoned_text(WallTime at);
// Reads a date, or a date and a time of day with or without seconds, in the local zone: "2024-05-02", "2024-05-02
// 10:11", "2024-05-02T10:11:12". A date alone means its midnight.
std::optional<WallTime> from_local_text(std::string_view text);
// Returns "02/05/2024 10:11:12" in the local zone, as Brazilian receipts print it.
std::string to_local_receipt(WallTime at);
// Reads any RFC 3339 time: with an offset or Z, and with any number of fractional digits (cut to milliseconds).
std::optional<WallTime> from_rfc3339(std::string_view text);

}  // namespace gateway
