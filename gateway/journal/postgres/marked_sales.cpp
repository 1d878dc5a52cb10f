#include "journal/postgres/marked_sales.hpp"

#include "journal/marked_sales.hpp"
#include "journal/moving_mark.hpp"
#include "journal/tx.hpp"

namespace gateway::postgres {
namespace {

// Only a journal that is whole and goes on tells which sales need a person now.
Job<std::vector<MarkedSale>> look_for_marked(gateway::Transaction& tx, const std::string& url, std::string& words) {
    const auto mark = co_await tx.ask(sql::moving_mark);
    words = mark.empty() ? std::string() : why_not_to_start(read_mark(mark.front()), {url});
    if (!words.empty()) co_return std::vector<MarkedSale>();
    co_return co_await marked_sales::with_callbacks(tx);
}

}  // namespace

boost::asio::awaitable<boost::system::result<std::vector<MarkedSale>, std::string>> read_marked_sales(
    Session& session, const std::string& url) {
    std::string words;
    const std::function<Job<std::vector<MarkedSale>>(gateway::Transaction&)> work =
        [&](gateway::Transaction& transaction) { return look_for_marked(transaction, url, words); };
    auto sales = co_await session.perform(Engine::Access::read, work, Session::Told::no);
    // Why the whole database cannot be used says more than an error of one statement.
    if (sales.has_error()) co_return session.hindrance().value_or(sales.error().message());
    if (!words.empty()) co_return words;
    co_return std::move(*sales);
}

}  // namespace gateway::postgres
