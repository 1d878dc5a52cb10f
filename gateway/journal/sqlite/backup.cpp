#include "journal/sqlite/backup.hpp"

#include "base/wall_time.hpp"
#include "journal/after_restore.hpp"
#include "journal/moving_mark.hpp"
#include "journal/rows.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/sqlite/file_user.hpp"
#include "journal/sqlite/recognition.hpp"
#include "journal/sqlite/schema.hpp"
#include "journal/sqlite/transaction.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace gateway {
namespace {

namespace fs = std::filesystem;

// The files of a database are its own and those that SQLite keeps beside it. Their names end with these.
constexpr std::array endings{"", "-wal", "-shm", "-journal"};

// Returns the name from which the last step of a restore moves the new journal into its place. A file with this name
// exists only while restore() exchanges the files.
std::string ready_file(const std::string& journal) {
    return journal + ".restored";
}

// This is a file that is removed with the object, unless it has been given its final name.
class Draft {
  public:
    explicit Draft(std::string path) : path_(std::move(path)) {}
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft() {
        if (kept_) return;
        for (const auto* ending : endings)
            (void)::unlink((path_ + ending).c_str());
    }

    // Makes the file so that only its owner may read it. Fails where another file has the name.
    Explained<void> make() {
        const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor < 0) {
            kept_ = true;  // not ours to remove
            return fmt::format("{} cannot be made: {}", path_, system_error().message());
        }
        ::close(descriptor);
        return {};
    }
    // Renames the file, but never over one that exists.
    Explained<void> rename_to(const std::string& name) {
        int failed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE);
        // On a file system that cannot promise this, it is done in two steps.
        if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) {
            errno = EEXIST;
            if (!fs::exists(name)) failed = ::rename(path_.c_str(), name.c_str());
        }
        return renamed(failed, name);
    }
    // Renames the file over whatever has the name now.
    Explained<void> replace(const std::string& name) { return renamed(::rename(path_.c_str(), name.c_str()), name); }
    const std::string& path() const { return path_; }

  private:
    Explained<void> renamed(int failed, const std::string& name) {
        kept_ = failed == 0;
        if (!kept_) return fmt::format("{} cannot be made: {}", name, system_error().message());
        return {};
    }

    std::string path_;
    bool kept_ = false;
};

// Copies all pages of `from`, as they are at one moment, into one file.
Explained<void> copy_pages(sqlite::Database& from, sqlite::Database& to) {
    sqlite3_backup* const copying = sqlite3_backup_init(to.raw(), "main", from.raw(), "main");
    if (copying == nullptr) return to.message();
    // All pages are copied at once, because a copy in steps begins anew whenever a gateway commits.
    const int stepped = sqlite3_backup_step(copying, -1);
    const int finished = sqlite3_backup_finish(copying);
    if (stepped != SQLITE_DONE) return std::string(sqlite3_errstr(stepped));
    if (finished != SQLITE_OK) return std::string(sqlite3_errstr(finished));
    // The copied pages say that a write-ahead log belongs to them, but a copy is one file.
    if (to.run("PRAGMA journal_mode = DELETE").has_error()) return to.message();
    return {};
}

Explained<void> verify(sqlite::Database& copy) {
    const auto found = copy.ask("PRAGMA integrity_check(1)");
    if (found.has_error() || found->empty()) return copy.message();
    if (const auto words = found->front().text(0); words != "ok") return std::string(words);
    return {};
}

Explained<CopyContents> contents_of(sqlite::Database& copy) {
    const auto sales = copy.number("SELECT count(*) FROM sales");
    const auto open = copy.number("SELECT count(*) FROM sales WHERE settled = 0");
    const auto newest =
        copy.number("SELECT coalesce(max(updated_at), -1) FROM sales WHERE typeof(updated_at) = 'integer'");
    if (sales.has_error() || open.has_error() || newest.has_error()) return copy.message();
    CopyContents contents{.sales = *sales, .open = *open};
    contents.newest = rows::readable_time(*newest);
    return contents;
}

// Says why the file is no journal that this program can use.
Explained<void> trouble_with(sqlite::Database& database) {
    const auto version = schema_version(database);
    if (version.has_error()) return version.error();
    if (*version == 0) return std::string("it is empty");
    return {};
}

