#include "journal/postgres/marked_sales.hpp"

#include "journal/marked_sales.hpp"
#include "journal/postgres/moving_mark.hpp"

namespace gateway::postgres {
namespace {

constexpr Statement marked_rows{
    "marked_sales",
    "SELECT id, created_at, terminal, estabelecimento, family, produto, valor, status, attention, attempts,"
    " recorded_at, story FROM sales WHERE attention <> 'none' ORDER BY id"};
constexpr Statement callbacks_of_marked{
    "callbacks_of_marked",
    "SELECT received_at, kind, valid, body FROM callbacks WHERE sale = $1 ORDER BY n LIMIT $2::bigint"};

Awaited<void> add_callbacks(Transaction& transaction, MarkedRow& of) {
    Parameters parameters;
    parameters.add(of.sale.id).add(most_kept_callbacks);
    const auto found = co_await transaction.run(callbacks_of_marked, std::move(parameters));
    if (found.has_error()) co_return found.error();
    for (std::size_t i = 0; i < found->size(); ++i)
        of.sale.callbacks.push_back(read_kept_callback((*found)[i]));
    add_what_was_said(of);
    co_return Result<void>();
}

// Only a journal that is whole and goes on tells which sales need a person now.
Awaited<std::vector<MarkedSale>> look_for_marked(Transaction& transaction, const std::string& url, std::string& words) {
    auto why = co_await why_not_to_start(transaction, url);
    if (why.has_error()) co_return why.error();
    words = std::move(*why);
    std::vector<MarkedSale> sales;
    if (!words.empty()) co_return sales;
    const auto found = co_await transaction.run(marked_rows, Parameters());
    if (found.has_error()) co_return found.error();
    for (std::size_t i = 0; i < found->size(); ++i) {
        auto marked = read_marked((*found)[i]);
        const auto added = co_await add_callbacks(transaction, marked);
        if (added.has_error()) co_return added.error();
        sales.push_back(std::move(marked.sale));
    }
    co_return sales;
}

}  // namespace

Awaited<std::vector<MarkedSale>> marked_sales(Session& session) {
    const auto found = co_await session.read(marked_rows, Parameters());
    if (found.has_error()) co_return found.error();
    std::vector<MarkedSale> sales;
    for (std::size_t i = 0; i < found->size(); ++i)
        sales.push_back(read_marked((*found)[i]).sale);
    co_return sales;
}

boost::asio::awaitable<boost::system::result<std::vector<MarkedSale>, std::string>> read_marked_sales(
    Session& session, const std::string& url) {
    std::string words;
    const std::function<Awaited<std::vector<MarkedSale>>(Transaction&)> work = [&](Transaction& transaction) {
        return look_for_marked(transaction, url, words);
    };
    auto sales = co_await session.transaction(work, Session::Told::no);
    // Why the whole database cannot be used says more than an error of one statement.
    if (sales.has_error()) co_return session.hindrance().value_or(sales.error().message());
    if (!words.empty()) co_return words;
    co_return std::move(*sales);
}

}  // namespace gateway::postgres
