#include "flow/recent_exchanges.hpp"

#include <algorithm>

namespace gateway {

void RecentExchanges::add(WallTime at, Duration took, bool unknown) {
    const auto minute = std::chrono::floor<std::chrono::minutes>(at);
    const auto number = static_cast<std::uint64_t>(minute.time_since_epoch().count());
    auto& kept_here = minutes_.at(number % kept);
    if (minute < kept_here.at && kept_here.at - minute < std::chrono::hours(24)) return;
    if (kept_here.at != minute) kept_here = {.at = minute};
    kept_here.took.add(took);
    if (unknown) ++kept_here.unknown;
}

std::vector<RecentExchanges::Minute> RecentExchanges::minutes(WallTime now) const {
    const auto newest = std::chrono::floor<std::chrono::minutes>(now);
    std::vector<Minute> recent;
    for (const auto& minute : minutes_)
        if (minute.took.count() > 0 && minute.at <= newest && newest - minute.at < std::chrono::minutes(kept))
            recent.push_back(minute);
    std::ranges::sort(recent, {}, &Minute::at);
    return recent;
}

}  // namespace gateway
