// Days as people type them, and what the gateway says they came to: what `totals` and `close` have in common.
#pragma once

#include "base/calendar.hpp"
#include "commands/commands.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Where the gateway is asked for the totals of days: which, and grouped by what.
struct TotalsQuestion {
    std::string day;  // "today", "yesterday" or a date; empty where there is none
    std::string from;
    std::string to;
    std::string by;
    std::string estabelecimento;
};

// What it answers; or nothing, and that is said, with the exit code.
struct TotalsReply {
    std::optional<boost::json::object> body{};
    int exit = exit_ok;
};
TotalsReply ask_for_totals(const Desk& desk, const TotalsQuestion& question);

// "20/11/2026", or "20/11/2026 a 22/11/2026" where the days are several.
std::string days_of(const boost::json::object& totals, Language language);

}  // namespace gateway
