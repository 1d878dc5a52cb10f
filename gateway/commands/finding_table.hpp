// Findings for people: a table of them, and under it what each kind of them means and what to do.
#pragma once

#include "base/language.hpp"
#include "commands/commands.hpp"

#include <boost/json/array.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace gateway {

// Empty where there are none.
std::string finding_table(const Screen& screen, const boost::json::array& findings, Language language);

// "2026-11-20" of "today", "yesterday" or a date; or in words what would be right.
boost::system::result<std::string, std::string> day_meant(std::string_view text, WallTime now);

// "?name=value", or "&name=value" where the query has begun.
void add_to_query(std::string& query, std::string_view name, std::string_view value);

}  // namespace gateway
