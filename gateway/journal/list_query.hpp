// Which sales a list shows, and the SQL that goes through an index to find them. It looks at a limited number of rows,
// however many sales are finished, because the thread that reads a list also writes the sales.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/journal.hpp"
#include "journal/rows.hpp"
#include "journal/sqlite.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// How many sales one page looks at, those included that it does not show: about a millisecond of work. Indexes that
// would spare it the others, whatever a list may ask for, would cost every sale a write each.
constexpr std::size_t rows_per_page = 1'000;

// Gives the rows to look at, in the list's order and one more than a page may look at: the number and the id of each,
// whether the list shows it as far as SQL can tell, and the cashier, which may be encrypted: what is equal in clear is
// not equal there, and read_page() compares it. Every parameter is a text.
struct ListQuery {
    std::string sql;
    std::vector<std::string> parameters;
};
ListQuery list_query(const SaleFilter& filter);

// What a page shows, and where the next one goes on if there may be one.
struct ListPage {
    struct Row {
        std::int64_t number;
        std::string id;
    };
    std::vector<Row> sales;
    std::optional<SaleId> next;
};
Result<ListPage> read_page(sqlite::Database& database, const SaleFilter& filter, rows::FieldReader& fields);

}  // namespace gateway
