#include "journal/chain/gateway_list.hpp"

#include "journal/chain/lease.hpp"
#include "journal/chain/sent_late.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"

#include <map>
#include <set>

namespace gateway::postgres {
namespace {

// One renewal, and time for it to be done.
constexpr Duration between_looks = 2 * renew_every;

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
        one.carries = row.integer(5);
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
        co_return;
    };
    co_return co_await session.commit(Engine::Access::write, work);
}

}  // namespace gateway::postgres
