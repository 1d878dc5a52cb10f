// When a day is closed by itself. Pure.
#pragma once

#include "base/calendar.hpp"
#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace gateway {

class CloseSchedule {
  public:
    // Of every day at this time of the clock on the store's wall, counted from midnight; where that is before noon, of
    // the day before.
    CloseSchedule(TimeZone zone, std::chrono::minutes at) : zone_(zone), at_(at) {}

    // From when on the day may be closed: as TimeZone::time_of() says of the nights in which the clocks are changed.
    WallTime due(Day day) const;
    // The last day that is due.
    Day last_due(WallTime now) const;
    // The days to close now, the oldest first: those after `closed`, the last that was, up to `latest`, and of them the
    // newest `most` where there are more.
    std::vector<Day> days_due(Day closed, WallTime now, Day latest, std::size_t most) const;

  private:
    TimeZone zone_;
    std::chrono::minutes at_;
};

}  // namespace gateway
