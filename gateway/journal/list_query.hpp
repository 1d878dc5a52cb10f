// Which sales a list shows, and the SQL that walks an index to find them. A walk is short whatever the number of
// finished sales: the one database to the journal has sales to write.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// How many sales one list looks at, those included that it does not show: about a millisecond of work. An index that
// leaves no other ones, for whatever a list may ask, would cost every sale a write for it.
constexpr std::size_t rows_per_page = 1'000;

// Gives the sales to look at in the list's order, one more than one walk may: the number and the id of each, and
// whether the list shows it. Every parameter is a text.
struct ListQuery {
    std::string sql;
    std::vector<std::string> parameters;
};
ListQuery list_query(const SaleFilter& filter);

// What a list shows, and where the next one goes on if there may be one.
struct ListPage {
    struct Row {
        std::int64_t number;
        std::string id;
    };
    std::vector<Row> sales;
    std::optional<SaleId> next;
};
Result<ListPage> read_page(sqlite::Database& database, const SaleFilter& filter);

}  // namespace gateway
