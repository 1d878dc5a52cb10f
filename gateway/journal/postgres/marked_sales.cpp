#include "journal/postgres/marked_sales.hpp"

#include "journal/marked_sales.hpp"
#include "journal/moving_mark.hpp"
#include "journal/tx.hpp"

namespace gateway::postgres {

boost::asio::awaitable<boost::system::result<std::vector<MarkedSale>, std::string>> read_marked_sales(
    Session& session, const std::string& url) {
    std::string words;
    std::vector<MarkedSale> sales;
    const Engine::Work look = [&](gateway::Transaction& tx) -> Job<void> {
        // Only a journal that is whole and goes on tells which sales need a person now.
        const auto mark = co_await tx.ask(sql::moving_mark);
        words = mark.empty() ? std::string() : why_not_to_start(read_mark(mark.front()), {url});
        if (words.empty()) sales = co_await marked_sales::with_callbacks(tx);
    };
    const auto looked = co_await session.commit(Engine::Access::glance, look);
    // Why the whole database cannot be used says more than an error of one statement.
    if (looked.has_error()) co_return session.hindrance().value_or(looked.error().message());
    if (!words.empty()) co_return words;
    co_return std::move(sales);
}

}  // namespace gateway::postgres
