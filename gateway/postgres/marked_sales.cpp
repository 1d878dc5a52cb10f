#include "postgres/marked_sales.hpp"

#include "journal/marked_sales.hpp"

namespace gateway::postgres {
namespace {

constexpr Statement marked_rows{
    "marked_sales",
    "SELECT id, created_at, terminal, estabelecimento, family, produto, valor, status, attention,"
    " latest_attempt(attempts, 'idExterno'), latest_attempt(attempts, 'idTransacao'), attempts, recorded_at, story"
    " FROM sales WHERE attention <> 'none' ORDER BY id"};
constexpr Statement callbacks_of_marked{
    "callbacks_of_marked",
    "SELECT received_at, kind, valid, body FROM callbacks WHERE sale = $1 ORDER BY n LIMIT $2::bigint"};

Awaited<void> add_callbacks(Session& session, MarkedRow& of) {
    Parameters parameters;
    parameters.add(of.sale.id).add(most_kept_callbacks);
    const auto found = co_await session.read(callbacks_of_marked, std::move(parameters));
    if (found.has_error()) co_return found.error();
    for (std::size_t i = 0; i < found->size(); ++i)
        of.sale.callbacks.push_back(read_kept_callback((*found)[i]));
    add_what_was_said(of);
    co_return Result<void>();
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

Awaited<std::vector<MarkedSale>> marked_sales_with_callbacks(Session& session) {
    const auto found = co_await session.read(marked_rows, Parameters());
    if (found.has_error()) co_return found.error();
    std::vector<MarkedSale> sales;
    for (std::size_t i = 0; i < found->size(); ++i) {
        auto marked = read_marked((*found)[i]);
        const auto added = co_await add_callbacks(session, marked);
        if (added.has_error()) co_return added.error();
        sales.push_back(std::move(marked.sale));
    }
    co_return sales;
}

}  // namespace gateway::postgres
