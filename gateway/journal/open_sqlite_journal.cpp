#include "journal/open_sqlite_journal.hpp"

#include "base/check.hpp"
#include "base/wall_time.hpp"
#include "journal/copy.hpp"
#include "journal/file_lock.hpp"
#include "journal/key_rotation.hpp"
#include "journal/log_vfs.hpp"
#include "journal/moving_mark.hpp"
#include "journal/recognition.hpp"
#include "journal/rows.hpp"
#include "journal/schema.hpp"
#include "journal/sqlite_journal.hpp"
#include "journal/wal_format.hpp"
#include "journal/write_again.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace gateway {
namespace {

// Durable at every commit; the writer says when the write-ahead log's pages are moved; the log is cut back after a
// burst; nothing deleted stays readable in the file. A cache as large as the pages of a commit need it: SQLite looks
// through all of it at most commits.
constexpr const char* settings =
    "PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
    "PRAGMA journal_size_limit = 16777216; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = "
    "-4096; PRAGMA foreign_keys = OFF;";

// A sale flushes three times: slower than this it is felt at the counter. No disk is quicker than that: it does not
// flush.
constexpr Duration slow_flush{50};
constexpr std::chrono::microseconds no_flush{20};

template <class T>
using OrWhyNot = boost::system::result<T, std::string>;

constexpr const char* lock_ending = ".lock";

// Only its owner may read the journal and the files beside it. The journal is made before SQLite makes it, which gives
// the others its mode; those that were left by an earlier run have one of their own.
Result<void> make_private(const std::string& path) {
    if (auto made = FileLock::make_private(path); made.has_error()) return made;
    for (const auto* ending : {"-wal", "-shm"}) {
        std::error_code ignored;
        if (!std::filesystem::exists(path + ending, ignored)) continue;
        if (auto made = FileLock::make_private(path + ending); made.has_error()) return made;
    }
    return {};
}

// What is in the place of a journal that a gateway has used, where that is no journal at all; empty: something is. An
// empty journal in its place would sell with keys that were sold with, and SQLite removes the log beside an empty file.
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

// The files that a gateway on the journal has open, besides the journal. SQLite has made its own, for there was
// reading, and keeps them as long as the database lives.
Result<std::vector<Writer::SidecarFile>> sidecars_of(const std::string& path, const FileLock& lock) {
    std::vector<Writer::SidecarFile> all;
    for (const auto* ending : {"-wal", "-shm"}) {
        auto file = NamedFile::at(path + ending);
        if (file.has_error()) return file.error();
        all.push_back({ending, std::move(*file)});
    }
    all.push_back({lock_ending, lock.file()});
    return all;
}

// Keeps other processes from the journal, and looks whether there is one to be used.
OrWhyNot<FileLock> lock_file(const std::string& path) {
    auto lock = FileLock::take(path + lock_ending);
    if (lock.has_error() && lock.error() == errc::journal_in_use)
        return std::string("another sales-gateway is running on it");
    if (lock.has_error()) return lock.error().message();
    if (restore_is_unfinished(path))
        return std::string("restoring a copy was interrupted; call sales-gateway restore once more");
    if (const auto what = no_journal_at(path); !what.empty() && lock->notes_journal()) return lost_journal(path, what);
    if (auto made = make_private(path); made.has_error()) return made.error().message();
    return std::move(*lock);
}

std::unique_ptr<FieldCipher> cipher_of(const JournalOptions& options) {
    if (options.keys.empty()) return std::make_unique<FieldCipher>();
    CHECK(options.random != nullptr);
    return std::make_unique<FieldCipher>(options.keys, *options.random);
}

// See write_again.hpp. Nobody else may write meanwhile: what another program commits between the reading of a piece and
// its writing would be lost.
OrWhyNot<LogLeft> write_log_again_alone(sqlite::Database& database, const std::string& path, const char* vfs) {
    if (const auto begun = database.run("BEGIN IMMEDIATE"); begun.has_error()) {
        const auto why = database.message();
        if (sqlite::is_busy(begun.error())) return why;
        const auto ours = schema_version(database);  // says it better where the file is no journal
        return ours.has_error() ? ours.error() : why;
    }
    const auto left = write_log_again(path, vfs);
    if (left.has_error()) return left.error().message();
    if (database.run("ROLLBACK").has_error()) return database.message();
    return *left;
}

// How many pages the log may have before they are moved: there is room for the commits that come meanwhile.
Result<std::int64_t> most_logged(sqlite::Database& database, std::int64_t log_bytes) {
    const auto page_bytes = database.number("PRAGMA page_size");
    if (page_bytes.has_error()) return page_bytes.error();
    return log_bytes / 16 * 15 / (*page_bytes + wal::frame_header_bytes);
}

struct OpenedDatabase {
    sqlite::Database database;
    LogLeft log_left;
};

OrWhyNot<OpenedDatabase> open_database(const std::string& path, const JournalOptions& options, const LogVfs& log_vfs,
                                       const FieldCipher& cipher) {
    auto database = sqlite::Database::open(path, log_vfs.name());
    if (database.has_error()) return database.error().message();
    // Of one that is made now: what is there keeps its own.
    const auto page_size = fmt::format("PRAGMA page_size = {}", sqlite::page_bytes);
    if (database->run(page_size.c_str()).has_error()) return database->message();
    const auto left = write_log_again_alone(*database, path, options.vfs);
    if (left.has_error()) return left.error();
    // Before anything is changed: a journal that is refused for its keys stays one that its own version can use.
    if (auto ours = schema_version(*database); ours.has_error()) return ours.error();
    const auto mark = moving_mark(*database);
    if (mark.has_error()) return mark.error();
    if (const auto why = *mark ? why_not_to_start(**mark) : std::string(); !why.empty()) return why;
    if (auto here = has_keys_of(*database, cipher); here.has_error()) return here.error();
    if (auto ready = bring_up_to_date(*database); ready.has_error()) return ready.error();
    if (database->run(settings).has_error()) return database->message();
    if (auto agreed = agree_on_keys(*database, cipher); agreed.has_error()) return agreed.error();
    // It was being copied, and what was copied of it may change from now on.
    if (*mark && remove_mark(*database).has_error()) return database->message();
    // On a disk that has no room for it now, the log grows as it is used.
    (void)LogVfs::make_log(*database, options.log_bytes);
    return OpenedDatabase{std::move(*database), *left};
}

// What its owner should know of the disk before it is felt, or needed.
void say_how_it_flushes(Log& log, sqlite::Database& database) {
    if (database.run("BEGIN IMMEDIATE").has_error()) return;
    const auto took = LogVfs::try_flush(database);
    (void)database.run("ROLLBACK");
    if (took.has_error()) return;  // the first sale will say it
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
        "restore "
        "had installed it. {}. What it holds open is never confirmed, only cancelled, and marked restored for a "
        "person. "
        "A till that repeats a key of later has it sold a second time: stop the gateway, and read in BACKUP.md what to "
        "do, in this order",
        path, found.why_a_copy, newest);
    log.error("journal.restored", "{detail} (sales whose end is not known: {unsureSales})",
              {{"unsureSales", found.unsure}, {"detail", detail}});
}

