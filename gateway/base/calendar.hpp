// Handles days and the time zones that they belong to: the date that a clock on a store's wall shows. The zones are
// those of the machine's time zone database (Debian's tzdata), which is read when a zone is first looked for.
// Everything else is pure.
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

// A Day is a date without a time of day. Its zone is not written: it is clear where the day is used.
using Day = std::chrono::year_month_day;

// Reads "2026-11-20", with a year of four digits. Returns nothing if that is not a date.
std::optional<Day> parse_day(std::string_view text);
std::string to_text(Day day);
Day next_day(Day day);
Day day_before(Day day);

class TimeZone {
  public:
    TimeZone() = default;  // UTC
    // Finds a zone by its name in the database, such as "America/Sao_Paulo". Returns nothing if the machine knows no
    // zone of that name.
    static std::optional<TimeZone> find(std::string_view name);
    // Returns all zones that the machine knows. The list is empty if it has no database.
    static std::vector<std::string> names();

    std::string_view name() const noexcept;
    // Returns the date there at that time.
    Day day_of(WallTime at) const;
    // Returns what the clocks show there at that time, from 0 to 24 hours.
    std::chrono::minutes minute_of(WallTime at) const;
    // Returns the date and time that clocks show there at that time, for people at a screen: "2024-05-02 10:11:12".
    std::string text_of(WallTime at) const;
    // Returns when the clocks there show this time of this day. `at` counts from 0 o'clock and is below 24 hours. If
    // the clocks skip that time, it is the first moment after it. If they show it twice, it is the first of the two.
    WallTime time_of(Day day, std::chrono::minutes at) const;
    // Returns when the day begins there.
    WallTime begin_of(Day day) const { return time_of(day, std::chrono::minutes(0)); }

    // Tells whether they are the same zone of the database.
    friend bool operator==(const TimeZone&, const TimeZone&) = default;

  private:
    explicit TimeZone(const date::time_zone* zone) noexcept : zone_(zone) {}

    const date::time_zone* zone_ = nullptr;  // lives as long as the program; nullptr: UTC without the database
};

}  // namespace gateway