// Copies the journal `source` into the draft, flushes the draft and reads it back. Each file is worked on as the user
// that user_for() gave for it.
Explained<CopyContents> copy_journal(const std::string& source, const FileUser& reader, Draft& draft,
                                     const FileUser& writer) {
    const ActingAs reading(reader);
    auto from = sqlite::Database::open_to_read(source);
    if (from.has_error()) return fmt::format("{} cannot be read: {}", source, from.error().message());
    // The transaction keeps every file beside the journal open from the first question to the last.
    if (from->run("BEGIN").has_error()) return fmt::format("{} cannot be read: {}", source, from->message());
    if (auto ours = trouble_with(*from); ours.has_error())
        return fmt::format("{} is no journal that can be copied: {}", source, ours.error());
    const ActingAs writing(writer);
    if (auto made = draft.make(); made.has_error()) return made.error();
    auto to = sqlite::Database::open(draft.path(), nullptr);
    if (to.has_error()) return fmt::format("{} cannot be written: {}", draft.path(), to.error().message());
    if (auto copied = copy_pages(*from, *to); copied.has_error())
        return fmt::format("{} cannot be copied to {}: {}", source, draft.path(), copied.error());
    if (auto verified = verify(*to); verified.has_error())
        return fmt::format("{} is damaged; nothing was copied, and nothing was changed: {}", source, verified.error());
    auto contents = contents_of(*to);
    const auto mark = find_mark(*to);
    if (contents.has_error() || mark.has_error() || !*mark) return contents;
    if (const auto why = why_not_to_start(**mark, {from->file()}); !why.empty())
        contents->warnings.push_back(fmt::format("no gateway starts on {}: {}", from->file(), why));
    return contents;
}

// Brings the journal up to date, and does what restore() does to it.
Explained<Restored> prepare(sqlite::Database& journal, WallTime now) {
    if (auto ready = bring_up_to_date(journal); ready.has_error()) return ready.error();
    auto contents = contents_of(journal);
    if (contents.has_error()) return contents.error();
    const auto unsure = prepare_copy(journal, now, std::nullopt);
    if (unsure.has_error()) return "the copy cannot be prepared: " + journal.message();
    return Restored{.contents = std::move(*contents), .unsure = *unsure, .set_aside = {}};
}

// Renames the journal that is in the place, whole or not, and says its new name in `aside`: empty where there is none.
Explained<void> set_aside(const std::string& journal, WallTime now, std::string& aside) {
    auto stamp = to_rfc3339(now);
    std::erase_if(stamp, [](char c) { return c == ':' || c == '-'; });
    const auto name = journal + ".replaced-" + stamp;
    for (const auto* ending : endings) {
        const auto file = journal + ending;
        if (::rename(file.c_str(), (name + ending).c_str()) == 0)
            aside = name;
        else if (errno != ENOENT)
            return fmt::format("{} cannot be set aside: {}", file, system_error().message());
    }
    return {};
}

// Returns the name of the file that notes which copy was made last; the file's own time says when.
std::string backup_note(const std::string& journal) {
    return journal + ".backup";
}

// Notes the copy for last_backup(). Each time a new file replaces whatever has the name.
Explained<void> note_backup(const std::string& journal, const std::string& file) {
    const auto draft = fmt::format("{}.noting-{}", backup_note(journal), ::getpid());
    const auto writer = user_for(draft);
    if (writer.has_error()) return writer.error();
    const ActingAs writing(*writer);
    Draft note(draft);
    if (auto made = note.make(); made.has_error()) return made;
    std::error_code ignored;
    std::ofstream text(note.path());
    text << fs::absolute(file, ignored).string() << '\n';
    text.close();
    if (!text) return fmt::format("{} cannot be written", note.path());
    return note.replace(backup_note(journal));
}

// Removes what is noted beside a journal, because it is about the journal that was in the place before.
Explained<void> forget_notes(FileLock& lock, const std::string& journal) {
    auto forgotten = lock.note_run(RunState::begun, {});
    if (!forgotten.has_error()) forgotten = lock.forget_recorded_sale();
    if (forgotten.has_error())
        return fmt::format("{}.lock cannot be written: {}", journal, forgotten.error().message());
    return {};
}

