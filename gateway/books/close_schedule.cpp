#include "books/close_schedule.hpp"

#include <algorithm>

namespace gateway {
namespace {

using namespace std::chrono_literals;

}  // namespace

WallTime CloseSchedule::due(Day day) const {
    const auto from_midnight = at_ < 12h ? at_ : at_ - 24h;
    return zone_.begin_of(next_day(day)) + std::chrono::duration_cast<Duration>(from_midnight);
}

Day CloseSchedule::last_due(WallTime now) const {
    auto day = zone_.day_of(now);
    while (due(day) > now)
        day = day_before(day);
    return day;
}

std::vector<Day> CloseSchedule::days_due(Day closed, WallTime now, std::size_t most) const {
    std::vector<Day> days;
    for (auto day = last_due(now); day > closed && days.size() < most; day = day_before(day))
        days.push_back(day);
    std::ranges::reverse(days);
    return days;
}

}  // namespace gateway
