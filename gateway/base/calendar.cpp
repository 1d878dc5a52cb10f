#include "base/calendar.hpp"

#include "base/ascii.hpp"

#include <date/tz.h>
#include <fmt/format.h>

#include <exception>

namespace gateway {
namespace {

date::local_days local(Day day) {
    return date::local_days(std::chrono::sys_days(day).time_since_epoch());
}

}  // namespace

std::optional<Day> parse_day(std::string_view text) {
    constexpr std::string_view shape = "0000-00-00";
    if (text.size() != shape.size() || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto year = parse_number<int>(text.substr(0, 4));
    const auto month = parse_number<unsigned>(text.substr(5, 2));
    const auto day = parse_number<unsigned>(text.substr(8, 2));
    if (!year || !month || !day) return std::nullopt;
    const Day date{std::chrono::year(*year), std::chrono::month(*month), std::chrono::day(*day)};
    return date.ok() ? std::optional(date) : std::nullopt;
}

std::string to_text(Day day) {
    std::string text = "0000-00-00";
    const auto put = [&](std::size_t end, unsigned number, int digits) {
        for (; digits > 0; --digits, number /= 10)
            text[--end] = static_cast<char>('0' + number % 10);
    };
    put(4, static_cast<unsigned>(static_cast<int>(day.year())), 4);
    put(7, static_cast<unsigned>(day.month()), 2);
    put(10, static_cast<unsigned>(day.day()), 2);
    return text;
}

Day next_day(Day day) {
    return std::chrono::sys_days(day) + std::chrono::days(1);
}

Day day_before(Day day) {
    return std::chrono::sys_days(day) - std::chrono::days(1);
}

// The library throws if there is no such zone, no database, or if the zone's file is damaged.
std::optional<TimeZone> TimeZone::find(std::string_view name) {
    try {
        const auto* const zone = date::locate_zone(name);
        (void)zone->get_info(date::sys_seconds());  // reads the zone's file, so that nothing is read later
        return TimeZone(zone);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

std::vector<std::string> TimeZone::names() {
    std::vector<std::string> names;
    try {
        for (const auto& zone : date::get_tzdb().zones)
            names.push_back(zone.name());
    } catch (const std::exception&) {
        names.clear();
    }
    return names;
}

std::string_view TimeZone::name() const noexcept {
    return zone_ != nullptr ? std::string_view(zone_->name()) : "UTC";
}

Day TimeZone::day_of(WallTime at) const {
    if (zone_ == nullptr) return std::chrono::floor<std::chrono::days>(at);
    const auto day = date::floor<date::days>(zone_->to_local(at));
    return std::chrono::sys_days(std::chrono::days(day.time_since_epoch().count()));
}

std::chrono::minutes TimeZone::minute_of(WallTime at) const {
    const auto shown = zone_ == nullptr ? at.time_since_epoch() : zone_->to_local(at).time_since_epoch();
    return std::chrono::floor<std::chrono::minutes>(shown - std::chrono::floor<std::chrono::days>(shown));
}

std::string TimeZone::text_of(WallTime at) const {
    const auto second = std::chrono::floor<std::chrono::seconds>(at);
    const auto into_minute = (second - std::chrono::floor<std::chrono::minutes>(second)).count();
    const auto minute = minute_of(at).count();
    return fmt::format("{} {:02}:{:02}:{:02}", to_text(day_of(at)), minute / 60, minute % 60, into_minute);
}

WallTime TimeZone::time_of(Day day, std::chrono::minutes at) const {
    if (zone_ == nullptr) return std::chrono::sys_days(day) + at;
    return zone_->to_sys(local(day) + at, date::choose::earliest);
}

}  // namespace gateway
