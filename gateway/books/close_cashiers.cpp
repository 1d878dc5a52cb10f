#include "books/close_cashiers.hpp"

#include "books/close_sum.hpp"

namespace gateway {

boost::asio::awaitable<Result<GroupedTotals>> sum_by_cashier(const CloseKey& key, Journal& journal) {
    GroupedTotals cashiers({TotalsBy::cashier});
    std::string after;
    do {
        const auto page = co_await journal.sales_of_close(key, after);
        if (page.has_error()) co_return page.error();
        for (const auto& sale : page->sales)
            cashiers.add(counted(sale));
        after = page->next;
    } while (!after.empty());
    co_return cashiers;
}

}  // namespace gateway
