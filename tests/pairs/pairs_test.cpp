// Two gateways write at once. In whichever order the statements of their two jobs reach PostgreSQL, the tables and the
// answers are those of one job after the other.
//
// The journal is that of a chain with all its statements. Only their way to the server belongs to the test: each waits
// for its turn. Every order is tried except those that differ from a tried one only by two neighbours, if neither of
// the two writes what the other one reads or writes: the results are the same. Once a statement waits for what the
// other gateway has locked, the server decides the rest of the order, and both go on freely.
#include "journal/key_rotation.hpp"
#include "journal/postgres/error.hpp"
#include "journal/postgres/running_job.hpp"
#include "unit/journal/journal_user.hpp"
#include "unit/journal/postgres/journal_rig.hpp"

#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <iostream>
#include <set>
#include <sstream>

namespace gateway::postgres::test {
namespace {

using namespace testing;
using gateway::test::first_key;
using gateway::test::second_key;
using gateway::test::SeededRandom;
using Words = boost::asio::awaitable<std::string>;

// This is what a statement, or a whole transaction, reads and writes. A row lock counts as written, and so does a lock
// of words.
struct Touched {
    std::set<std::string, std::less<>> reads;
    std::set<std::string, std::less<>> writes;

    void add(const Touched& more) {
        reads.insert(more.reads.begin(), more.reads.end());
        writes.insert(more.writes.begin(), more.writes.end());
    }
    bool writes_of(const Touched& other) const {
        return std::ranges::any_of(
            writes, [&](const auto& one) { return other.reads.contains(one) || other.writes.contains(one); });
    }
    bool depends_on(const Touched& other) const { return writes_of(other) || other.writes_of(*this); }
};

Touched touched_by(std::string_view sql, const std::vector<std::string>& tables) {
    const auto has = [sql](std::string_view part) { return sql.find(part) != std::string_view::npos; };
    const bool reads = sql.starts_with("SELECT") && !has("FOR UPDATE") && !has("FOR SHARE") && !has("_lock");
    Touched touched;
    for (const auto& table : tables)
        if (has(table)) (reads ? touched.reads : touched.writes).insert(table);
    if (has("_lock")) touched.writes.insert("forwarded_commands");
    return touched;
}

// This is where a gateway stands in its job.
struct Standing {
    std::unique_ptr<Timer> turn;
    bool waits = false;  // for its turn, to run `next`
    bool goes_freely = true;
    bool has_ended = false;
    Touched next;
    Touched all;  // of its transaction until now
};

// This is a gateway's journal, whose statements go to the server one by one.
class SteppedJournal final : public ChainJournal {
  public:
    SteppedJournal(Connection& connection, Standing& standing, const std::vector<std::string>& tables, Clock& clock,
                   std::vector<Secret> keys, const std::string& name, Random& random)
        : ChainJournal(std::make_unique<FieldCipher>(keys, random), clock,
                       {.name = name, .provider = "p", .key_name = "", .rules = "r"}, {}, "file of " + name, random),
          connection_(connection),
          standing_(standing),
          tables_(tables) {}

    Awaited<void> probe() override { co_return Result<void>(); }
    JournalStats stats() const override { return {}; }
    bool healthy() const noexcept override { return true; }
    Awaited<void> use_key() {
        return perform<void>(Lane::of_sales, Access::write,
                             [](Tx& tx) { return key_rotation::use_key(tx.transaction(), tx.cipher); });
    }

