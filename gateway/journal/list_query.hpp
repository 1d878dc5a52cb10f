// Makes the SQL that finds the sales of a list through an index. A page looks at a limited number of rows, however many
// sales are finished, because the thread that reads a list also writes the sales.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/journal.hpp"
#include "journal/rows.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// One page looks at this many sales, the ones that it does not show included, which is about a millisecond of work.
// Further indexes would spare it those, but every index costs a write for every sale.
constexpr std::size_t rows_per_page = 1'000;

// This is a query for the rows that a page looks at, in the list's order and one more than a page may look at. It
// returns for each the number, the id, whether the list shows the row as far as SQL can tell, and the cashier.
// Encrypted cashiers differ even where their clear texts are equal, so ListPageMaker compares them. Every parameter is
// a text.
struct ListQuery {
    std::string sql;
    std::vector<std::string> parameters;
};
ListQuery list_query(const SaleFilter& filter);

// Holds the sales that a page shows, and where the next page begins if there may be one.
struct ListPage {
    struct Listed {
        std::int64_t number;
        std::string id;
    };
    std::vector<Listed> sales;
    std::optional<SaleId> next;
};
// Makes a page from the rows of a ListQuery, one after the other.
class ListPageMaker {
  public:
    // Both must outlive this object.
    ListPageMaker(const SaleFilter& filter, rows::FieldReader& fields) : filter_(filter), fields_(fields) {}

    // Returns false where the page has no room for the row: the page is then complete.
    bool take(const Row& row);
    ListPage& page() noexcept { return page_; }

  private:
    const SaleFilter& filter_;
    rows::FieldReader& fields_;
    ListPage page_;
    std::optional<SaleId> last_;  // the last row after which a page can go on
    std::size_t looked_at_ = 0;
};
// Returns the text that the column of attempts contains where an attempt has this member, as attempts_text writes it. A
// search for it does not notice whether a damaged column is still JSON.
std::string member_of_attempt(std::string_view name, std::string_view value);

}  // namespace gateway
