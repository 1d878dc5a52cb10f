#include "books/close_schedule.hpp"

#include <algorithm>

namespace gateway {
namespace {

using namespace std::chrono_literals;

}  // namespace

WallTime CloseSchedule::due(Day day) const {
    return zone_.time_of(at_ < 12h ? next_day(day) : day, at_);
}

Day CloseSchedule::last_due(WallTime now) const {
    auto day = zone_.day_of(now);
    while (due(day) > now)
        day = day_before(day);
    return day;
}

std::vector<Day> CloseSchedule::days_due(Day closed, WallTime now, Day latest, std::size_t most) const {
    std::vector<Day> days;
    for (auto day = std::min(last_due(now), latest); day > closed && days.size() < most; day = day_before(day))
        days.push_back(day);
    std::ranges::reverse(days);
    return days;
}

}  // namespace gateway
