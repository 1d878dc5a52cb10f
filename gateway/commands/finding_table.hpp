// Findings for people: a table of them, and under it what each kind of them means and what to do.
#pragma once

#include "base/language.hpp"
#include "commands/commands.hpp"

#include <boost/json/array.hpp>

#include <string>

namespace gateway {

// Empty where there are none.
std::string finding_table(const Screen& screen, const boost::json::array& findings, Language language);

}  // namespace gateway
