#include "journal/sqlite/open_sqlite_journal.hpp"

#include "base/check.hpp"
#include "base/wall_time.hpp"
#include "journal/key_rotation.hpp"
#include "journal/keys.hpp"
#include "journal/moving_mark.hpp"
#include "journal/rows.hpp"
#include "journal/sqlite/backup.hpp"
#include "journal/sqlite/engine.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/sqlite/file_user.hpp"
#include "journal/sqlite/lock_holder.hpp"
#include "journal/sqlite/recognition.hpp"
#include "journal/sqlite/schema.hpp"
#include "journal/sqlite/sqlite_journal.hpp"
#include "journal/sqlite/write_ahead_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

namespace gateway {
namespace {

// Every commit is durable. The engine decides when the pages of the write-ahead log are moved. The log is cut back
// after a burst. Deleted content does not stay readable in the file. The cache has room for the pages of a commit and
// no more, because SQLite searches all of it at most commits.
constexpr const char* settings =
    "PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
    "PRAGMA journal_size_limit = 16777216; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = "
    "-4096; PRAGMA foreign_keys = OFF;";

// A sale flushes three times, so a disk slower than the first time is noticed at the counter. No disk is quicker than
// the second; one that seems so does not flush.
constexpr Duration slow_flush{50};
constexpr std::chrono::microseconds no_flush{20};
constexpr std::size_t flushes_tried = 3;

constexpr std::string_view unfinished_restore =
    "restoring a copy was interrupted; call sales-gateway restore once more";

// Makes sure that only the owner may read the journal and the files beside it. The journal is made before SQLite makes
// it; SQLite gives its mode to the files beside it. Files that an earlier run left are set to that mode here.
Result<void> make_private(const std::string& path) {
    if (auto made = FileLock::make_private(path); made.has_error()) return made;
    for (const auto* ending : log_endings) {
        std::error_code ignored;
        if (!std::filesystem::exists(path + ending, ignored)) continue;
        if (auto made = FileLock::make_private(path + ending); made.has_error()) return made;
    }
    return {};
}

// Says what is in the place of a journal that a gateway has used, where it is no journal at all; empty: it is one. An
// empty journal in its place would sell again with keys that were used, and SQLite removes the log beside an empty
// file.
std::string_view no_journal_at(const std::string& path) {
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(path, unknown);
    if (unknown == std::errc::no_such_file_or_directory) return "missing";
    return !unknown && bytes == 0 ? "empty" : std::string_view();
}

std::string lost_journal(const std::string& path, std::string_view what) {
    return fmt::format(
        "it is {}, and a gateway has sold with it, as {}{} says. Put it back, with the files beside it, or call "
        "sales-gateway restore with the newest backup. Without it the gateway does not know which keys were sold with, "
        "and a till that repeats one of them would have it sold a second time: only where no till will, remove {}{} to "
        "begin with an empty journal",
        what, path, lock_ending, path, lock_ending);
}

// Finds the files besides the journal that a gateway on it has open. SQLite has made its own because the journal was
// read, and keeps them as long as the database lives.
Result<std::vector<sqlite::Engine::SidecarFile>> sidecars_of(const std::string& path, const FileLock& lock) {
    std::vector<sqlite::Engine::SidecarFile> all;
    for (const auto* ending : log_endings) {
        auto file = NamedFile::at(path + ending);
        if (file.has_error()) return file.error();
        all.push_back({ending, std::move(*file)});
    }
    all.push_back({lock_ending, lock.file()});
    return all;
}

// Says why no gateway may start on this path, whatever is in the file; empty: no reason is known.
std::string why_no_place(const std::string& path, const FileLock& notes) {
    if (restore_is_unfinished(path)) return std::string(unfinished_restore);
    const auto what = no_journal_at(path);
    return !what.empty() && notes.notes_journal() ? lost_journal(path, what) : std::string();
}

// Locks the journal against other processes, and checks whether there is one that can be used.
Explained<FileLock> lock_file(const std::string& path) {
    auto lock = FileLock::take(path + lock_ending);
    if (lock.has_error() && lock.error() == errc::journal_in_use)
        return std::string("another sales-gateway process, a gateway or copy-journal, holds it");
    if (lock.has_error()) return lock.error().message();
    if (const auto other = open_by_another_name(path)) return other->message();
    if (auto why = why_no_place(path, *lock); !why.empty()) return why;
    if (auto made = make_private(path); made.has_error()) return made.error().message();
    return std::move(*lock);
}

std::unique_ptr<FieldCipher> cipher_of(const JournalOptions& options) {
    if (options.keys.empty()) return std::make_unique<FieldCipher>();
    CHECK(options.random != nullptr);
    return std::make_unique<FieldCipher>(options.keys, *options.random);
}

// Returns the journal's mark. The error says in words why no gateway starts on the journal; where `cipher` is not null,
// its keys are checked, too.
Explained<std::optional<MovingMark>> look_into(sqlite::Database& database, const MarkedPlace& here,
                                               const FieldCipher* cipher) {
    const auto ours = schema_version(database);
    if (ours.has_error()) return ours.error();
    auto mark = find_mark(database);
    if (mark.has_error()) return mark.error();
    if (auto why = *mark ? why_not_to_start(**mark, here) : std::string(); !why.empty()) return why;
    if (*ours == 0 || cipher == nullptr) return std::move(*mark);
    const auto missing =
        sqlite::run_to_end(database, [&](Transaction& tx) { return key_rotation::missing_key(tx, *cipher); });
    if (missing.has_error()) return database.message();
    if (!missing->empty()) return *missing;
    return std::move(*mark);
}

// Makes sure, before anything is decided on it or told, that what the run before has left in the log is on the disk.
// Returns whether the disk has lost flushed data. `look` is the state of the log before SQLite opened it.
//
// The log is written again only where its visible content may not be on the disk (write_ahead_log.hpp): on the same
// boot of the machine, unless the run before noted that it left a durable log. After a power cut the log shows what the
// disk has; writing it again then would be dangerous, because another power cut in the middle could destroy what was
// durable.
Explained<bool> make_log_durable(sqlite::Database& database, const std::string& path, const char* vfs, FileLock& lock,
                                 std::string_view boot, const LogLook& look) {
    if (const auto begun = database.run("BEGIN IMMEDIATE"); begun.has_error()) {
        const auto why = database.message();
        if (sqlite::is_busy(begun.error())) return why;
        const auto ours = schema_version(database);  // its message says more where the file is no journal
        return ours.has_error() ? ours.error() : why;
    }
    const auto before = lock.run_state();
    const bool again = before != RunState::ended && lock.run_was_on(boot);
    bool lost = before == RunState::lost_commits;
    if (look.has_gap) {  // another program may have been writing during the first look, and cannot write now
        const auto once_more = look_at_log(path, vfs);
        if (once_more.has_error()) return once_more.error().message();
        lost = lost || once_more->has_gap;
    }
    if (const auto made = again ? write_log_again(path, vfs) : flush_log(path, vfs); made.has_error()) {
        // What another program has written may be lost with this flush, whatever the run before noted.
        (void)lock.note_run(lost ? RunState::lost_commits : RunState::begun, boot);
        return made.error().message();
    }
    if (again && is_log_there(path, vfs)) {
        (void)move_log_again(database);
        // Even a start that goes no further leaves a durable log, which the next one need not write again.
        (void)lock.note_run(lost ? RunState::lost_commits : RunState::ended, boot);
    }
    if (database.run("ROLLBACK").has_error()) return database.message();
    return lost;
}

// Begins the log anew at once, or fails: it does not wait for a program that reads the log.
Result<void> begin_log_anew_now(sqlite::Database& database) {
    const auto patience = database.number("PRAGMA busy_timeout");
    if (patience.has_error()) return patience.error();
    (void)database.run("PRAGMA busy_timeout = 0");
    const auto begun = begin_log_anew(database);
    (void)database.run(fmt::format("PRAGMA busy_timeout = {}", *patience).c_str());
    return begun;
}

// Notes that a run begins. Where the disk has lost commits, the log is begun anew before anything else is written;
// otherwise the next start would report what stands behind the gap once more. Where the last commit is not padded, the
// log is begun anew because a power cut during the next commit could tear that one. A full disk has no room for this,
// but must not keep the gateway from telling what was sold: then the error is returned, and nothing may be written. In
// that case the run is noted as ended, because its log is durable, and a start that wrote it again would endanger it as
// much.
Explained<boost::system::error_code> begin_run(sqlite::Database& database, FileLock& lock, std::string_view boot,
                                               bool lost, bool exposed) {
    const auto state = lost ? RunState::lost_commits : RunState::begun;
    if (lost)
        if (const auto noted = lock.note_run(state, boot); noted.has_error())
            return "that the disk has lost commits cannot be noted: " + noted.error().message();
    const auto failed = (lost || exposed ? begin_log_anew_now(database) : Result<void>()).error();
    if (failed && !lost && database.found_no_room(failed)) {
        (void)lock.note_run(RunState::ended, boot);
        return failed;
    }
    if (!failed || sqlite::is_failed_flush(failed)) (void)lock.note_run(state, boot);
    if (!failed) return boost::system::error_code();
    if (sqlite::is_busy(failed))
        return std::string(
            "another program reads it, and until that is done a power cut could take along what its log ends with: let "
            "the program finish, or close it");
    return failed.message();
}

Result<void> use_key(sqlite::Database& database, const FieldCipher& cipher, bool is_exposed) {
    const auto use = [&](Transaction& tx) { return key_rotation::use_key(tx, cipher); };
    return is_exposed ? sqlite::run_to_end(database, use)  // fails where it has something to write
                      : sqlite::commit(database, use);
}

struct OpenedDatabase {
    sqlite::Database database;
    bool lost_commits = false;            // the disk has lost flushed data
    boost::system::error_code exposed{};  // see OpenedFile
};

Explained<OpenedDatabase> open_database(const std::string& path, const JournalOptions& options,
                                        const FieldCipher& cipher, FileLock& lock, std::string_view boot) {
    if (auto fits = check_log(path, options.vfs, lock, boot); fits.has_error()) return fits.error();
    const auto look = look_at_log(path, options.vfs);
    if (look.has_error()) return look.error().message();
    auto database = sqlite::Database::open(path, options.vfs);
    if (database.has_error()) return database.error().message();
    // The page size applies to a new journal; an existing one keeps its own.
    const auto page_size = fmt::format("PRAGMA page_size = {}", sqlite::page_bytes);
    if (database->run(page_size.c_str()).has_error()) return database->message();
    const auto lost = make_log_durable(*database, path, options.vfs, lock, boot, *look);
    if (lost.has_error()) return lost.error();
    // A person who put a copy here with cp has not flushed it.
    if (const auto flushed = flush_database(*database); flushed.has_error()) {
        (void)move_log_again(*database);
        return flushed.error().message();
    }
    const auto note_log = [&] {
        if (const auto base = base_of_log(*database)) (void)lock.note_log(*base);
    };
    // What was noted before a power cut may be untrue after it, and is checked again once this run is noted.
    note_log();
    // Nothing has been changed so far, so that a journal that is refused for its keys can still be used by its own
    // version.
    const auto mark = look_into(*database, {path, false}, &cipher);  // a copy-journal would have the lock
    if (mark.has_error()) return mark.error();
    const auto exposed = begin_run(*database, lock, boot, *lost, look->exposes_last_commit);
    if (exposed.has_error()) return exposed.error();
    // Where nothing may be written, a start that has to write something is refused for lack of room.
    const auto trouble = [&] { return *exposed ? exposed->message() : database->message(); };
    if (*exposed && database->run("PRAGMA query_only = ON").has_error()) return database->message();
    if (auto ready = bring_up_to_date(*database); ready.has_error()) return *exposed ? trouble() : ready.error();
    if (database->run(settings).has_error()) return database->message();
    if (use_key(*database, cipher, exposed->failed()).has_error()) return trouble();
    // The journal was being copied, and what had been copied may change from now on.
    if (*mark && sqlite::run_to_end(*database, moving_mark::remove).has_error()) return trouble();
    // Where the disk has no room for it now, the log grows as it is used.
    const auto grown = !exposed->failed() && is_log_shorter(*database, options.log_bytes)
                           ? grow_log(*database, options.log_bytes)
                           : Result<void>();
    if (grown.has_error() && sqlite::is_failed_flush(grown.error())) return grown.error().message();
    note_log();  // a log that grows from nothing has begun
    reserve_index(*database);
    return OpenedDatabase{std::move(*database), *lost, *exposed};
}

// Measures how long the disk takes to flush a block. A block in a separate file beside the journal is overwritten a few
// times, and the middle time counts; the file is removed at once. Returns nothing where no such file can be made now.
std::optional<std::chrono::nanoseconds> try_flush(const std::string& path, const Clock& clock) {
    const auto name = path + ".flush-trial";
    (void)::unlink(name.c_str());  // an earlier start that was killed may have left it
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) return std::nullopt;
    (void)::unlink(name.c_str());
    const std::vector<char> block(sqlite::page_bytes);
    const auto write = [&] {
        return ::pwrite(file, block.data(), block.size(), 0) == static_cast<ssize_t>(block.size()) &&
               ::fdatasync(file) == 0;
    };
    bool written = write();  // the first write is slower, because the file grows
    std::array<std::chrono::nanoseconds, flushes_tried> took{};
    for (auto& one : took) {
        const auto begun = clock.now();
        written = written && write();
        one = clock.now() - begun;
    }
    ::close(file);
    std::ranges::sort(took);
    return written ? std::optional(took.at(took.size() / 2)) : std::nullopt;
}

// Tells the operator about a slow disk, or one that does not flush, before either does harm.
void say_how_it_flushes(Log& log, const std::string& path, const Clock& clock) {
    const auto took = try_flush(path, clock);
    if (!took) return;  // the first sale will report it
    const auto ms = std::chrono::duration<double, std::milli>(*took).count();
    if (*took > slow_flush)
        log.warn(
            "journal.slow_disk", "{detail}",
            {{"detail", fmt::format("the journal's disk takes {:.0f} ms to flush, and a sale waits for three flushes. "
                                    "An SSD, or a better card, is felt at the tills",
                                    ms)}});
    if (*took < no_flush)
        log.warn(
            "journal.disk_does_not_flush", "{detail}",
            {{"detail", fmt::format("the journal's disk says that it flushes in {:.3f} ms, which none does: a power "
                                    "cut may lose sales that were told to tills. Put the journal on a disk that "
                                    "keeps what was flushed, not into memory",
                                    ms)}});
}

void say_taken_for_copy(Log& log, const std::string& path, const Recognition& found) {
    const auto newest = found.newest
                            ? fmt::format("The last sale that it knows was begun at {}", to_rfc3339(*found.newest))
                            : std::string("It knows no sale");
    const auto detail = fmt::format(
        "the journal {}: {}. It is taken for a copy that does not know what happened since, as if sales-gateway "
        "restore had installed it. {}. What it holds open is never confirmed, only cancelled, and marked restored for "
        "a person. A till that repeats a key of later has it sold a second time: stop the gateway, and read in "
        "docs/backup.md what to do, in this order",
        path, found.why_a_copy, newest);
    log.error("journal.restored", "{detail} (sales whose end is not known: {unsureSales})",
              {{"unsureSales", found.unsure}, {"detail", detail}});
}

Explained<OpenedFile> open_file(const std::string& path, const JournalOptions& options, const FieldCipher& cipher,
                                const Clock& clock) {
    OpenedFile opened{.log_bytes = options.log_bytes, .is_file = options.vfs == nullptr};
    if (opened.is_file) {
        auto lock = lock_file(path);
        if (lock.has_error()) return lock.error();
        opened.lock = std::move(*lock);
    } else if (!options.lock_file.empty()) {
        auto lock = FileLock::take(options.lock_file);
        if (lock.has_error()) return lock.error().message();
        opened.lock = std::move(*lock);
    }
    auto database = open_database(path, options, cipher, opened.lock, clock.boot());
    if (database.has_error()) return database.error();
    opened.database = std::move(database->database);
    opened.exposed = database->exposed;
    std::optional<FileIdentity> identity;
    if (opened.is_file) {
        auto sidecars = sidecars_of(path, opened.lock);
        if (sidecars.has_error()) return "a file beside it is gone: " + sidecars.error().message();
        opened.sidecars = std::move(*sidecars);
        const auto known = FileIdentity::of(path);
        if (known.has_error()) return known.error().message();
        identity = *known;
    }
    const auto found = recognise(opened.database, identity, opened.lock, database->lost_commits, clock.wall());
    if (found.has_error()) return found.error();
    if (!found->why_a_copy.empty() && options.log != nullptr) say_taken_for_copy(*options.log, path, *found);
    if (database->lost_commits) (void)opened.lock.note_run(RunState::begun, clock.boot());
    if (!opened.is_file) return opened;
    if (options.log != nullptr) say_how_it_flushes(*options.log, path, clock);
    // Where the disk has no room for the note now, a later start writes it; the journal itself is good.
    (void)opened.lock.note_journal();
    return opened;
}

// Says why no gateway starts on this journal; empty also where that cannot be told now, because another program has it
// locked, or because this one may not read it.
std::string why_none_starts(sqlite::Database& journal, const FieldCipher* cipher) {
    // The first read keeps others from changing what is read after it.
    if (journal.run("BEGIN").has_error()) return {};
    const auto readable = journal.number("SELECT count(*) FROM sqlite_schema");
    if (readable.has_error() && !sqlite::is_damage(readable.error())) return {};
    const auto mark = look_into(journal, {journal.file()}, cipher);
    return mark.has_error() ? mark.error() : std::string();
}

}  // namespace

