#include "journal/chain/mark_restored.hpp"

#include "journal/after_restore.hpp"
#include "journal/moving_mark.hpp"
#include "journal/postgres/migrations.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"

namespace gateway::postgres {
namespace {

using Marked = boost::system::result<MarkedRestored, std::string>;

Job<MarkedRestored> count(Transaction& tx) {
    const auto counted = co_await tx.ask(sql::count_sales);
    const auto row = counted.front();
    MarkedRestored marked;
    marked.sales = row.integer(0);
    marked.open = row.integer(1);
    marked.unsure = row.integer(2);
    marked.lost_by = row.text(3);
    co_return marked;
}

Job<MarkedRestored> mark(Transaction& tx, WallTime now) {
    tx.run(sql::lock_commits);
    co_await moving_mark::end_copying(tx);
    tx.run(sql::end_all_runs);
    auto marked = co_await count(tx);
    marked.unsure = co_await after_restore::leave_to_provider(tx, now);
    tx.run(sql::free_open_sales);
    tx.run(sql::begin_epoch, rows::milliseconds(now));
    co_return marked;
}

boost::asio::awaitable<Marked> perform(Session& uncounted, std::function<Job<MarkedRestored>(Transaction&)> work) {
    const auto ready = co_await bring_up_to_date(uncounted);
    if (ready.has_error()) co_return Marked(boost::system::in_place_error, ready.error());
    auto done = co_await uncounted.perform<MarkedRestored>(Engine::Access::alone, std::move(work));
    if (done.has_error()) co_return Marked(boost::system::in_place_error, done.error().message());
    co_return std::move(*done);
}

}  // namespace

boost::asio::awaitable<Marked> mark_restored(Session& uncounted, WallTime now) {
    return perform(uncounted, [now](Transaction& tx) { return mark(tx, now); });
}

boost::asio::awaitable<Marked> look_at_loss(Session& uncounted) {
    return perform(uncounted, count);
}

}  // namespace gateway::postgres
