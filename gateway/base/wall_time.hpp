// Wall-clock times as text. Everything is UTC inside; a zone appears only at the edges. The local zone is this
// machine's until another one is taken: the gateway takes store.timezone, so that all that it tells is the time on the
// store's wall.
#pragma once

#include "base/clock.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// "2024-05-02T13:11:12.020Z", of years with four digits.
std::string to_rfc3339(WallTime at);
// Does the same for those who only copy it.
class Rfc3339 {
  public:
    explicit Rfc3339(WallTime at) noexcept;
    std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

  private:
    std::array<char, 24> text_;
};
// The local zone is from now on this one of the time zone database, which knows it. Before any other thread runs.
void use_local_zone(const std::string& name);
// Without a zone, in the local one: "2024-05-02T10:11:12.020".
std::string to_local_iso8601(WallTime at);
// "2024-05-02 10:11:12" in the local zone, for people at a screen.
std::string to_local_text(WallTime at);
// "-03:00": how far the clocks of the local zone are from UTC at that time.
std::string local_offset(WallTime at);
// "2024-05-02 10:11:12 (-03:00)": both, for those who cannot know the zone.
std::string to_zoned_text(WallTime at);
// A date, or a date and a time of day with or without its seconds, in the local zone: "2024-05-02",
// "2024-05-02 10:11", "2024-05-02T10:11:12". A date alone is its midnight.
std::optional<WallTime> from_local_text(std::string_view text);
// "02/05/2024 10:11:12" in the local zone, as Brazilian receipts print it.
std::string to_local_receipt(WallTime at);
// Any RFC 3339 time: an offset or Z, none or any number of fractional digits (cut to milliseconds).
std::optional<WallTime> from_rfc3339(std::string_view text);

}  // namespace gateway
