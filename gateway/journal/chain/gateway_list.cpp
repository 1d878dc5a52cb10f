#include "journal/chain/gateway_list.hpp"

#include "journal/chain/lease.hpp"
#include "journal/chain/sent_late.hpp"
#include "journal/rows.hpp"

#include <map>
#include <set>

namespace gateway::postgres {
namespace {

// Of one name only the latest run may live.
constexpr Statement latest_runs{
    "latest_runs",
    "SELECT DISTINCT ON (name) name, run, renewals, ended, began_at,"
    " (SELECT count(*) FROM sales WHERE settled = 0 AND owner = run) FROM gateways ORDER BY name, number DESC"};
constexpr Statement counters{"counters", "SELECT run, renewals FROM gateways WHERE ended = 0"};
constexpr Statement waiting_sales{"waiting_sales",
                                  "SELECT taken_from, id FROM sales WHERE taken_from IS NOT NULL ORDER BY id"};
constexpr Statement forget_ended{"forget_ended", "DELETE FROM gateways WHERE name = $1 AND ended = 1"};

// One renewal, and time for it to be done.
constexpr Duration between_looks = 2 * renew_every;

}  // namespace

Awaited<std::vector<KnownGateway>> known_gateways(Session& uncounted, Clock& clock) {
    const auto runs = co_await uncounted.read(latest_runs, Parameters());
    if (runs.has_error()) co_return runs.error();
    co_await clock.sleep_for(between_looks);
    const auto again = co_await uncounted.read(counters, Parameters());
    if (again.has_error()) co_return again.error();
    const auto waiting = co_await uncounted.read(waiting_sales, Parameters());
    if (waiting.has_error()) co_return waiting.error();

    std::map<std::string, std::int64_t, std::less<>> later;
    for (std::size_t i = 0; i < again->size(); ++i)
        later.emplace((*again)[i].text(0), (*again)[i].integer(1));
    std::map<std::string, KnownGateway, std::less<>> by_name;
    for (std::size_t i = 0; i < runs->size(); ++i) {
        const auto row = (*runs)[i];
        auto& one = by_name[std::string(row.text(0))];
        const auto counter = later.find(row.text(1));
        if (counter != later.end())
            one.state =
                counter->second > row.integer(2) ? KnownGateway::State::runs : KnownGateway::State::stands_still;
        one.began_at = rows::readable_time(row, 4);
        one.carries = row.integer(5);
    }
    for (std::size_t i = 0; i < waiting->size(); ++i) {
        std::set<std::string> names;
        for (const auto& note : read_notes((*waiting)[i].text(0)))
            names.insert(note.sender.gateway);
        for (const auto& name : names)
            by_name[name].waiting.emplace_back((*waiting)[i].text(1));
    }
    std::vector<KnownGateway> all;
    for (auto& [name, one] : by_name) {
        one.name = name;
        all.push_back(std::move(one));
    }
    co_return all;
}

Awaited<void> forget_gateway(Session& session, const std::string& name) {
    Parameters parameters;
    parameters.add(name);
    const auto forgotten = co_await session.write(forget_ended, std::move(parameters));
    if (forgotten.has_error()) co_return forgotten.error();
    co_return Result<void>();
}

}  // namespace gateway::postgres
