// Says when the gateway closes a day by itself. All of it is pure.
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
    // Every day is closed at the time `at` of the store's clock, counted from midnight. A time before noon belongs to
    // the next calendar day.
    CloseSchedule(TimeZone zone, std::chrono::minutes at) : zone_(zone), at_(at) {}

    // Returns from when on the day may be closed. In nights in which the clocks are changed, TimeZone::time_of()
    // decides.
    WallTime due(Day day) const;
    // Returns the last day that is due.
    Day last_due(WallTime now) const;
    // Returns the days to close now, the oldest first: those after `closed`, the last closed day, up to `latest`. Where
    // these are more than `most`, only the newest `most` are returned.
    std::vector<Day> days_due(Day closed, WallTime now, Day latest, std::size_t most) const;

  private:
    TimeZone zone_;
    std::chrono::minutes at_;
};

}  // namespace gateway
