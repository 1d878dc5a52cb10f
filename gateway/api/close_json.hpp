// A close as calls answer it: JSON for programs, CSV for spreadsheets.
#pragma once

#include "base/language.hpp"
#include "books/day_books.hpp"
#include "journal/journal.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace gateway {

// Of a close that is finished.
boost::json::object close_json(const Close& close);

// A heading, and a line for all sales, each family and each terminal.
std::string close_csv(const Close& close, Language language);

// Yesterday, where it is not closed: [{estabelecimento, day, sold}].
boost::json::array unclosed_json(const std::vector<DayBooks::Unclosed>& unclosed);

// Days that nobody closed: [{estabelecimento, day}].
boost::json::array forgotten_json(const std::vector<CloseKey>& forgotten);

}  // namespace gateway
