// Which sales a list shows, and the SQL that goes through an index to find them. It looks at a limited number of rows,
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

// How many sales one page looks at, those included that it does not show: about a millisecond of work. Indexes that
// would spare it the others, whatever a list may ask for, would cost every sale a write each.
constexpr std::size_t rows_per_page = 1'000;

// Gives the rows to look at, in the list's order and one more than a page may look at: the number and the id of each,
// whether the list shows it as far as SQL can tell, and the cashier, which may be encrypted: what is equal in clear is
// not equal there, and ListPageMaker compares it. Every parameter is a text.
struct ListQuery {
    std::string sql;
    std::vector<std::string> parameters;
};
ListQuery list_query(const SaleFilter& filter);

// What a page shows, and where the next one goes on if there may be one.
struct ListPage {
    struct Listed {
        std::int64_t number;
        std::string id;
    };
    std::vector<Listed> sales;
    std::optional<SaleId> next;
};
// A page in the making, row by row as ListQuery gives them.
class ListPageMaker {
  public:
    // Both must outlive it.
    ListPageMaker(const SaleFilter& filter, rows::FieldReader& fields) : filter_(filter), fields_(fields) {}

    // False where there is no room for it: the page is as it shall be.
    bool take(const Row& row);
    ListPage& page() noexcept { return page_; }

  private:
    const SaleFilter& filter_;
    rows::FieldReader& fields_;
    ListPage page_;
    std::optional<SaleId> last_;  // that can be gone on from
    std::size_t looked_at_ = 0;
};
// What the attempts of a sale hold where one of them has this member; as attempts_text writes it: whether a text that
// is damaged is JSON is not asked.
std::string member_of_attempt(std::string_view name, std::string_view value);

}  // namespace gateway