  private:
    static constexpr Duration patience{60'000};

    Awaited<void> commit(Lane, Access, const Engine::Work& work, std::string) override {
        auto failed = co_await try_once(work);
        while (is_worth_repeating(failed))
            failed = co_await try_once(work);
        if (failed) co_return failed;
        co_return Result<void>();
    }
    boost::asio::awaitable<boost::system::error_code> try_once(const Engine::Work& work) {
        standing_.all = {};
        (void)co_await say("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
        std::deque<RunningJob> running;
        running.emplace_back(work);
        while (true) {
            const Round round(running);
            if (round.commands().empty()) break;
            std::vector<Rows> answered;
            for (const auto& command : round.commands()) {
                auto next = touched_by(command.statement.sql, tables_);
                co_await wait_for_turn(std::move(next));
                auto exchanged = co_await connection_.exchange(std::span(&command, 1), patience);
                if (exchanged.refused) {
                    (void)co_await say("ROLLBACK");
                    co_return exchanged.refused;
                }
                CHECK(exchanged.rows.size() == 1);
                answered.push_back(std::move(exchanged.rows.front()));
            }
            running.front().answer(std::span(answered).subspan(round.locks()));
        }
        // A commit lets the other gateway see what was written, and go on with what was locked.
        Touched committed(standing_.all);
        committed.reads.clear();
        co_await wait_for_turn(std::move(committed));
        const auto done = co_await say("COMMIT");
        CHECK(done.last == "COMMIT");
        co_return running.front().failure();
    }
    boost::asio::awaitable<Exchanged> say(const char* sql) {
        const std::array commands{Command{{sql, sql}, nullptr}};
        co_return co_await connection_.exchange(commands, patience);
    }
    boost::asio::awaitable<void> wait_for_turn(Touched next) {
        standing_.all.add(next);
        standing_.next = std::move(next);
        standing_.waits = !standing_.goes_freely;
        while (standing_.waits)
            (void)co_await standing_.turn->wait_until(never);
    }

    Connection& connection_;
    Standing& standing_;
    const std::vector<std::string>& tables_;
};

// This says who goes on at each turn, and at which turns the other one has still to be tried.
struct Turn {
    std::size_t who = 0;
    bool other_is_open = false;
    bool other_was_tried = false;
};
using Order = std::vector<Turn>;

bool next_order(Order& order) {
    while (!order.empty() && !order.back().other_is_open)
        order.pop_back();
    if (order.empty()) return false;
    order.back() = {.who = 1 - order.back().who, .other_was_tried = true};
    return true;
}

class World;
// Runs the job of the gateway with this number, and returns in words what it told.
struct NamedJob {
    const char* name;
    Words (*run)(World&, std::size_t);
    // A job leaves what another transaction has locked to its next call, which comes when both jobs have ended.
    bool leaves_what_is_locked = false;
};

// These are two gateways on tables that begin anew for each order, with the sales, the forwarded commands and the books
// that the jobs are about.
class World : public gateway::test::JournalUser {
  public:
    using Jobs = std::array<NamedJob, 2>;

    World() {
        clock.wait_for_sockets();
        schema_.cluster().sql("ALTER SYSTEM SET deadlock_timeout = '10ms'; SELECT pg_reload_conf()");
        (void)schema_.open(io.get_executor(), clock, "first");
        schema_.sql("DELETE FROM gateways; DELETE FROM commits; CREATE SCHEMA kept");
        const auto all =
            schema_.sql("SELECT string_agg(tablename, ' ') FROM pg_tables WHERE schemaname = current_schema()");
        for (std::istringstream words(all); words;)
            if (std::string table; words >> table) tables_.push_back(table);
        std::string begin_anew;
        for (const auto& table : tables_) {
            schema_.sql("CREATE TABLE kept." + table + " AS TABLE " + table);
            begin_anew += "TRUNCATE " + table + " RESTART IDENTITY; INSERT INTO " + table +
                          " OVERRIDING SYSTEM VALUE TABLE kept." + table + ";";
        }
        schema_.sql("CREATE FUNCTION begin_anew() RETURNS void LANGUAGE plpgsql AS $$BEGIN " + begin_anew + " END$$");
        // Numbers that the server counts itself, and the random parts of encrypted values, are left out.
        schema_.sql(
            "CREATE FUNCTION everything() RETURNS text LANGUAGE sql AS $$ SELECT regexp_replace(string_agg("
            "query_to_xml(format('SELECT to_jsonb(t) - ''{n,number,statement,superseded,renewals,asked_until}''::text[]"
            " AS row FROM %I AS t ORDER BY 1', tablename), true, true, tablename)::text, '' ORDER BY tablename),"
            " '(x7301[0-9a-f]{16})[0-9a-f]+', '\\1', 'g') FROM pg_tables WHERE schemaname = current_schema() $$");
        for (auto& connection : connections_) {
            auto opened = clock.run(Connection::open(waits_.emplace_back(io.get_executor(), clock), built_client(),
                                                     schema_.session_options().connection, nullptr));
            EXPECT_TRUE(opened.has_value()) << opened.error();
            connection = std::move(*opened);
        }
        for (auto& standing : standings_)
            standing.turn = clock.make_timer();
    }

    void begin_anew() {
        clock.shift_wall(began_ - clock.wall());
        random = SeededRandom();
        (void)told("SELECT begin_anew()");
        standings_[0].goes_freely = standings_[1].goes_freely = true;
        // Another gateway has done this and given it back, under a key that has one after it.
        journal = gateway("before", 0, {first_key});
        settled = full("settled");
        (void)full("free", Family::esim, false);
        ask(journal->cancel_key("caixa-01", "cancelled"));
        key.day = day("2026-11-20");
        earlier =
            ask(journal->begin_close({.estabelecimento = "12345678", .day = day("2026-11-19")}, clock.wall(), ""));
        earlier->totals = "{}";
        earlier->digest = std::string(64, 'a');
        finding.sale = settled->id;
        finding.id_externo = settled->current().id_externo.str();
        ask(journal->keep_statement({.day = key.day, .source = "file", .digest = "before"}, {finding}));
        ask(journal->chain()->give_back());
        of_each.clear();
        commands.clear();
        for (std::size_t who : {0u, 1u}) {
            gateways_[who] = gateway(who == 0 ? "a" : "b", who, {second_key, first_key});
            auto watched = sale("watched " + std::to_string(who));
            watched.duplicate_check = {.likeness = Secret("1"), .window = std::chrono::minutes(5)};
            of_each.push_back({sale("k"), std::move(watched), sale("open " + std::to_string(who))});
            ask(gateways_[who]->begin(of_each[who].open));
            commands.push_back({.sale = of_each[who].open.id, .event = CancelAsked{}});
        }
        left = ask(gateways_[1]->forward_command(commands[0]));
    }

    // Returns what both tell, and what the tables have then, if the turns go as `order` says; what was chosen beyond it
    // is added to it.
    std::string run(const Jobs& jobs, Order& order) {
        begin_anew();
        for (auto& standing : standings_)
            standing.goes_freely = standing.has_ended = false;
        for (std::size_t who : {0u, 1u})
            start(jobs, who);
        run_until([&] { return stands(0) && stands(1); });
        std::array<bool, 2> asleep{};  // whatever it did now would have the same result as an order that was tried
        for (std::size_t step = 0; !standings_[0].has_ended && !standings_[1].has_ended; ++step) {
            if (step == order.size())
                order.push_back({.who = asleep[0] ? 1u : 0u, .other_is_open = !asleep[0] && !asleep[1]});
            const auto [who, other_is_open, other_was_tried] = order[step];
            const auto other = 1 - who;
            asleep[other] = asleep[other] || other_was_tried;
            const auto done = standings_[who].next;
            if (!let_on(who)) break;
            if (done.depends_on(standings_[other].next)) asleep[other] = false;
        }
        for (auto& standing : standings_) {
            standing.goes_freely = true;
            standing.waits = false;
            standing.turn->notify();
        }
        run_until([&] { return standings_[0].has_ended && standings_[1].has_ended; });
        return outcome(jobs);
    }
    std::string run_one_after_the_other(const Jobs& jobs, std::size_t first) {
        begin_anew();
        for (const auto who : {first, 1 - first})
            run_alone(jobs, who);
        return outcome(jobs);
    }

    ChainJournal& by(std::size_t who) { return *gateways_[who]; }
    WallTime now() const { return clock.wall(); }
    Change end_of(const Sale& open) {
        auto change = change_to(open, AttemptState::cancelled);
        change.day = key.day;
        return change;
    }

    struct OfEach {
        Sale fresh, watched, open;
    };
    std::vector<OfEach> of_each;
    std::optional<Sale> settled;
    CloseKey key{.estabelecimento = "12345678", .day = {}};
    std::optional<Close> earlier;
    Finding finding{.kind = FindingKind::missing_there};
    std::vector<ForwardedCommand> commands;
    std::int64_t left = 0;

  private:
    std::unique_ptr<SteppedJournal> gateway(const std::string& name, std::size_t who, std::vector<Secret> keys) {
        randoms_[who] = SeededRandom(static_cast<unsigned char>(name.front()));
        auto made = std::make_unique<SteppedJournal>(*connections_[who], standings_[who], tables_, clock,
                                                     std::move(keys), name, randoms_[who]);
        const auto begun = clock.run(made->leases().begin());
        EXPECT_TRUE(begun.has_value()) << begun.error();
        clock.run(renewed(*made));
        ask(made->use_key());
        return made;
    }
    static boost::asio::awaitable<bool> renewed(ChainJournal& journal) {
        co_await journal.renew_lease();
        co_return true;
    }
    void start(const Jobs& jobs, std::size_t who) {
        standings_[who].has_ended = false;
        const auto ended = [this, who](const std::exception_ptr& failure, std::string told) {
            EXPECT_FALSE(failure);
            told_[who] = std::move(told);
            standings_[who].has_ended = true;
        };
        boost::asio::co_spawn(io, jobs[who].run(*this, who), ended);
    }
    void run_alone(const Jobs& jobs, std::size_t who) {
        start(jobs, who);
        run_until([&] { return standings_[who].has_ended; });
    }
    bool stands(std::size_t who) const { return standings_[who].has_ended || standings_[who].waits; }
    // Returns false if it waits for what the other one has locked.
    bool let_on(std::size_t who) {
        standings_[who].waits = false;
        standings_[who].turn->notify();
        while (!stands(who)) {
            io.restart();
            if (io.run_one_for(std::chrono::milliseconds(2)) == 0 && !stands(who) &&
                !told("SELECT pid FROM pg_locks WHERE NOT granted").empty())
                return false;
        }
        return true;
    }
    void run_until(const std::function<bool()>& condition) {
        while (!condition()) {
            io.restart();
            io.run_one();
        }
    }
    Rows told(const char* sql) {
        const std::array commands{Command{{"", sql}, nullptr}};
        auto exchanged = clock.run(connections_[2]->exchange(commands, Duration(60'000)));
        EXPECT_EQ(exchanged.rows.size(), 1u) << connections_[2]->take_refusal();
        return std::move(exchanged.rows.front());
    }
    std::string outcome(const Jobs& jobs) {
        for (std::size_t who : {0u, 1u})
            if (jobs[who].leaves_what_is_locked) run_alone(jobs, who);
        const auto rows = told("SELECT everything()");
        return told_[0] + "\n" + told_[1] + "\n" + std::string(rows.front().text(0));
    }

    JournalSchema schema_;
    std::vector<std::string> tables_;
    std::deque<SocketWait> waits_;
    std::array<std::unique_ptr<Connection>, 3> connections_;
    std::array<Standing, 2> standings_;
    std::array<SeededRandom, 2> randoms_;
    std::array<std::unique_ptr<SteppedJournal>, 2> gateways_;
    std::array<std::string, 2> told_;
    const WallTime began_ = clock.wall();
};

template <class T>
std::string words(const Result<T>& result) {
    return result.has_error() ? result.error().message() : "done";
}
std::string words(const Result<KeyState>& result) {
    if (result.has_error()) return result.error().message();
    if (result->cancelled) return "cancelled";
    if (result->sale) return result->sale->str();
    return result->duplicate_of ? "duplicate of " + result->duplicate_of->str() : "recorded";
}
std::string words(const Result<Close>& result) {
    return result.has_error() ? result.error().message() : std::to_string(result->number) + " " + result->open;
}
std::string words(const Result<Finding>& result) {
    return result.has_error() ? result.error().message() : result->note + " " + result->effect;
}
std::string words(const Result<TokenTurn>& result) {
    return result.has_error() ? result.error().message() : result->is_ours ? "ours" : "not ours";
}

const std::vector<NamedJob> jobs{
    {"begin", [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).begin(w.of_each[i].fresh)); }},
    {"begin_watched",
     [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).begin(w.of_each[i].watched)); }},
    {"record",
     [](World& w, std::size_t i) -> Words {
         const auto change = w.end_of(w.of_each[i].open);
         const HistoryEntry entry{.event = "test"};
         co_return words(co_await w.by(i).record(w.of_each[i].open, change, nullptr, entry));
     }},
    {"reread",
     [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).reread(w.of_each[i].open.id)); }},
    {"cancel_key",
     [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).cancel_key("caixa-01", "k")); }},
    {"keep_callback",
     [](World& w, std::size_t i) -> Words {
         const Secret body("{}");
         co_return words(co_await w.by(i).keep_callback(w.settled->id, "sale", true, body));
     }},
    {"count_receipt",
     [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).count_receipt(*w.settled)); }},
    {"note_receipt",
     [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).note_receipt(*w.settled, "m")); }},
    {"begin_close",
     [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).begin_close(w.key, w.now(), "m")); }},
    {"finish_close",
     [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).finish_close(*w.earlier)); }},
    {"date_old_sales",
     [](World& w, std::size_t i) -> Words {
         const Rules rules;
         co_return words(co_await w.by(i).date_old_sales(rules));
     }},
    {"keep_statement",
     [](World& w, std::size_t i) -> Words {
         const KeptStatement statement{.day = w.key.day, .source = "file", .digest = "d", .reading = "r"};
         const std::vector<Finding> nothing;
         co_return words(co_await w.by(i).keep_statement(statement, nothing));
     }},
    {"close_finding",
     [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).close_finding(1, "n", "m", w.now())); }},
    {"finding_done",
     [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).finding_done(1, "e", true, w.now())); }},
    {"erase_personal",
     [](World& w, std::size_t i) -> Words {
         co_return words(co_await w.by(i).erase_personal(w.now() + std::chrono::hours(1)));
     }},
    {"rotate_keys", [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).rotate_keys()); }},
    {"claim", [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).claim(w.settled->id)); }},
    {"adopt", [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).adopt()); }, true},
    {"give_back", [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).give_back()); }},
    {"renew_lease",
     [](World& w, std::size_t i) -> Words {
         co_await w.by(i).renew_lease();
         co_return w.by(i).may_act() ? "trusted" : "not trusted";
     }},
    {"forward_command",
     [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).forward_command(w.commands[1 - i])); }},
    {"dismiss_command",
     [](World& w, std::size_t i) -> Words {
         co_return words(co_await w.by(i).dismiss_command(w.of_each[0].open.id, w.left));
     }},
    {"save_token",
     [](World& w, std::size_t i) -> Words {
         const std::optional<KeptToken> token = KeptToken{.access = Secret(i == 0 ? "a" : "b")};
         co_return words(co_await w.by(i).save_token(token));
     }},
    {"change_sessions",
     [](World& w, std::size_t i) -> Words {
         const std::string name = i == 0 ? "a" : "b";
         const KeptSession begun{.digest = "new of " + name, .name = name, .role = "look"};
         const KeptSession used{.digest = name};
         const SessionChanges changes{.begun = {begun}, .used = {used}, .ended = {"old of " + name}};
         co_return words(co_await w.by(i).change_sessions(changes));
     }},
    {"claim_token", [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).claim_token()); }},
    {"end_token_turn", [](World& w, std::size_t i) -> Words { co_return words(co_await w.by(i).end_token_turn()); }},
};

class PairsTest : public TestWithParam<std::size_t> {};

TEST_P(PairsTest, EveryOrderEndsAsOneAfterTheOther) {
    static World world;
    int orders = 0;
    for (auto second = GetParam(); second < jobs.size(); ++second) {
        SCOPED_TRACE(jobs[second].name);
        const World::Jobs both{jobs[GetParam()], jobs[second]};
        const std::array one_after_the_other{world.run_one_after_the_other(both, 0),
                                             world.run_one_after_the_other(both, 1)};
        Order order;
        do {
            const auto outcome = world.run(both, order);
            EXPECT_THAT(one_after_the_other, Contains(outcome));
            ++orders;
        } while (next_order(order) && !HasFailure());
    }
    std::cout << "[   orders ] " << orders << '\n';
}

INSTANTIATE_TEST_SUITE_P(Jobs, PairsTest, Range<std::size_t>(0, jobs.size()),
                         [](const auto& info) { return jobs[info.param].name; });

}  // namespace
}  // namespace gateway::postgres::test
