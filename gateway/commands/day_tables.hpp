// How `totals` and `close` show what days came to, in the language of the store: counts beside each other, a line for
// each group and one for all.
#pragma once

#include "base/language.hpp"
#include "commands/screen.hpp"
#include "reconcile/book_words.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// A line of such a table: the values that a group has in common, and its counts, as {"sold":{"count","valor"},…}.
struct CountedGroup {
    std::vector<std::string> values;
    const boost::json::object* counts;
};

// `heads` are what the values are of. A column that has nothing but zeros is left out, but for those of sold ones.
std::string counts_table(const Screen& screen, Language language, const std::vector<Word>& heads,
                         const std::vector<CountedGroup>& groups, const boost::json::object& total);

// Sales by name that are not final, or late: idExterno, amount and status, and what comes next of those of which
// `next`, by id, knows it.
std::string named_sales(const Screen& screen, const boost::json::array& sales,
                        const std::map<std::string, std::string>& next = {});
// "cancels again at 07:12", of what the gateway says of a sale's exchange with the provider; empty where there is none.
std::string next_step(const boost::json::object& now, Language language);

// The columns of counts and amounts in a line of CSV: their heads, and their cells.
void add_count_heads(CsvLine& line, Language language);
void add_counts(CsvLine& line, const boost::json::object& counts);

}  // namespace gateway