Explained<FileLock> lock_alone(const std::string& journal) {
    auto lock = FileLock::take(journal + ".lock");
    if (lock.has_error() && lock.error() == errc::journal_in_use)
        return fmt::format("another sales-gateway process, a gateway or copy-journal, holds {}; stop it first",
                           journal);
    if (lock.has_error()) return fmt::format("{}.lock cannot be locked: {}", journal, lock.error().message());
    return std::move(*lock);
}

// Fails where there is no journal with this name.
Explained<void> look_for(const std::string& journal) {
    std::error_code hidden;
    const bool there = fs::exists(journal, hidden);
    if (hidden) return fmt::format("{} cannot be read: {}", journal, hidden.message());
    if (!there) return fmt::format("there is no journal {}", journal);
    return {};
}

// Returns the full name of an existing journal, with all links followed.
Explained<std::string> journal_in_place(const std::string& name) {
    using boost::system::in_place_error;
    auto full = sqlite::full_path(name, nullptr);
    if (full.has_error()) return {in_place_error, fmt::format("{} cannot be found: {}", name, full.error().message())};
    if (auto there = look_for(name); there.has_error()) return {in_place_error, there.error()};
    return {boost::system::in_place_value, std::move(*full)};
}

MarkedPlace marked_place(const std::string& file) {
    const auto full = sqlite::full_path(file, nullptr);
    const auto& name = full.has_error() ? file : *full;
    return {name, is_in_use(name)};
}

}  // namespace

bool is_in_use(const std::string& journal) {
    const auto user = user_for(journal);
    if (user.has_error()) return false;
    const ActingAs acting(*user);
    std::error_code hidden;
    const auto file = journal + ".lock";
    if (!fs::exists(file, hidden) || hidden) return false;
    const auto lock = FileLock::take(file);
    return lock.has_error() && lock.error() == errc::journal_in_use;
}

Explained<CopyContents> contents_of_journal(const std::string& name, std::string_view boot) {
    const auto user = user_for(name);
    if (user.has_error()) return user.error();
    const ActingAs acting(*user);
    const auto journal = journal_in_place(name);
    if (journal.has_error()) return journal.error();
    if (auto fits = check_log(*journal, nullptr, FileLock::look(*journal + ".lock"), boot); fits.has_error())
        return fmt::format("{} cannot be used: {}", name, fits.error());
    auto database = sqlite::Database::open_to_read(*journal);
    if (database.has_error()) return fmt::format("{} cannot be read: {}", name, database.error().message());
    return contents_of(*database);
}

Explained<Restored> mark_restored(const std::string& name, WallTime now, std::string_view boot) {
    const auto user = user_for(name);
    if (user.has_error()) return user.error();
    const ActingAs acting(*user);
    const auto journal = journal_in_place(name);
    if (journal.has_error()) return journal.error();
    auto lock = lock_alone(*journal);
    if (lock.has_error()) return lock.error();
    if (auto fits = check_log(*journal, nullptr, *lock, boot); fits.has_error())
        return fmt::format("{} cannot be used: {}", name, fits.error());
    auto database = sqlite::Database::open(*journal, nullptr);
    if (database.has_error()) return fmt::format("{} cannot be opened: {}", name, database.error().message());
    auto restored = prepare(*database, now);
    if (restored.has_error()) return restored;
    // The notes are about the journal that this one was restored from, or that was overwritten.
    if (auto forgotten = forget_notes(*lock, *journal); forgotten.has_error()) return forgotten.error();
    return restored;
}

bool restore_is_unfinished(const std::string& journal) {
    std::error_code ignored;
    return fs::exists(ready_file(journal), ignored);
}

