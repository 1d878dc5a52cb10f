// Lays out a table for people: the columns stand under each other whatever is in them, and fit the page. Where there is
// no room for all, it first cuts what may be cut, and then leaves out the columns that say the least. Nothing else is
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
    bool right = false;                // the cells are numbers
    std::size_t least = 0;             // the column may be cut to so many columns of the page; 0: it may not be cut
    unsigned leaves = 0;               // the column with the lowest number is left out first; 0: it always stays
    bool alarming = false;             // a person has to see it first
    std::vector<std::string> cells{};  // the cells are printable(), and as many as every other column has
};

// Returns the lines of the table, the heads first. A column without anything in it is left out.
std::string table(const Page& page, const std::vector<Column>& columns);

}  // namespace gateway::text
