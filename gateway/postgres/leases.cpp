#include "postgres/leases.hpp"

#include "base/ulid.hpp"
#include "postgres/moving_mark.hpp"
#include "postgres/words_table.hpp"

#include <boost/json/parse.hpp>
#include <fmt/format.h>

namespace gateway::postgres {
namespace {

constexpr Statement lock_runs{"lock_runs", "SELECT pg_advisory_xact_lock(hashtextextended('gateways', 0))"};
// By a call that ended unknown it may be there already.
constexpr Statement enter_run{
    "enter_run",
    "INSERT INTO gateways AS g (run, name, began_at, provider, key_name, rules) VALUES ($1, $2, $3, $4, $5, $6)"
    " ON CONFLICT (run) DO UPDATE SET renewals = g.renewals + 1 RETURNING g.ended"};
constexpr Statement forget_runs{"forget_runs", "DELETE FROM gateways WHERE name = $2 AND run <> $1 AND ended = 1"};
// With the counters of all that have not ended. They are told once this write is done: a counter that a promotion takes
// back, and that comes to where it was, would seem to stand still.
constexpr Statement renew_run{
    "renew_run",
    "WITH renewed AS (UPDATE gateways SET renewals = renewals + 1 WHERE run = $1 AND ended = 0 RETURNING run),"
    " house AS (UPDATE upkeep SET run = $1 WHERE run <> $1 AND is_over(run) AND EXISTS (SELECT 1 FROM renewed)"
    " RETURNING run)"
    " SELECT run, renewals, EXISTS (SELECT 1 FROM renewed),"
    " EXISTS (SELECT 1 FROM house) OR EXISTS (SELECT 1 FROM upkeep WHERE run = $1) FROM gateways WHERE ended = 0"};
constexpr Statement end_run{"end_run",
                            "UPDATE gateways SET ended = 1 WHERE run = $1 AND renewals = $2::bigint AND ended = 0"};
constexpr Statement runs_in_the_way{"runs_in_the_way",
                                    "SELECT run, renewals, name, name = $1 FROM gateways WHERE ended = 0"
                                    " AND (name = $1 OR provider <> $2 OR key_name <> $3 OR rules <> $4)"};
constexpr Statement notes_of_sent_late{
    "notes_of_sent_late",
    "SELECT id, note ->> 'idExterno' FROM sales, jsonb_array_elements(taken_from) AS note"
    " WHERE taken_from IS NOT NULL AND note ->> 'gateway' = $1"};
constexpr Statement forget_notes{
    "forget_notes",
    "UPDATE sales SET taken_from = (SELECT jsonb_agg(note) FROM jsonb_array_elements(taken_from) AS note"
    " WHERE note ->> 'gateway' <> $1) WHERE taken_from @> jsonb_build_array(jsonb_build_object('gateway', $1::text))"
    " AND taken_from IS NOT NULL"};

}  // namespace

// A run that has not ended, of whose gateway it is not known yet whether it lives.
struct Leases::InTheWay {
    std::string run;
    std::int64_t renewals;
    std::string name;
    bool is_namesake;
};

Leases::Leases(Storage& storage, Identity identity, Random& random)
    : storage_(storage), identity_(std::move(identity)), random_(random) {
    begin_run();
}

void Leases::begin_run() {
    run_ = fmt::format("{}.{}", identity_.name, Ulid::make(storage_.clock.wall(), random_).text());
    entered_ = false;
    keeps_house_ = false;
    lease_.ended();
}

// Trusted from the beginning of the renewal on, and not from its answer: another gateway counts from what it sees.
boost::asio::awaitable<bool> Leases::renew() {
    const auto began = storage_.clock.now();
    const auto run = run_;
    Result<bool> lives = false;
    if (entered_)
        lives = co_await renew_row(run);
    else
        lives = co_await enter(run);
    if (run != run_) co_return false;
    if (lives.has_value() && !*lives) begin_run();
    const bool is_over = lives.has_value() && !*lives;
    if (lives.has_value() && *lives) {
        entered_ = true;
        lease_.renewed(began);
    }
    co_return !is_over;
}

Awaited<bool> Leases::renew_row(const std::string& run) {
    Parameters parameters;
    parameters.add(run);
    const auto found = co_await storage_.writer.write(renew_run, std::move(parameters));
    if (found.has_error()) co_return failure<bool>(found.error());
    look_at_others(*found);
    keeps_house_ = !found->empty() && (*found)[0].integer(3) != 0;
    co_return !found->empty() && (*found)[0].integer(2) != 0;
}

Awaited<bool> Leases::enter(const std::string& run) {
    const std::function<Awaited<Rows>(Transaction&)> work = [&](Transaction& transaction) {
        return enter_in(transaction, run);
    };
    const auto entered = co_await storage_.writer.transaction(work);
    if (entered.has_error()) co_return failure<bool>(entered.error());
    co_return (*entered)[0].integer(0) == 0;
}

Awaited<Rows> Leases::enter_in(Transaction& transaction, const std::string& run) {
    const auto locked = co_await lock(transaction);
    if (locked.has_error()) co_return locked.error();
    const auto free = co_await end_copying(transaction);
    if (free.has_error()) co_return free.error();
    Parameters row;
    row.add(run).add(identity_.name).add(rows::milliseconds(storage_.clock.wall())).add(identity_.provider);
    row.add(identity_.key_name).add(identity_.rules);
    auto entered = co_await transaction.run(enter_run, std::move(row));
    if (entered.has_error()) co_return entered.error();
    Parameters before;
    before.add(run).add(identity_.name);
    const auto forgotten = co_await transaction.run(forget_runs, std::move(before));
    if (forgotten.has_error()) co_return forgotten.error();
    const auto turned = co_await turn_notes_into_words(transaction);
    if (turned.has_error()) co_return turned.error();
    co_return entered;
}

Awaited<void> Leases::turn_notes_into_words(Transaction& transaction) {
    Parameters mine;
    mine.add(identity_.name);
    const auto notes = co_await transaction.run(notes_of_sent_late, mine);
    if (notes.has_error()) co_return notes.error();
    if (notes->empty()) co_return Result<void>();
    for (std::size_t i = 0; i < notes->size(); ++i) {
        const auto row = (*notes)[i];
        const auto sale = SaleId::parse(row.text(0));
        const auto attempt = IdExterno::parse(row.text(1));
        if (!sale || !attempt) continue;
        const LeftWord word{.sale = *sale, .attempt = *attempt, .event = SentLate{}};
        Parameters left;
        add_word(left, storage_, word);
        const auto noted = co_await transaction.run(leave_word, std::move(left));
        if (noted.has_error()) co_return noted.error();
    }
    const auto forgotten = co_await transaction.run(forget_notes, std::move(mine));
    if (forgotten.has_error()) co_return forgotten.error();
    co_return Result<void>();
}

// What is seen here decides nothing by itself: a run is ended by a comparison with what is there then.
void Leases::look_at_others(const Rows& found) {
    std::map<std::string, std::int64_t> counters;
    for (std::size_t i = 0; i < found.size(); ++i)
        counters.emplace(found[i].text(0), found[i].integer(1));
    for (const auto& [known, renewals] : looked_)
        if (!counters.contains(known)) others_.gone(known);
    looked_ = std::move(counters);
    for (const auto& [other, renewals] : looked_)
        if (other != run_) others_.saw(other, static_cast<std::uint64_t>(renewals), storage_.clock.now());
}

std::map<std::string, std::int64_t> Leases::dead() const {
    std::map<std::string, std::int64_t> all;
    for (const auto& [run, renewals] : looked_)
        if (const auto at = others_.dead_at(run, storage_.clock.now()))
            all.emplace(run, static_cast<std::int64_t>(*at));
    return all;
}

Awaited<void> Leases::lock(Transaction& transaction) {
    const auto locked = co_await transaction.run(lock_runs, Parameters());
    if (locked.has_error()) co_return locked.error();
    co_return Result<void>();
}

Awaited<void> Leases::end(Transaction& transaction, const std::string& run, std::int64_t renewals) {
    Parameters parameters;
    parameters.add(run).add(renewals);
    const auto ended = co_await transaction.run(end_run, std::move(parameters));
    if (ended.has_error()) co_return ended.error();
    co_return Result<void>();
}

boost::asio::awaitable<boost::system::result<void, std::string>> Leases::wait_out_others() {
    std::map<std::string, std::int64_t> before;
    const auto until = storage_.clock.now() + dead_after;
    while (true) {
        const auto found = co_await in_the_way();
        if (found.has_error()) co_return found.error().message();
        if (found->empty()) co_return boost::system::result<void, std::string>();
        for (const auto& other : *found) {
            const auto seen = before.try_emplace(other.run, other.renewals).first->second;
            if (seen == other.renewals) continue;
            co_return other.is_namesake
                ? fmt::format("another gateway with the name {} is running on it: each needs a name of its own",
                              other.name)
                : fmt::format(
                      "the gateway {} that is running on it has another provider, another key file or other "
                      "numbers of the law: those that share a journal must not differ in them",
                      other.name);
        }
        if (storage_.clock.now() >= until) {
            const auto ended = co_await end_all(*found);
            if (ended.has_error()) co_return ended.error().message();
        } else {
            co_await storage_.clock.sleep_for(renew_every);
        }
    }
}

Awaited<std::vector<Leases::InTheWay>> Leases::in_the_way() {
    Parameters mine;
    mine.add(identity_.name).add(identity_.provider).add(identity_.key_name).add(identity_.rules);
    const auto found = co_await storage_.writer.read(runs_in_the_way, std::move(mine));
    if (found.has_error()) co_return found.error();
    std::vector<InTheWay> all;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const auto row = (*found)[i];
        all.push_back({.run = std::string(row.text(0)),
                       .renewals = row.integer(1),
                       .name = std::string(row.text(2)),
                       .is_namesake = row.integer(3) != 0});
    }
    co_return all;
}

Awaited<void> Leases::end_all(const std::vector<InTheWay>& runs) {
    const std::function<Awaited<void>(Transaction&)> work = [&](Transaction& transaction) -> Awaited<void> {
        const auto locked = co_await lock(transaction);
        if (locked.has_error()) co_return locked.error();
        for (const auto& other : runs) {
            const auto ended = co_await end(transaction, other.run, other.renewals);
            if (ended.has_error()) co_return ended.error();
        }
        co_return Result<void>();
    };
    co_return co_await storage_.writer.transaction(work);
}

}  // namespace gateway::postgres
