// A table for people: columns that stand under each other whatever is in them, and that fit the page. Where there is
// no room for all, what may be cut is cut first, and the columns that say the least are left out next; nothing else is
// ever shortened.
#pragma once

#include "api/text/page.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::text {

struct Column {
    std::string head;
    bool right = false;                // of numbers
    std::size_t least = 0;             // may be cut to so many columns of the page; 0: may not be cut
    unsigned leaves = 0;               // the column with the lowest number is left out first; 0: it always stays
    bool alarming = false;             // is to be seen first
    std::vector<std::string> cells{};  // printable(), as many as every other column has
};

// Its lines, the heads first. A column without anything in it is left out.
std::string table(const Page& page, const std::vector<Column>& columns);

}  // namespace gateway::text
