// Says which sales a list shows, by SQL that goes through an index to find them. It looks at a limited number of rows,
// however many sales are finished, because the thread that reads a list also writes the sales.
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

// One page looks at so many sales, those included that it does not show: about a millisecond of work. Indexes that
// would spare it the others, whatever a list may ask for, would cost every sale a write each.
constexpr std::size_t rows_per_page = 1'000;

// Gives the rows to look at, in the list's order and one more than a page may look at: the number and the id of each,
// whether the list shows it as far as SQL can tell, and the cashier. Encrypted cashiers differ even where they are
// equal in clear: ListPageMaker compares them. Every parameter is a text.
struct ListQuery {
    std::string sql;
    std::vector<std::string> parameters;
};
ListQuery list_query(const SaleFilter& filter);

// Holds what a page shows, and where the next one goes on if there may be one.
struct ListPage {
    struct Listed {
        std::int64_t number;
        std::string id;
    };
    std::vector<Listed> sales;
    std::optional<SaleId> next;
};
// Makes a page, row by row as ListQuery gives them.
class ListPageMaker {
  public:
    // Both must outlive this object.
    ListPageMaker(const SaleFilter& filter, rows::FieldReader& fields) : filter_(filter), fields_(fields) {}

    // Returns false where there is no room for the row: the page is as it shall be.
    bool take(const Row& row);
    ListPage& page() noexcept { return page_; }

  private:
    const SaleFilter& filter_;
    rows::FieldReader& fields_;
    ListPage page_;
    std::optional<SaleId> last_;  // after which a page can go on
    std::size_t looked_at_ = 0;
};
// Returns what the column of attempts holds where one of them has this member, as attempts_text writes it. Whether a
// text that is damaged is JSON is not asked.
std::string member_of_attempt(std::string_view name, std::string_view value);

}  // namespace gateway
