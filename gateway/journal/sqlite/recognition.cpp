#include "journal/sqlite/recognition.hpp"

#include "base/wall_time.hpp"
#include "journal/after_restore.hpp"
#include "journal/rows.hpp"
#include "journal/sqlite/file_identity.hpp"
#include "journal/sqlite/transaction.hpp"
#include "journal/sqlite/write_ahead_log.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>

namespace gateway {
namespace {

// Nothing where nothing that can be read was remembered.
std::optional<FileIdentity> remembered(sqlite::Database& journal) {
    const auto found = journal.ask("SELECT made_at, inode, file_system FROM journal_file");
    if (found.has_error() || found->empty()) return std::nullopt;
    const auto row = found->front();
    if (!row.is_integer(1) || !row.is_integer(2)) return std::nullopt;
    return FileIdentity{.made_at = row.optional_integer(0), .inode = row.integer(1), .file_system = row.integer(2)};
}

Result<Rows> remember(sqlite::Database& journal, const FileIdentity& file) {
    return journal.ask("REPLACE INTO journal_file (one, made_at, inode, file_system) VALUES (1, ?, ?, ?)", file.made_at,
                       file.inode, file.file_system);
}

std::string time_of(std::int64_t nanoseconds) {
    return to_rfc3339(WallTime(std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(nanoseconds))));
}

std::string in_words(const FileIdentity& was, const FileIdentity& is) {
    constexpr std::string_view other = "its file is not the one that a gateway used last";
    if (was.made_at && is.made_at)
        return fmt::format("{}: that one was made at {}, and this one at {}", other, time_of(*was.made_at),
                           time_of(*is.made_at));
    return fmt::format("{}: that one had the number {} on file system {:x}, and this one has {} on {:x}", other,
                       was.inode, static_cast<std::uint64_t>(was.file_system), is.inode,
                       static_cast<std::uint64_t>(is.file_system));
}

// Whether the journal has less of the sale than was noted of it. Of what cannot be read nothing is known.
bool lacks(sqlite::Database& journal, const RecordedSale& noted) {
    const auto found = journal.ask("SELECT length(story), story FROM sales WHERE id = ?", noted.id.text());
    if (found.has_error()) return false;
    return found->empty() || (found->front().is_text(1) && found->front().integer(0) < noted.history);
}

std::optional<WallTime> begin_of_newest_sale(sqlite::Database& journal) {
    const auto at = journal.number("SELECT created_at FROM sales ORDER BY n DESC LIMIT 1");
    if (at.has_error() || *at == 0) return std::nullopt;
    return rows::readable_time(*at);
}

// Why the journal is taken for a copy; empty: it is not.
std::string why_a_copy(sqlite::Database& journal, const std::optional<FileIdentity>& was, const FileIdentity& is,
                       const FileLock& lock, bool lost_commits) {
    if (was && !are_same(*was, is)) return in_words(*was, is);
    if (lost_commits)
        return "its disk has lost what it had flushed: commits are missing in its write-ahead log, and later ones "
               "stand behind them. Replace that disk";
    const auto noted = lock.recorded_sale();
    if (!noted || !lacks(journal, *noted)) return {};
    return fmt::format(
        "it is older than it was: the .lock file beside it says that sale {} was recorded, which it does not hold "
        "as it was recorded then",
        noted->id.text());
}

}  // namespace

boost::system::result<Recognition, std::string> recognise(sqlite::Database& journal, const std::string& path,
                                                          FileLock& lock, bool lost_commits, WallTime now) {
    const auto is = FileIdentity::of(path);
    if (is.has_error()) return is.error().message();
    const auto was = remembered(journal);
    Recognition found{.why_a_copy = why_a_copy(journal, was, *is, lock, lost_commits)};
    if (found.why_a_copy.empty()) {
        // A disk that has no room for it now gets it at a later start.
        if (was != *is) (void)remember(journal, *is);
        return found;
    }
    found.newest = begin_of_newest_sale(journal);
    const auto prepare = [&]() -> Result<void> {
        if (auto r = journal.run("BEGIN IMMEDIATE"); r.has_error()) return r;
        const auto unsure =
            sqlite::run_to_end(journal, [&](Transaction& tx) { return after_restore::leave_to_provider(tx, now); });
        if (unsure.has_error()) return unsure.error();
        found.unsure = *unsure;
        if (auto r = remember(journal, *is); r.has_error()) return r.error();
        return journal.run("COMMIT");
    };
    if (prepare().has_error())
        return fmt::format("{}, and it cannot be prepared to be used: {}", found.why_a_copy, journal.message());
    // Only now: a crash before this line has all of it done once more, which changes nothing that matters.
    if (auto forgotten = lock.forget_recorded_sale(); forgotten.has_error()) return forgotten.error().message();
    return found;
}

boost::system::result<Recognition, std::string> look_for_copy(sqlite::Database& journal, const std::string& path,
                                                              const FileLock& lock) {
    const auto is = FileIdentity::of(path);
    if (is.has_error()) return is.error().message();
    const auto look = look_at_log(path, nullptr);
    if (look.has_error()) return look.error().message();
    const bool lost_commits = look->has_gap || lock.run_state() == RunState::lost_commits;
    Recognition found{.why_a_copy = why_a_copy(journal, remembered(journal), *is, lock, lost_commits)};
    if (!found.why_a_copy.empty()) journal.leave_log();
    return found;
}

boost::system::result<void, std::string> remember_file(sqlite::Database& journal, const std::string& path) {
    const auto is = FileIdentity::of(path);
    if (is.has_error()) return is.error().message();
    if (remember(journal, *is).has_error()) return journal.message();
    return {};
}

Result<void> forget_identity(sqlite::Database& journal) {
    return journal.run("DELETE FROM journal_file");
}

}  // namespace gateway
