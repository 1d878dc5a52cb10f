#include "journal/chain/without_gateway.hpp"

#include "journal/after_restore.hpp"
#include "journal/chain/forwarded_commands.hpp"
#include "journal/chain/lease.hpp"
#include "journal/marked_sales.hpp"
#include "journal/moving_mark.hpp"
#include "journal/postgres/migrations.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"

#include <map>
#include <set>

namespace gateway::postgres {
namespace {

// This leaves time for one renewal.
constexpr Duration between_looks = 2 * renew_every;

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

Awaited<std::vector<KnownGateway>> known_gateways(Session& uncounted, Clock& clock) {
    Rows runs, again, waiting;
    const Engine::Work first_look = [&](Transaction& tx) -> Job<void> { runs = co_await tx.ask(sql::latest_runs); };
    const Engine::Work second_look = [&](Transaction& tx) -> Job<void> {
        again = co_await tx.ask(sql::living_runs);
        waiting = co_await tx.ask(sql::waiting_sales);
    };
    auto looked = co_await uncounted.commit(Engine::Access::read, first_look);
    if (looked.has_error()) co_return looked.error();
    co_await clock.sleep_for(between_looks);
    looked = co_await uncounted.commit(Engine::Access::read, second_look);
    if (looked.has_error()) co_return looked.error();

    std::map<std::string, std::int64_t, std::less<>> later;
    for (const auto row : again)
        later.emplace(row.text(0), row.integer(1));
    std::map<std::string, KnownGateway, std::less<>> by_name;
    for (const auto row : runs) {
        auto& one = by_name[std::string(row.text(0))];
        const auto counter = later.find(row.text(1));
        if (counter != later.end())
            one.state =
                counter->second > row.integer(2) ? KnownGateway::State::runs : KnownGateway::State::stands_still;
        one.began_at = rows::readable_time(row, 4);
        one.open_sales = row.integer(5);
    }
    for (const auto row : waiting) {
        std::set<std::string> names;
        for (const auto& note : read_notes(row.text(0)))
            names.insert(note.sender.gateway);
        for (const auto& name : names)
            by_name[name].waiting.emplace_back(row.text(1));
    }
    std::vector<KnownGateway> all;
    for (auto& [name, one] : by_name) {
        one.name = name;
        all.push_back(std::move(one));
    }
    co_return all;
}

Awaited<void> forget_gateway(Session& session, const std::string& name) {
    const Engine::Work work = [&name](Transaction& tx) -> Job<void> {
        tx.run(sql::forget_ended, name);
        tx.run(sql::forget_console_sessions, name);
        co_return;
    };
    co_return co_await session.commit(Engine::Access::write, work);
}

boost::asio::awaitable<boost::system::result<std::vector<MarkedSale>, std::string>> read_marked_sales(
    Session& session, const std::string& url) {
    std::string words;
    std::vector<MarkedSale> sales;
    const MarkedPlace here{url};
    const Engine::Work look = [&](Transaction& tx) -> Job<void> {
        // Only a journal that is whole and in use tells which sales need a person now.
        words = co_await moving_mark::why_not_to_start(tx, here);
        if (words.empty()) sales = co_await marked_sales::with_callbacks(tx);
    };
    const auto looked = co_await session.commit(Engine::Access::glance, look);
    // The reason why the database as a whole cannot be used says more than the error of one statement.
    if (looked.has_error()) co_return session.hindrance().value_or(looked.error().message());
    if (!words.empty()) co_return words;
    co_return std::move(sales);
}

boost::asio::awaitable<Marked> mark_restored(Session& uncounted, WallTime now) {
    return perform(uncounted, [now](Transaction& tx) { return mark(tx, now); });
}

boost::asio::awaitable<Marked> look_at_loss(Session& uncounted) {
    return perform(uncounted, count);
}

}  // namespace gateway::postgres
