#include "journal/sqlite/recognition.hpp"

#include "base/wall_time.hpp"
#include "journal/after_restore.hpp"
#include "journal/moving_mark.hpp"
#include "journal/rows.hpp"
#include "journal/sqlite/transaction.hpp"
#include "journal/sqlite/write_ahead_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <bit>
#include <chrono>
#include <optional>

namespace gateway {
namespace {

// Returns nothing where the journal remembers no file, or where that cannot be read.
std::optional<FileIdentity> remembered(sqlite::Database& journal) {
    const auto found = journal.ask("SELECT made_at, inode, file_system FROM journal_file");
    if (found.has_error() || found->empty()) return std::nullopt;
    const auto row = found->front();
    if (!row.is_integer(1) || !row.is_integer(2)) return std::nullopt;
    return FileIdentity{.made_at = row.optional_integer(0), .inode = row.integer(1), .file_system = row.integer(2)};
}

Job<void> remember(Transaction& tx, const FileIdentity& file) {
    constexpr Statement put{"", "REPLACE INTO journal_file (one, made_at, inode, file_system) VALUES (1, ?, ?, ?)",
                            Statement::composed};
    tx.run(put, file.made_at, file.inode, file.file_system);
    co_return;
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

// Tells whether the journal has less of the sale than was noted. What cannot be read proves nothing.
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

// Says why the journal is taken for a copy; empty: it is not.
std::string why_a_copy(sqlite::Database& journal, const std::optional<FileIdentity>& was,
                       const std::optional<FileIdentity>& is, const FileLock& lock, bool lost_commits) {
    if (was && is && !are_same(*was, *is)) return in_words(*was, *is);
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

Result<FileIdentity> FileIdentity::of(const std::string& path) {
    struct statx file {};
    struct statfs system {};
    if (::statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_BTIME, &file) != 0 || ::statfs(path.c_str(), &system) != 0)
        return system_error();
    FileIdentity identity{.made_at = {},
                          .inode = static_cast<std::int64_t>(file.stx_ino),
                          .file_system = std::bit_cast<std::int64_t>(system.f_fsid)};
    constexpr std::int64_t nanoseconds_in_a_second = 1'000'000'000;
    if ((file.stx_mask & STATX_BTIME) != 0)
        identity.made_at = file.stx_btime.tv_sec * nanoseconds_in_a_second + file.stx_btime.tv_nsec;
    return identity;
}

bool are_same(const FileIdentity& one, const FileIdentity& other) noexcept {
    if (one.made_at && other.made_at) return one.made_at == other.made_at;
    return one.inode == other.inode && one.file_system == other.file_system;
}

Result<std::int64_t> prepare_copy(sqlite::Database& journal, WallTime now, const std::optional<FileIdentity>& is) {
    return sqlite::commit(journal, [&](Transaction& tx) -> Job<std::int64_t> {
        const auto unsure = co_await after_restore::leave_to_provider(tx, now);
        tx.run("DELETE FROM journal_file");
        if (is) co_await remember(tx, *is);
        co_await moving_mark::remove(tx);
        co_return unsure;
    });
}

Explained<Recognition> recognise(sqlite::Database& journal, const std::optional<FileIdentity>& is, FileLock& lock,
                                 bool lost_commits, WallTime now) {
    const auto was = remembered(journal);
    Recognition found{.why_a_copy = why_a_copy(journal, was, is, lock, lost_commits)};
    if (found.why_a_copy.empty()) {
        // Where the disk has no room for it now, a later start notes it.
        if (is && was != is) (void)sqlite::run_to_end(journal, [&](Transaction& tx) { return remember(tx, *is); });
        return found;
    }
    found.newest = begin_of_newest_sale(journal);
    const auto unsure = prepare_copy(journal, now, is);
    if (unsure.has_error())
        return fmt::format("{}, and it cannot be prepared to be used: {}", found.why_a_copy, journal.message());
    found.unsure = *unsure;
    // The note is removed last: after a crash before this, everything is done again, which makes no difference.
    if (auto forgotten = lock.forget_recorded_sale(); forgotten.has_error()) return forgotten.error().message();
    return found;
}

Explained<void> check_log(const std::string& path, const char* vfs, const FileLock& lock, std::string_view boot) {
    const auto noted = lock.noted_log();
    if (!noted || !lock.run_was_on(boot)) return {};
    const auto fits = does_log_fit(path, vfs, *noted);
    if (fits.has_error()) return fits.error().message();
    if (*fits) return {};
    return fmt::format(
        "a copy was written over it, and {}-wal belongs to the journal that was there before: together they are "
        "neither the one nor the other. Put the copy in its place with sales-gateway restore",
        path);
}

Explained<Recognition> look_for_copy(sqlite::Database& journal, const std::string& path, const FileLock& lock) {
    const auto is = FileIdentity::of(path);
    if (is.has_error()) return is.error().message();
    const auto look = look_at_log(path, nullptr);
    if (look.has_error()) return look.error().message();
    const bool lost_commits = look->has_gap || lock.run_state() == RunState::lost_commits;
    Recognition found{.why_a_copy = why_a_copy(journal, remembered(journal), *is, lock, lost_commits)};
    if (!found.why_a_copy.empty()) journal.leave_log();
    return found;
}

}  // namespace gateway
