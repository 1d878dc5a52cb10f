// Writes a close as calls answer it: as JSON for programs, as CSV for spreadsheets.
#pragma once

#include "api/letterhead.hpp"
#include "api/openapi/written.hpp"
#include "base/language.hpp"
#include "books/day_books.hpp"
#include "journal/journal.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// Writes a close that is finished, and what was summed up by cashier, if it was.
std::string close_json(const Close& close, const GroupedTotals* cashiers = nullptr);

// Writes a heading, and a line each for all sales, for each family, for each terminal and for each cashier.
std::string close_csv(const Close& close, Language language, const GroupedTotals* cashiers = nullptr);

struct ToldCloses {
    std::vector<Close> closes;
    std::vector<CloseKey> forgotten;  // days that nobody closed
    std::vector<DayBooks::Unclosed> unclosed{};
    std::optional<DayBooks::Due> automatic{};
    Letterhead letterhead{};
};
// Writes `closes`, `forgotten` and `letterhead`: the answer of the call that closes days.
std::string closes_made_json(const ToldCloses& told);
// Writes all members: the answer of the call that lists closes.
std::string close_list_json(const ToldCloses& told);

// These write unclosed and forgotten days wherever an answer has them.
openapi::Parts<DayBooks::Unclosed> in_parts(const std::vector<DayBooks::Unclosed>& unclosed);
openapi::Parts<CloseKey> in_parts(const std::vector<CloseKey>& forgotten);

}  // namespace gateway
