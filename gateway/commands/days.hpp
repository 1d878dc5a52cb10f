// Days as people type them, and what the gateway says they came to: what `totals` and `close` have in common.
#pragma once

#include "base/calendar.hpp"
#include "commands/commands.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// A day as the gateway writes it, "2026-11-20"; or nothing, and what is wrong is said, with the exit code.
struct DayReply {
    std::optional<std::string> day{};
    int exit = exit_ok;
};
// Which day it is, only the gateway knows: the store's zone need not be this machine's. It is asked once, if at all.
class StoreDays {
  public:
    explicit StoreDays(const Desk& desk) : desk_(desk) {}

    // Of "today", "yesterday" or a date, as `option` has it.
    DayReply meant(std::string_view option, std::string_view text);

  private:
    const Desk& desk_;
    std::optional<Day> today_;
};

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

// By id, what comes next of these sales as next_step() says it, as far as the gateway tells; of the first some of them.
std::map<std::string, std::string> ask_what_comes_next(const Desk& desk, const boost::json::array& sales,
                                                       Language language);

// "20/11/2026", or "20/11/2026 a 22/11/2026" where the days are several.
std::string days_of(const boost::json::object& totals, Language language);

}  // namespace gateway
