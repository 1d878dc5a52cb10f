#include "journal/copy/sqlite_place.hpp"

#include "journal/sqlite/backup.hpp"
#include "journal/sqlite/placing.hpp"
#include "journal/sqlite/recognition.hpp"
#include "journal/sqlite/schema.hpp"
#include "journal/sqlite/transaction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

namespace gateway::moving {
namespace {

namespace fs = std::filesystem;

std::int64_t size_of(const std::string& file) {
    std::error_code none;
    const auto size = fs::file_size(file, none);
    return none ? 0 : static_cast<std::int64_t>(size);
}

// A batch is safe from a process that is killed, and a power cut takes the last batches at most, never one without
// those before it: they are copied again. What is done for good says so itself. The cache holds the inner pages of the
// indexes, which are written at many places.
constexpr const char* settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
    "PRAGMA foreign_keys = OFF;";

// The mark of a copy outlasts a power cut, and what it clears does not stay readable.
constexpr const char* settings_of_mark = "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;";

// Begins the transaction that is open until the journal is marked, or the place is gone: nobody else writes meanwhile.
constexpr const char* begin_alone = "BEGIN IMMEDIATE";

}  // namespace

Explained<std::unique_ptr<Place>> SqlitePlace::open(const std::string& path) {
    const auto user = user_for(path);
    if (user.has_error()) return user.error();
    const ActingAs acting(*user);
    const auto full = sqlite::full_path(path, nullptr);
    if (full.has_error()) return fmt::format("{} cannot be found: {}", path, full.error().message());
    const auto lock_file = *full + ".lock";
    std::error_code unknown;
    const auto folder = fs::path(*full).parent_path();
    if (!fs::is_directory(folder, unknown)) return fmt::format("there is no folder {}", folder.string());
    auto lock = FileLock::take(lock_file);
    if (lock.has_error() && lock.error() == errc::journal_in_use)
        return fmt::format("a sales-gateway or another copy-journal is working on {}: stop it first", *full);
    if (lock.has_error()) return fmt::format("{} cannot be locked: {}", lock_file, lock.error().message());
    std::unique_ptr<SqlitePlace> place(new SqlitePlace(*full, *user, std::move(*lock)));
    if (auto opened = place->open_file(); opened.has_error()) return opened.error();
    return std::unique_ptr<Place>(std::move(place));
}

// SQLite removes the files beside the journal where it is the last one on it.
SqlitePlace::~SqlitePlace() {
    const ActingAs acting(user_);
    rows_ = {};
    database_ = {};
}

Done SqlitePlace::open_file() {
    if (restore_is_unfinished(path_))
        return fmt::format("restoring a copy to {} was interrupted; call sales-gateway restore once more", path_);
    if (size_of(path_) == 0) {
        if (size_of(path_ + "-wal") == 0) return {};
        return fmt::format("{0} is not there, and {0}-wal, which belongs to a journal, is: put them together", path_);
    }
    is_there_ = true;
    auto database = sqlite::Database::open(path_, nullptr);
    if (database.has_error()) return fmt::format("{} cannot be opened: {}", path_, database.error().message());
    database_ = std::move(*database);
    const auto ours = schema_version(database_);
    if (ours.has_error()) return fmt::format("{} cannot be used: {}", path_, ours.error());
    return {};
}

std::string SqlitePlace::trouble(const boost::system::error_code& failed) const {
    if (database_.found_no_room(failed)) return fmt::format("{}: {}", path_, no_room());
    // The end of a statement may have taken SQLite's own words along.
    const bool is_known = sqlite3_errcode(database_.raw()) != SQLITE_OK;
    return fmt::format("{}: {}", path_, is_known ? database_.message() : failed.message());
}

std::optional<DiskRoom> SqlitePlace::room() const {
    auto room = room_beside(path_, std::max(expected_bytes_, least_needed_bytes));
    if (room && expected_bytes_ > 0) room->needed_for = "the journal that is copied";
    return room;
}

std::string SqlitePlace::no_room() const {
    const auto found = room();
    return found ? why_no_room(*found) : "the disk is full";
}

// These are the words that a gateway says, too, when it does not start.
std::string SqlitePlace::cannot_be_used(const std::string& why) const {
    const auto found = room();
    const auto also = found && found->is_full() ? "; " + in_words(*found) : std::string();
    return fmt::format("{} cannot be used: {}{}", path_, why, also);
}

Done SqlitePlace::run(const char* sql) {
    if (const auto done = database_.run(sql); done.has_error()) return trouble(done.error());
    return {};
}

Result<void> SqlitePlace::note(const MovingMark& mark) {
    return sqlite::run_to_end(database_, [&](Transaction& tx) { return moving_mark::set(tx, mark); });
}

Explained<std::optional<MovingMark>> SqlitePlace::mark() {
    const ActingAs acting(user_);
    if (!is_there_) return std::optional<MovingMark>();
    auto mark = find_mark(database_);
    if (mark.has_error()) return fmt::format("{}: {}", path_, mark.error());
    return mark;
}

Done SqlitePlace::leave(const MovingMark& mark) {
    const ActingAs acting(user_);
    if (!is_there_) return fmt::format("there is no journal {}", path_);
    const auto version = schema_version(database_);
    if (version.has_error() || *version == 0) return fmt::format("{} is empty", path_);
    // Before anything is written: it would be written over what tells that the disk has lost commits.
    const auto copied = look_for_copy(database_, path_, lock_);
    if (copied.has_error()) return fmt::format("{} cannot be used: {}", path_, copied.error());
    if (!copied->why_a_copy.empty())
        return fmt::format(
            "{} is taken for a copy that does not know what happened since ({}). If nothing newer is left, start the "
            "gateway on it once, which marks what is not known for a person, stop it, and move it then",
            path_, copied->why_a_copy);
    if (auto ready = bring_up_to_date(database_); ready.has_error()) return cannot_be_used(ready.error());
    if (auto set = run("PRAGMA synchronous = FULL"); set.has_error()) return set;
    if (const auto set = note(mark); set.has_error()) return trouble(set.error());
    return run(begin_alone);
}

Done SqlitePlace::mark_moved(const MovingMark& mark) {
    const ActingAs acting(user_);
    auto moved = mark;
    moved.state = MovingMark::State::moved;
    if (const auto set = note(moved); set.has_error()) return trouble(set.error());
    return run("COMMIT");
}

// Its write-ahead log is written into it sooner or later.
std::uint64_t SqlitePlace::bytes() {
    const ActingAs acting(user_);
    return static_cast<std::uint64_t>(size_of(path_) + size_of(path_ + "-wal"));
}

Explained<bool> SqlitePlace::is_in_use() {
    const ActingAs acting(user_);
    if (!is_there_) return false;
    const auto version = schema_version(database_);
    if (version.has_error() || *version == 0) return false;
    if (auto ready = bring_up_to_date(database_); ready.has_error()) return cannot_be_used(ready.error());
    for (const auto& table : all_tables()) {
        if (!table.tells_of_use) continue;
        const auto rows = count(table);
        if (rows.has_error()) return rows.error();
        if (*rows > 0) return true;
    }
    return false;
}

// For its owner alone, and there after a power cut.
Done SqlitePlace::make_file() {
    if (auto made = FileLock::make_private(path_); made.has_error())
        return fmt::format("{} cannot be made: {}", path_, made.error().message());
    if (auto flushed = flush_folder_of(path_); flushed.has_error()) return flushed;
    auto database = sqlite::Database::open(path_, nullptr);
    if (database.has_error()) return fmt::format("{} cannot be opened: {}", path_, database.error().message());
    database_ = std::move(*database);
    is_there_ = true;
    return {};
}

// The tables come with the mark in them: there is no moment at which a gateway would take them for an empty journal.
Done SqlitePlace::arrive(const MovingMark& mark, bool anew) {
    const ActingAs acting(user_);
    if (auto made = is_there_ ? Done() : make_file(); made.has_error()) return made;
    if (auto set = run(settings_of_mark); set.has_error()) return set;
    const auto clear = [&]() -> Result<void> {
        for (const auto& table : all_tables())
            if (auto r = database_.run(clear_sql(table, Engine::sqlite).c_str()); r.has_error()) return r;
        if (auto r = forget_identity(database_); r.has_error()) return r;
        return note(mark);
    };
    const std::function<Result<void>()> begin_anew = clear;
    auto ready = anew ? bring_up_to_date(database_, migrations(), begin_anew) : bring_up_to_date(database_);
    if (ready.has_error()) return cannot_be_used(ready.error());
    if (anew && lock_.forget_recorded_sale().has_error()) return fmt::format("{}.lock cannot be written", path_);
    return run(settings);
}

Done SqlitePlace::insert(const Table& table, std::span<const Record> records) {
    sqlite::Statement row(database_, insert_sql(table, Engine::sqlite));
    if (auto begun = run(begin_alone); begun.has_error()) return begun;
    for (const auto& record : records) {
        row.reset();
        for (int i = 0; const auto& cell : record) {
            ++i;
            if (cell.kind == Cell::Kind::number) {
                row.bind_at(i, cell.number);
                continue;
            }
            using Kind = sqlite::Value::Kind;
            const auto kind = cell.kind == Cell::Kind::null   ? Kind::null
                              : cell.kind == Cell::Kind::text ? Kind::text
                                                              : Kind::blob;
            row.bind_at(i, sqlite::Value{kind, cell.bytes});
        }
        if (const auto stepped = row.step(); stepped.has_error()) return trouble(stepped.error());
    }
    return run("COMMIT");
}

Done SqlitePlace::write(const Table& table, std::span<const Record> records) {
    const ActingAs acting(user_);
    const auto inserted = insert(table, records);
    if (!inserted.has_error()) return {};
    auto words = fmt::format("table {}, rows from {} to {}: {}", table.name, keys_in_words(table, records.front()),
                             keys_in_words(table, records.back()), inserted.error());
    if (database_.in_transaction()) (void)database_.run("ROLLBACK");
    return words;
}

// The whole of it is on the disk, in one file.
Done SqlitePlace::settle() {
    const ActingAs acting(user_);
    if (auto set = run("PRAGMA synchronous = FULL"); set.has_error()) return set;
    const auto is_busy = database_.number("PRAGMA wal_checkpoint(TRUNCATE)");
    if (is_busy.has_error()) return trouble(is_busy.error());
    if (*is_busy != 0) return fmt::format("another program reads {}: let it finish, or close it", path_);
    return run(begin_alone);
}

Done SqlitePlace::complete() {
    const ActingAs acting(user_);
    if (const auto removed = sqlite::run_to_end(database_, moving_mark::remove); removed.has_error())
        return trouble(removed.error());
    if (auto done = run("COMMIT"); done.has_error()) return done;
    (void)lock_.note_journal();  // the gateway notes it at its start, too
    return {};
}

Done SqlitePlace::check() {
    const ActingAs acting(user_);
    auto check = sqlite::Statement::prepare(database_, "PRAGMA integrity_check(1)");
    if (check.has_error()) return trouble(check.error());
    const auto row = check->step();
    if (row.has_error()) return trouble(row.error());
    if (!*row) return fmt::format("{} is damaged: its check ends without a word", path_);
    if (check->text(0) != "ok") return fmt::format("{} is damaged: {}", path_, check->text(0));
    return {};
}

Explained<std::int64_t> SqlitePlace::count(const Table& table) {
    const ActingAs acting(user_);
    const auto rows = database_.number(count_sql(table, Engine::sqlite).c_str());
    if (rows.has_error()) return trouble(rows.error());
    return *rows;
}

Explained<std::optional<Record>> SqlitePlace::last(const Table& table) {
    const ActingAs acting(user_);
    sqlite::Statement row(database_, last_sql(table, Engine::sqlite));
    const auto there = row.step();
    if (there.has_error()) return trouble(there.error());
    if (!*there) return std::optional<Record>();
    Record keys;
    if (const auto* wrong = read_record(row, table, table.keys, keys); wrong != nullptr)
        return fmt::format("{}: table {}: {} of the last row cannot be read", path_, table.name, wrong);
    return std::optional(std::move(keys));
}

Done SqlitePlace::begin_reading(const Table& table, const std::optional<Record>& after) {
    const ActingAs acting(user_);
    table_ = &table;
    at_end_ = false;
    rows_ = sqlite::Statement(database_, select_sql(table, Engine::sqlite, after.has_value(), false));
    for (int i = 0; i < static_cast<int>(after ? table.keys : 0); ++i) {
        const auto& key = after->at(static_cast<std::size_t>(i));
        if (key.kind == Cell::Kind::number)
            rows_.bind_at(i + 1, key.number);
        else
            rows_.bind_at(i + 1, std::string_view(key.bytes));
    }
    return {};
}

Done SqlitePlace::read(std::vector<Record>& records) {
    const ActingAs acting(user_);
    std::size_t size = 0;
    for (; !at_end_ && size < rows_at_once; ++size) {
        const auto there = rows_.step();
        if (there.has_error()) return trouble(there.error());
        at_end_ = !*there;
        if (at_end_) break;
        if (records.size() <= size) records.emplace_back();
        auto& record = records[size];
        if (const auto* wrong = read_record(rows_, *table_, table_->columns.size(), record); wrong != nullptr)
            return fmt::format(
                "{}: table {}, row {}: the column {} holds what does not belong there; it was damaged or altered, and "
                "has to be mended first (sqlite3 {})",
                path_, table_->name, keys_in_words(*table_, record), wrong, path_);
    }
    records.resize(size);
    if (at_end_) rows_.reset();
    return {};
}

}  // namespace gateway::moving
