#include "journal/postgres/migrations.hpp"

#include "journal/tx.hpp"

#include <fmt/format.h>

namespace gateway::postgres {
namespace {

constexpr Migration embedded[] = {
#include "postgres_migrations.inc"
};

// What is prepared is one statement; a migration is many.
constexpr std::string_view make_migration_runner =
    "CREATE OR REPLACE FUNCTION pg_temp.run_migration(text) RETURNS void"
    " LANGUAGE plpgsql AS 'BEGIN EXECUTE $1; END'";

// Brings the database up to date in one job; what is the matter is put into `words`.
Job<void> migrate(Transaction& tx, std::span<const Migration> known, const Engine::Work& with, std::string& words) {
    (void)co_await tx.ask(sql::lock_migrations);
    const auto there = co_await tx.ask(sql::look_for_tables);
    const bool is_ours = there.front().integer(0) != 0;
    const bool has_tables = there.front().integer(1) != 0;
    if (!is_ours && has_tables) {
        words = "it is another program's database: it has tables, and none of them is the journal's";
        throw JobFailed(errc::journal_foreign);
    }
    std::int64_t seen = 0;
    if (is_ours) {
        const auto last = co_await tx.ask(sql::last_migration);
        seen = last.front().integer(0);
    }
    if (seen > known.back().number) {
        words = fmt::format(
            "it was written by a newer version of this program (schema {}, this one knows {}): install that version "
            "again",
            seen, known.back().number);
        throw JobFailed(errc::journal_foreign);
    }
    for (const auto& migration : known) {
        if (migration.number <= seen) continue;
        if (!is_ours && &migration == known.data()) tx.run(sql::make_migrations);
        words = fmt::format("migration {} failed", migration.name);
        tx.run(make_migration_runner);
        tx.run(sql::run_migration, migration.sql);
        (void)co_await tx.ask(sql::note_migration, migration.number, migration.name);
        words.clear();
    }
    if (seen == 0 && with) co_await with(tx);
}

}  // namespace

std::span<const Migration> migrations() noexcept {
    return embedded;
}

boost::asio::awaitable<boost::system::result<void, std::string>> bring_up_to_date(Session& session,
                                                                                  std::span<const Migration> known,
                                                                                  Engine::Work with) {
    std::string words;
    const Engine::Work work = [&](Transaction& tx) { return migrate(tx, known, with, words); };
    const auto done = co_await session.commit(Engine::Access::alone, work);
    if (!done.has_error()) co_return boost::system::result<void, std::string>();
    if (done.error() == errc::journal_foreign) co_return words;
    if (done.error() == errc::commit_unknown)
        co_return "the server did not say in time that the tables are kept, and may have them";
    co_return words.empty() ? done.error().message() : fmt::format("{}: {}", words, done.error().message());
}

Job<std::string> why_not_to_start(Transaction& tx, const std::string& url) {
    const auto found = co_await tx.ask(sql::moving_mark);
    co_return found.empty() ? std::string() : gateway::why_not_to_start(read_mark(found.front()), {url});
}

boost::asio::awaitable<boost::system::result<void, std::string>> may_start(Session& session, const std::string& url) {
    const auto look = [&url](Transaction& tx) -> Job<std::string> {
        const auto found = co_await tx.ask(sql::moving_mark);
        if (found.empty()) co_return std::string();
        const auto mark = read_mark(found.front());
        auto words = gateway::why_not_to_start(mark, {url});
        const auto held = co_await tx.ask(sql::hold_copying);
        if (words.empty() && held.front().integer(0) == 0)
            words = fmt::format(
                "sales-gateway copy-journal is copying it to {} right now: wait until it has ended, or stop it",
                mark->place);
        co_return words;
    };
    auto words = co_await session.perform<std::string>(Engine::Access::glance, look);
    if (words.has_error()) co_return words.error().message();
    if (!words->empty()) co_return std::move(*words);
    co_return boost::system::result<void, std::string>();
}

}  // namespace gateway::postgres
