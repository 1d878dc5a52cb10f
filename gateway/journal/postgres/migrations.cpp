#include "journal/postgres/migrations.hpp"

#include <fmt/format.h>

namespace gateway::postgres {
namespace {

constexpr Migration embedded[] = {
#include "postgres_migrations.inc"
};

constexpr Statement lock_migrations{"lock_migrations",
                                    "SELECT pg_advisory_xact_lock(hashtextextended('sales-gateway migrations', 0))"};
constexpr Statement look_for_tables{"look_for_tables",
                                    "SELECT to_regclass('journal_migrations') IS NOT NULL,"
                                    " EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema())"};
constexpr Statement make_migrations{"make_migrations",
                                    "CREATE TABLE journal_migrations (number integer PRIMARY KEY, name text NOT NULL)"};
constexpr Statement last_migration{"last_migration", "SELECT coalesce(max(number), 0) FROM journal_migrations"};
// What is prepared is one statement; a migration is many.
constexpr Statement make_runner{"make_migration_runner",
                                "CREATE OR REPLACE FUNCTION pg_temp.run_migration(text) RETURNS void"
                                " LANGUAGE plpgsql AS 'BEGIN EXECUTE $1; END'"};
constexpr Statement run_migration{"run_migration", "SELECT pg_temp.run_migration($1)"};
constexpr Statement note_migration{"note_migration", "INSERT INTO journal_migrations VALUES ($1::integer, $2)"};

// One bringing up to date; what is the matter is put into `words`.
class Migrating {
  public:
    using Work = std::function<Awaited<void>(Transaction&)>;

    Migrating(std::span<const Migration> known, const Work& with, std::string& words)
        : known_(known), with_(with), words_(words) {}

    Awaited<void> work(Transaction& transaction) {
        const auto seen = co_await last_seen(transaction);
        if (seen.has_error()) co_return seen.error();
        if (*seen > known_.back().number) {
            words_ = fmt::format(
                "it was written by a newer version of this program (schema {}, this one knows {}): install that "
                "version "
                "again",
                *seen, known_.back().number);
            co_return errc::journal_foreign;
        }
        for (const auto& migration : known_) {
            if (migration.number <= *seen) continue;
            const auto applied = co_await apply(transaction, migration);
            if (applied.has_error()) co_return applied.error();
        }
        if (*seen == 0 && with_) co_return co_await with_(transaction);
        co_return Result<void>();
    }

  private:
    Awaited<std::int64_t> last_seen(Transaction& transaction) {
        const auto locked = co_await transaction.run(lock_migrations, Parameters());
        if (locked.has_error()) co_return failed(locked.error());
        const auto there = co_await transaction.run(look_for_tables, Parameters());
        if (there.has_error()) co_return failed(there.error());
        const bool is_ours = (*there)[0].integer(0) != 0;
        const bool has_tables = (*there)[0].integer(1) != 0;
        if (!is_ours && has_tables) {
            words_ = "it is another program's database: it has tables, and none of them is the journal's";
            co_return Result<std::int64_t>(errc::journal_foreign);
        }
        if (!is_ours) {
            const auto made = co_await transaction.run(make_migrations, Parameters());
            if (made.has_error()) co_return failed(made.error());
        }
        const auto last = co_await transaction.run(last_migration, Parameters());
        if (last.has_error()) co_return failed(last.error());
        co_return (*last)[0].integer(0);
    }
    Result<std::int64_t> failed(const boost::system::error_code& error) {
        words_ = error.message();
        return failure<std::int64_t>(error);
    }
    Awaited<void> apply(Transaction& transaction, const Migration& migration) {
        Parameters text;
        text.add(migration.sql);
        Parameters name;
        name.add(migration.number).add(migration.name);
        auto ran = co_await transaction.run(make_runner, Parameters());
        if (!ran.has_error()) ran = co_await transaction.run(run_migration, std::move(text));
        if (!ran.has_error()) ran = co_await transaction.run(note_migration, std::move(name));
        if (!ran.has_error()) co_return Result<void>();
        words_ = fmt::format("migration {} failed: {}", migration.name, ran.error().message());
        co_return ran.error();
    }

    std::span<const Migration> known_;
    const Work& with_;
    std::string& words_;
};

}  // namespace

std::span<const Migration> migrations() noexcept {
    return embedded;
}

boost::asio::awaitable<boost::system::result<void, std::string>> bring_up_to_date(Session& session,
                                                                                  std::span<const Migration> known,
                                                                                  Migrating::Work with) {
    std::string words;
    Migrating migrating(known, with, words);
    const Migrating::Work work = [&](Transaction& transaction) { return migrating.work(transaction); };
    const auto done = co_await session.transaction(work);
    if (!done.has_error()) co_return boost::system::result<void, std::string>();
    if (words.empty() && done.error() == errc::commit_unknown)
        co_return "the server did not say in time that the tables are kept, and may have them";
    co_return words.empty() ? done.error().message() : words;
}

namespace {

constexpr Statement look_at_mark{"look_at_mark", "SELECT state, copy, place, at FROM moving"};

using Allowed = boost::system::result<void, std::string>;

// What the mark says, and whether a copy is being made right now.
Awaited<void> look_in(Transaction& transaction, const std::string& url, std::string& words) {
    const auto found = co_await transaction.run(look_at_mark, Parameters());
    if (found.has_error()) co_return found.error();
    if (found->empty()) co_return Result<void>();
    const auto mark = read_mark((*found)[0]);
    words = why_not_to_start(mark, {url});
    if (!words.empty()) co_return Result<void>();
    const auto held = co_await transaction.run(hold_copying, Parameters());
    if (held.has_error()) co_return held.error();
    if ((*held)[0].integer(0) == 0)
        words =
            fmt::format("sales-gateway copy-journal is copying it to {} right now: wait until it has ended, or stop it",
                        mark->place);
    co_return Result<void>();
}

}  // namespace

Awaited<std::string> why_not_to_start(Transaction& transaction, const std::string& url) {
    const auto found = co_await transaction.run(look_at_mark, Parameters());
    if (found.has_error()) co_return found.error();
    co_return found->empty() ? std::string() : gateway::why_not_to_start(read_mark((*found)[0]), {url});
}

boost::asio::awaitable<Allowed> may_start(Session& session, const std::string& url) {
    std::string words;
    const std::function<Awaited<void>(Transaction&)> work = [&](Transaction& transaction) {
        return look_in(transaction, url, words);
    };
    const auto looked = co_await session.transaction(work, Session::Told::no);
    if (looked.has_error()) co_return looked.error().message();
    if (!words.empty()) co_return words;
    co_return Allowed();
}

}  // namespace gateway::postgres