// Of an earlier version's journal. It is as good, only that every sale writes more.
void say_how_large_its_pages_are(Log& log, sqlite::Database& database) {
    const auto bytes = database.number("PRAGMA page_size");
    if (bytes.has_error() || *bytes <= sqlite::page_bytes) return;
    log.info(
        "journal.large_pages", "the journal has large pages: {detail}",
        {{"detail", fmt::format("they have {} bytes, as in earlier versions. sales-gateway compact makes them small "
                                "while the gateway stands still; a sale then writes a third as much to the disk",
                                *bytes)}});
}

// Before the first idExterno has it: a reader of the provider's books is told by it which of them may be ours.
OrWhyNot<void> note_prefix(sqlite::Database& database, const std::string& prefix, WallTime at) {
    if (prefix.empty()) return {};
    sqlite::Statement note(database, "INSERT INTO id_prefixes VALUES (?,?) ON CONFLICT DO NOTHING");
    if (note.run(prefix, rows::milliseconds(at)).has_error()) return database.message();
    return {};
}

OrWhyNot<OpenedFile> open_file(const std::string& path, const JournalOptions& options, const FieldCipher& cipher,
                               const Clock& clock) {
    OpenedFile opened{.vfs = std::make_unique<LogVfs>(options.vfs, clock),
                      .log_bytes = options.log_bytes,
                      .is_file = options.vfs == nullptr};
    if (opened.is_file) {
        auto lock = lock_file(path);
        if (lock.has_error()) return lock.error();
        opened.lock = std::move(*lock);
    }
    auto database = open_database(path, options, *opened.vfs, cipher);
    if (database.has_error()) return database.error();
    opened.database = std::move(database->database);
    const auto pages = most_logged(opened.database, options.log_bytes);
    if (pages.has_error()) return opened.database.message();
    opened.most_logged = *pages;
    if (!opened.is_file) return opened;
    auto sidecars = sidecars_of(path, opened.lock);
    if (sidecars.has_error()) return "a file beside it is gone: " + sidecars.error().message();
    opened.sidecars = std::move(*sidecars);
    const auto found = recognise(opened.database, path, opened.lock, database->log_left, clock.wall());
    if (found.has_error()) return found.error();
    if (!found->why_a_copy.empty() && options.log != nullptr) say_taken_for_copy(*options.log, path, *found);
    if (options.log != nullptr) say_how_it_flushes(*options.log, opened.database);
    if (options.log != nullptr) say_how_large_its_pages_are(*options.log, opened.database);
    // A disk that has no room for the note now gets it at a later start: the journal is there, and is good.
    (void)opened.lock.note_journal();
    return opened;
}

}  // namespace

OrWhyNot<std::unique_ptr<Journal>> open_sqlite_journal(boost::asio::any_io_executor executor,
                                                       const JournalOptions& options, Clock& clock) {
    const auto in_words = [&](const std::string& why) {
        return fmt::format("the journal {} cannot be used: {}", options.path, why);
    };
    // Two names of one journal are one journal.
    const auto path = sqlite::full_path(options.path, options.vfs);
    if (path.has_error()) return in_words(path.error().message());
    auto cipher = cipher_of(options);
    auto opened = open_file(*path, options, *cipher, clock);
    if (opened.has_error()) return in_words(opened.error());
    if (auto noted = note_prefix(opened->database, options.id_prefix, clock.wall()); noted.has_error())
        return in_words(noted.error());
    return std::make_unique<SqliteJournal>(std::move(executor), std::move(*opened), std::move(cipher), options.random,
                                           options.durability, clock);
}

}  // namespace gateway
