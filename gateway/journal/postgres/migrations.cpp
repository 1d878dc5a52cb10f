#include "journal/postgres/migrations.hpp"

#include "journal/moving_mark.hpp"
#include "journal/tx.hpp"

#include <fmt/format.h>

namespace gateway::postgres {
namespace {

constexpr Migration embedded[] = {
#include "postgres_migrations.inc"
};

// Only a single statement can be prepared, but a migration has many, so a function runs it.
constexpr std::string_view make_migration_runner =
    "CREATE OR REPLACE FUNCTION pg_temp.run_migration(text) RETURNS void"
    " LANGUAGE plpgsql AS 'BEGIN EXECUTE $1; END'";

Job<std::int64_t> last_seen(Transaction& tx, bool is_ours) {
    if (!is_ours) co_return 0;
    const auto last = co_await tx.ask(sql::last_migration);
    co_return last.front().integer(0);
}

struct Met {
    bool is_ours = false;  // the journal's own tables exist
    std::int64_t seen = 0;
    std::string refusal{};  // empty: it can be brought up to date
};

// The lock keeps others from bringing the database up to date until the transaction ends.
Job<Met> meet(Transaction& tx, std::span<const Migration> known) {
    Met met;
    tx.run(sql::lock_migrations);
    const auto there = co_await tx.ask(sql::look_for_tables);
    met.is_ours = there.front().integer(0) != 0;
    const bool has_tables = there.front().integer(1) != 0;
    met.seen = co_await last_seen(tx, met.is_ours);
    if (!met.is_ours && has_tables)
        met.refusal = "it is another program's database: it has tables, and none of them is the journal's";
    if (met.seen > known.back().number)
        met.refusal = fmt::format(
            "it was written by a newer version of this program (schema {}, this one knows {}): install that version "
            "again",
            met.seen, known.back().number);
    co_return met;
}

// `doing` says to which step a statement belongs that fails.
Job<void> migrate(Transaction& tx, std::span<const Migration> known, const Met& met, std::string& doing) {
    if (!met.is_ours) tx.run(sql::make_migrations);
    for (const auto& migration : known) {
        if (migration.number <= met.seen) continue;
        doing = fmt::format("migration {} failed", migration.name);
        tx.run(make_migration_runner);
        tx.run(sql::run_migration, migration.sql);
        (void)co_await tx.ask(sql::note_migration, migration.number, migration.name);
    }
    doing.clear();
}

}  // namespace

std::span<const Migration> migrations() noexcept {
    return embedded;
}

boost::asio::awaitable<boost::system::result<void, std::string>> bring_up_to_date(Session& session,
                                                                                  std::span<const Migration> known,
                                                                                  Engine::Work with) {
    Met met;
    std::string doing;
    const Engine::Work work = [&](Transaction& tx) -> Job<void> {
        doing.clear();
        met = co_await meet(tx, known);
        if (!met.refusal.empty()) co_return;
        co_await migrate(tx, known, met, doing);
        if (met.seen == 0 && with) co_await with(tx);
    };
    const auto done = co_await session.commit(Engine::Access::alone, work);
    if (!met.refusal.empty()) co_return met.refusal;
    if (!done.has_error()) co_return boost::system::result<void, std::string>();
    if (done.error() == errc::commit_unknown)
        co_return "the server did not say in time that the tables are kept, and may have them";
    co_return doing.empty() ? done.error().message() : fmt::format("{}: {}", doing, done.error().message());
}

boost::asio::awaitable<boost::system::result<void, std::string>> may_start(Session& session, const std::string& url) {
    const MarkedPlace here{url};
    const auto look = [&here](Transaction& tx) -> Job<std::string> {
        auto words = co_await moving_mark::why_not_to_start(tx, here);
        if (!words.empty()) co_return words;
        const auto mark = co_await moving_mark::find(tx);
        if (!mark) co_return std::string();
        const auto held = co_await tx.ask(sql::hold_copying);
        if (held.front().integer(0) != 0) co_return std::string();
        co_return fmt::format(
            "sales-gateway copy-journal is copying it to {} right now: wait until it has ended, or stop it",
            mark->place);
    };
    auto words = co_await session.perform<std::string>(Engine::Access::glance, look);
    if (words.has_error()) co_return words.error().message();
    if (!words->empty()) co_return std::move(*words);
    co_return boost::system::result<void, std::string>();
}

}  // namespace gateway::postgres
