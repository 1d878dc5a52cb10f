#include "commands/words.hpp"

#include "base/wall_time.hpp"
#include "commands/members.hpp"
#include "commands/screen.hpp"
#include "families/money.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

constexpr std::string_view nothing = "-";

}  // namespace

std::string local_time(const boost::json::object& object, std::string_view name) {
    if (const auto at = time_in(object, name)) return to_local_text(*at);
    const auto text = text_in(object, name);
    return text.empty() ? std::string(nothing) : printable(text);
}

std::string local_time_beside(const boost::json::object& object, std::string_view name, std::string_view other) {
    const auto text = local_time(object, name);
    constexpr std::size_t date = std::string_view("0000-00-00 ").size();
    const bool same_day = text.size() > date && other.substr(0, date) == std::string_view(text).substr(0, date);
    return same_day ? text.substr(date) : text;
}

std::string amount_of(const boost::json::object& sale) {
    const auto valor = number_in(sale, "valor");
    return valor ? money_text(Cents{*valor}) : std::string(nothing);
}

std::string outcome_of(const boost::json::object& sale) {
    const auto word = text_in(sale, "outcome");
    return word == "not_sold" ? "not sold" : printable(word);
}

std::string mark_of(const boost::json::object& sale) {
    if (const auto mark = text_in(sale, "mark"); !mark.empty()) return printable(mark);
    return flag_in(sale, "attention").value_or(false) ? "attention" : "";
}

std::string length_of(Duration length) {
    const auto seconds = std::max<std::int64_t>(length.count() / 1000, 0);
    constexpr std::int64_t minute = 60;
    constexpr std::int64_t hour = 60 * minute;
    constexpr std::int64_t day = 24 * hour;
    if (seconds >= day) return fmt::format("{} {} h", counted(seconds / day, "day", "days"), seconds % day / hour);
    if (seconds >= hour) return fmt::format("{} h {} min", seconds / hour, seconds % hour / minute);
    return seconds >= minute ? fmt::format("{} min", seconds / minute) : fmt::format("{} s", seconds);
}

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", number, number == 1 ? one : many);
}

}  // namespace gateway