Explained<CopyContents> back_up(const std::string& journal, const std::string& file, std::string_view boot) {
    if (auto there = look_for(journal); there.has_error()) return there.error();
    std::error_code ignored;
    if (fs::exists(file, ignored)) return fmt::format("{} is there already; nothing is ever overwritten", file);
    const auto reader = user_for(journal);
    if (reader.has_error()) return reader.error();
    const auto writer = user_for(file);
    if (writer.has_error()) return writer.error();
    {
        const ActingAs reading(*reader);
        const auto full = sqlite::full_path(journal, nullptr);
        if (full.has_error()) return fmt::format("{} cannot be found: {}", journal, full.error().message());
        if (auto fits = check_log(*full, nullptr, FileLock::look(*full + ".lock"), boot); fits.has_error())
            return fmt::format("{} cannot be copied: {}", journal, fits.error());
    }
    const ActingAs writing(*writer);
    Draft draft(fmt::format("{}.partial-{}", file, ::getpid()));
    auto contents = copy_journal(journal, *reader, draft, *writer);
    if (contents.has_error()) return contents;
    if (auto named = draft.rename_to(file); named.has_error()) return named.error();
    if (auto flushed = flush_folder_of(file); flushed.has_error()) return flushed.error();
    if (auto noted = note_backup(journal, file); noted.has_error())
        contents->warnings.push_back("the console will not know of this copy: " + noted.error());
    return contents;
}

std::optional<WallTime> last_backup(const std::string& journal) {
    std::error_code error;
    const auto at = fs::last_write_time(backup_note(journal), error);
    if (error) return std::nullopt;
    return std::chrono::floor<Duration>(std::chrono::file_clock::to_sys(at));
}

Explained<Restored> restore(const std::string& file, const std::string& journal_name, WallTime now) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return fmt::format("there is no copy {}", file);
    if (fs::equivalent(file, journal_name, ignored)) return fmt::format("{} is the journal itself", file);
    const auto reader = user_for(file);
    if (reader.has_error()) return reader.error();
    const auto writer = user_for(journal_name);
    if (writer.has_error()) return writer.error();
    const ActingAs acting(*writer);
    // Links are followed and stay, so that the gateway finds the journal through them, and finds the same lock file.
    const auto full = sqlite::full_path(journal_name, nullptr);
    if (full.has_error()) return fmt::format("{} cannot be found: {}", journal_name, full.error().message());
    const auto& journal = *full;
    auto lock = lock_alone(journal);
    if (lock.has_error()) return lock.error();

    Restored restored;
    Draft draft(fmt::format("{}.restoring-{}", journal, ::getpid()));
    {
        if (auto copied = copy_journal(file, *reader, draft, *writer); copied.has_error()) return copied.error();
        auto fresh = sqlite::Database::open(draft.path(), nullptr);
        if (fresh.has_error()) return fmt::format("{} cannot be opened: {}", draft.path(), fresh.error().message());
        const auto mark = find_mark(*fresh);
        if (mark.has_error()) return mark.error();
        if (*mark && (*mark)->state == MovingMark::State::arriving)
            return fmt::format("{} cannot be restored: {}", file, why_not_to_start(**mark, marked_place(file)));
        auto prepared = prepare(*fresh, now);
        if (prepared.has_error()) return prepared;
        restored = std::move(*prepared);
    }
    // From here on, a crash leaves the ready file, and no gateway starts while it is there. A ready file that an
    // earlier crash left is the same copy or another one; it is replaced by the one that is wanted now.
    if (auto ready = draft.replace(ready_file(journal)); ready.has_error()) return ready.error();
    if (auto flushed = flush_folder_of(journal); flushed.has_error()) return flushed.error();
    const auto unfinished = [&](const std::string& why) {
        return fmt::format("{}; the restore is not finished, and no gateway starts on it: call it again", why);
    };
    // The new journal need not contain the sale that was recorded last in the old one.
    if (auto forgotten = forget_notes(*lock, journal); forgotten.has_error()) return unfinished(forgotten.error());
    if (auto aside = set_aside(journal, now, restored.set_aside); aside.has_error()) return unfinished(aside.error());
    if (::rename(ready_file(journal).c_str(), journal.c_str()) != 0)
        return unfinished(fmt::format("{} cannot be put in its place: {}", journal, system_error().message()));
    if (auto flushed = flush_folder_of(journal); flushed.has_error()) return unfinished(flushed.error());
    return restored;
}

}  // namespace gateway
