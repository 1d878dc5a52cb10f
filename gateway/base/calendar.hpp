// Days, and the time zones that they are of: the date that a clock on a store's wall shows. The zones are those of the
// machine's time zone database (Debian's tzdata), which is read when a zone is first looked for; all else is pure.
#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace date {
class time_zone;
}

namespace gateway {

// A date without a time of day, in a zone that goes without saying where the day is spoken of.
using Day = std::chrono::year_month_day;

// "2026-11-20", of years with four digits; nothing where that is no date.
std::optional<Day> parse_day(std::string_view text);
std::string to_text(Day day);
Day next_day(Day day);
Day day_before(Day day);

class TimeZone {
  public:
    TimeZone() = default;  // UTC
    // By its name in the database, "America/Sao_Paulo"; nothing where the machine knows none of that name.
    static std::optional<TimeZone> find(std::string_view name);
    // All that the machine knows; empty where it has no database.
    static std::vector<std::string> names();

    std::string_view name() const noexcept;
    // The date there at that time.
    Day day_of(WallTime at) const;
    // What the clocks show there at that time, from 0 to 24 hours.
    std::chrono::minutes minute_of(WallTime at) const;
    // What date and clocks show there at that time, for people at a screen: "2024-05-02 10:11:12".
    std::string text_of(WallTime at) const;
    // When the clocks there show that time of that day, counted from 0 o'clock, below 24 hours: the first moment after
    // it where they skip it, the first of two where they show it twice.
    WallTime time_of(Day day, std::chrono::minutes at) const;
    // When the day begins there.
    WallTime begin_of(Day day) const { return time_of(day, std::chrono::minutes(0)); }

    // Whether they are one zone of the database.
    friend bool operator==(const TimeZone&, const TimeZone&) = default;

  private:
    explicit TimeZone(const date::time_zone* zone) noexcept : zone_(zone) {}

    const date::time_zone* zone_ = nullptr;  // as long as the program lives; nullptr: UTC without the database
};

}  // namespace gateway
