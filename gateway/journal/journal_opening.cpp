// How the journal is opened: what may be wrong with its file, those beside it and its keys is found out here, and said
// in words.
#include "base/check.hpp"
#include "journal/copy.hpp"
#include "journal/key_rotation.hpp"
#include "journal/schema.hpp"
#include "journal/sqlite_journal.hpp"
#include "journal/write_again.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace gateway {
namespace {

// Durable at every commit; the write-ahead log is cut back after a burst; nothing deleted stays readable in the file. A
// cache as large as the pages of a commit need it: SQLite looks through all of it at most commits.
constexpr const char* settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216;"
    "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096; PRAGMA foreign_keys = OFF;";

using Opened = boost::system::result<std::unique_ptr<SqliteJournal>, std::string>;

constexpr const char* lock_ending = ".lock";

std::string in_words(const std::string& path, const std::string& why) {
    return fmt::format("the journal {} cannot be used: {}", path, why);
}

// Nobody but its owner may read the journal or the files beside it. Made before SQLite makes it, which gives the others
// its mode; those that were left by an earlier run have one of their own.
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
        "sales-gateway restore with the newest backup. Without it the gateway does not know which keys were sold with; "
        "to begin with an empty journal all the same, remove {}{}",
        what, path, lock_ending, path, lock_ending);
}

// The files that a gateway on the journal has open, besides the journal. SQLite has made its own, for there was
// reading, and keeps them as long as the database lives.
Result<std::vector<Writer::SidecarFile>> files_beside(const std::string& path, const FileLock& lock) {
    std::vector<Writer::SidecarFile> all;
    for (const auto* ending : {"-wal", "-shm"}) {
        auto file = NamedFile::at(path + ending);
        if (file.has_error()) return file.error();
        all.push_back({ending, std::move(*file)});
    }
    all.push_back({lock_ending, lock.file()});
    return all;
}

}  // namespace

Opened SqliteJournal::open(boost::asio::any_io_executor executor, const JournalOptions& options, Clock& clock) {
    // Two names of one journal are one journal.
    const auto path = sqlite::full_path(options.path, options.vfs);
    if (path.has_error()) return in_words(options.path, path.error().message());
    FileLock lock;
    if (options.vfs == nullptr) {
        auto taken = FileLock::take(*path + lock_ending);
        if (taken.has_error() && taken.error() == errc::journal_in_use)
            return in_words(options.path, "another sales-gateway is running on it");
        if (taken.has_error()) return in_words(options.path, taken.error().message());
        lock = std::move(*taken);
        if (restore_is_unfinished(*path))
            return in_words(options.path, "restoring a copy was interrupted; call sales-gateway restore once more");
        if (const auto what = no_journal_at(*path); !what.empty() && lock.notes_journal())
            return in_words(options.path, lost_journal(*path, what));
        if (auto made = make_private(*path); made.has_error()) return in_words(options.path, made.error().message());
    }
    if (auto written = write_log_again(*path, options.vfs); written.has_error())
        return in_words(options.path, written.error().message());
    auto database = sqlite::Database::open(*path, options.vfs);
    if (database.has_error()) return in_words(options.path, database.error().message());
    CHECK(options.keys.empty() || options.random != nullptr);
    auto cipher = options.keys.empty() ? std::make_unique<FieldCipher>()
                                       : std::make_unique<FieldCipher>(options.keys, *options.random);
    // Before anything is changed: a journal that is refused for its keys stays one that its own version can use.
    if (auto ours = schema_version(*database); ours.has_error()) return in_words(options.path, ours.error());
    if (auto here = has_keys_of(*database, *cipher); here.has_error()) return in_words(options.path, here.error());
    if (auto ready = bring_up_to_date(*database); ready.has_error()) return in_words(options.path, ready.error());
    if (database->run(settings).has_error()) return in_words(options.path, database->message());
    if (auto agreed = agree_on_keys(*database, *cipher); agreed.has_error())
        return in_words(options.path, agreed.error());
    std::vector<Writer::SidecarFile> beside;
    if (options.vfs == nullptr) {
        auto files = files_beside(*path, lock);
        if (files.has_error()) return in_words(options.path, "a file beside it is gone: " + files.error().message());
        beside = std::move(*files);
        // A disk that has no room for it now gets it at a later start: the journal is there, and is good.
        (void)lock.note_journal();
    }
    return std::unique_ptr<SqliteJournal>(new SqliteJournal(std::move(executor), options, clock, std::move(*database),
                                                            std::move(cipher), std::move(lock), std::move(beside)));
}

}  // namespace gateway