FileLook look_before_opening(const std::string& path, const FieldCipher* cipher, std::string_view boot) {
    const auto user = user_for(path);
    if (user.has_error()) return {};
    const ActingAs acting(*user);
    FileLook look{.fault = {}, .room = room_beside(path, least_needed_bytes)};
    const auto full = sqlite::full_path(path, nullptr);
    if (full.has_error()) return look;
    look.fault = why_no_place(*full, FileLock::look(*full + lock_ending));
    std::error_code unknown;
    const bool has_something = std::filesystem::is_regular_file(*full, unknown) && no_journal_at(*full).empty();
    if (!look.fault.empty() || !has_something) return look;
    const auto fits = check_log(*full, nullptr, FileLock::look(*full + lock_ending), boot);
    if (fits.has_error()) look.fault = fits.error();
    if (!look.fault.empty()) return look;
    auto journal = sqlite::Database::open_to_read(*full);
    if (journal.has_error()) return look;
    journal->leave_log();
    journal->wait_by([](void*, int) { return 0; }, nullptr);
    look.fault = why_none_starts(*journal, cipher);
    const auto needed = needed_for_an_hour(*journal);
    if (look.room && needed.has_value()) look.room->needed_bytes = *needed;
    return look;
}

Explained<std::unique_ptr<Journal>> open_sqlite_journal(boost::asio::any_io_executor executor,
                                                        const JournalOptions& options, Clock& clock) {
    const auto in_words = [&](const std::string& why) {
        const auto room = options.vfs == nullptr ? room_beside(options.path, least_needed_bytes) : std::nullopt;
        const auto also = room && room->is_full() ? "; " + why_no_room(*room) : std::string();
        return fmt::format("the journal {} cannot be used: {}{}", options.path, why, also);
    };
    // A gateway that root starts by hand must not leave files that the gateway's own user cannot use.
    std::optional<ActingAs> acting;
    if (options.vfs == nullptr) {
        const auto user = user_for(options.path);
        if (user.has_error()) return in_words(user.error());
        acting.emplace(*user);
    }
    // Two names of one journal stand for one journal.
    const auto path = sqlite::full_path(options.path, options.vfs);
    if (path.has_error()) return in_words(path.error().message());
    auto cipher = cipher_of(options);
    auto opened = open_file(*path, options, *cipher, clock);
    if (opened.has_error()) return in_words(opened.error());
    const auto noted = sqlite::run_to_end(
        opened->database, [&](Transaction& tx) { return keys::note_prefix(tx, options.id_prefix, clock.wall()); });
    if (noted.has_error()) return in_words(opened->exposed ? opened->exposed.message() : opened->database.message());
    return std::make_unique<SqliteJournal>(std::move(executor), std::move(*opened), std::move(cipher), options.random,
                                           options.durability, clock);
}

}  // namespace gateway
