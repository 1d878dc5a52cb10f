#include "flow/recent_exchanges.hpp"

#include <algorithm>

namespace gateway {

WallTime RecentExchanges::run_time(const RunMoment& at) {
    if (!first_) {
        first_ = at;
        first_told_ = at.wall();
    }
    return first_told_ + at.since(*first_);
}

WallTime RecentExchanges::as_set_now(WallTime run_time) const {
    return first_ ? run_time + (first_->wall() - first_told_) : run_time;
}

void RecentExchanges::add_at(WallTime run_time, Duration took, bool unknown) {
    const auto minute = std::chrono::floor<std::chrono::minutes>(run_time);
    const auto number = static_cast<std::uint64_t>(minute.time_since_epoch().count());
    auto& kept_here = minutes_.at(number % kept);
    if (minute < kept_here.at && kept_here.at - minute < std::chrono::hours(24)) return;
    if (kept_here.at != minute) kept_here = {.at = minute};
    kept_here.took.add(took);
    if (unknown) ++kept_here.unknown;
}

std::vector<RecentExchanges::Minute> RecentExchanges::minutes(const RunMoment& now) {
    const auto newest = std::chrono::floor<std::chrono::minutes>(run_time(now));
    std::vector<Minute> recent;
    for (const auto& minute : minutes_)
        if (minute.took.count() > 0 && minute.at <= newest && newest - minute.at < std::chrono::minutes(kept))
            recent.push_back(minute);
    for (auto& minute : recent)
        minute.at = as_set_now(minute.at);
    std::ranges::sort(recent, {}, &Minute::at);
    return recent;
}

}  // namespace gateway
