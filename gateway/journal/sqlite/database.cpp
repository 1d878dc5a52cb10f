#include "journal/sqlite/database.hpp"

#include "base/check.hpp"
#include "journal/sqlite/lock_holder.hpp"

#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <vector>

namespace gateway::sqlite {
namespace {

// A database waits this long for another program that has the file locked, as a gateway does while it starts and ends.
// A longer lock is unusual, and is reported.
constexpr Duration patience{10'000};

class Category final : public boost::system::error_category {
  public:
    const char* name() const noexcept override { return "sqlite"; }
    std::string message(int code) const override { return sqlite3_errstr(code); }
};

boost::system::error_code error(int code) {
    return {code, category()};
}

// SQLite keeps the system's error only for these results, and never forgets the last one.
bool keeps_cause(int primary) {
    return primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN;
}

Rows::Kind kind_of(int type) {
    switch (type) {
        case SQLITE_NULL: return Rows::Kind::null;
        case SQLITE_INTEGER: return Rows::Kind::integer;
        case SQLITE_TEXT: return Rows::Kind::text;
        case SQLITE_BLOB: return Rows::Kind::blob;
        default: return Rows::Kind::other;  // default: an int of SQLite's; only a floating number is left
    }
}

void add_row(Rows& rows, sqlite3_stmt* statement, int columns) {
    for (int column = 0; column < columns; ++column) {
        const auto kind = kind_of(sqlite3_column_type(statement, column));
        if (kind == Rows::Kind::null) {
            rows.add(kind, 0, {});
            continue;
        }
        // The number is read first, because reading the bytes makes SQLite convert the value.
        const auto integer = sqlite3_column_int64(statement, column);
        const auto* const bytes = kind == Rows::Kind::blob
                                      ? static_cast<const char*>(sqlite3_column_blob(statement, column))
                                      : reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        rows.add(kind, integer, bytes != nullptr ? std::string_view(bytes, size) : std::string_view());
    }
}

void bind(sqlite3_stmt* statement, std::span<const Value> values) {
    int index = 0;
    for (const auto& value : values) {
        ++index;
        const auto bytes = value.bytes();
        const auto size = static_cast<int>(bytes.size());
        // SQLite takes a null pointer for NULL, and a default string_view has one.
        const char* const begin = bytes.data() != nullptr ? bytes.data() : "";
        const auto bound = [&] {
            switch (value.kind()) {
                case Value::Kind::null: return sqlite3_bind_null(statement, index);
                case Value::Kind::integer: return sqlite3_bind_int64(statement, index, value.integer());
                case Value::Kind::text: return sqlite3_bind_text(statement, index, begin, size, SQLITE_STATIC);
                case Value::Kind::blob: break;
            }
            return sqlite3_bind_blob(statement, index, begin, size, SQLITE_STATIC);
        };
        CHECK(bound() == SQLITE_OK);
    }
}

// Implements strpos(TEXT, PART), which PostgreSQL has: the place of the part in the text, from 1; 0 where it is not
// there.
void find_part(sqlite3_context* context, int, sqlite3_value** values) {
    const auto text_of = [](sqlite3_value* value) {
        const auto* const bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
        const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
        return bytes != nullptr ? std::string_view(bytes, size) : std::string_view();
    };
    const auto at = text_of(values[0]).find(text_of(values[1]));
    sqlite3_result_int64(context, at == std::string_view::npos ? 0 : static_cast<sqlite3_int64>(at) + 1);
}

sqlite3_vfs* vfs_of(sqlite3& database) {
    sqlite3_vfs* vfs = nullptr;
    sqlite3_file_control(&database, "main", SQLITE_FCNTL_VFS_POINTER, static_cast<void*>(&vfs));
    return vfs;
}

}  // namespace

void set_up() noexcept {
    static const bool done = sqlite3_config(SQLITE_CONFIG_MULTITHREAD) == SQLITE_OK &&
                             sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
    (void)done;
}

Result<std::string> full_path(const std::string& path, const char* vfs_name) {
    set_up();
    auto* const vfs = sqlite3_vfs_find(vfs_name);
    if (vfs == nullptr) return error(SQLITE_ERROR);
    std::vector<char> full(static_cast<std::size_t>(vfs->mxPathname) + 1);
    const int code = vfs->xFullPathname(vfs, path.c_str(), vfs->mxPathname + 1, full.data());
    // An extended success code says that the path had a link.
    if ((code & 0xff) != SQLITE_OK) return error(code);
    return std::string(full.data());
}

const boost::system::error_category& category() noexcept {
    static const Category instance;
    return instance;
}

Result<void> outcome(int code) {
    if (code == SQLITE_OK) return {};
    return error(code);
}

bool is_damage(const boost::system::error_code& error) noexcept {
    const int primary = error.value() & 0xff;
    return error.category() == category() && (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB);
}

bool is_failed_flush(const boost::system::error_code& error) noexcept {
    return error.category() == category() &&
           (error.value() == SQLITE_IOERR_FSYNC || error.value() == SQLITE_IOERR_DIR_FSYNC);
}

bool is_busy(const boost::system::error_code& error) noexcept {
    return error.category() == category() && (error.value() & 0xff) == SQLITE_BUSY;
}

Result<Rows> Prepared::ask(std::span<const Value> values) {
    constexpr auto failed = [](int code) { return Result<Rows>(boost::system::in_place_error, error(code)); };
    if (!statement_) {
        sqlite3_stmt* raw = nullptr;
        const int code = sqlite3_prepare_v3(database_, sql_.data(), static_cast<int>(sql_.size()),
                                            SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
        if (code != SQLITE_OK) return failed(code);
        statement_.reset(raw);
    }
    auto* const statement = statement_.get();
    bind(statement, values);
    Rows rows;
    const int columns = sqlite3_column_count(statement);
    rows.expect(static_cast<std::size_t>(columns));
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement))
        add_row(rows, statement, columns);
    const bool writes = sqlite3_stmt_readonly(statement) == 0;
    if (code == SQLITE_DONE && writes) rows.set_changed(sqlite3_changes(database_));
    sqlite3_reset(statement);
    if (code != SQLITE_DONE) return failed(code);
    return rows;
}

Result<void> Prepared::run() {
    const auto ran = ask();
    if (ran.has_error()) return ran.error();
    return {};
}

// SQLite pads commits where the file's name says that overwriting a sector may destroy its neighbours (psow=0). No call
// after the opening can make it do so.
Result<Database> Database::open(const std::string& path, const char* vfs) {
    const auto name = fmt::format("file:{}?psow=0", boost::urls::encode(path, boost::urls::unreserved_chars));
    return open(name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, vfs);
}

Result<Database> Database::open_to_read(const std::string& path) {
    return open(path, SQLITE_OPEN_READONLY, nullptr);
}

Result<Database> Database::open(const std::string& path, int flags, const char* vfs) {
    set_up();
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs);
    Database database;
    database.database_.reset(raw);
    if (code != SQLITE_OK) return error(code);
    sqlite3_busy_timeout(raw, static_cast<int>(patience.count()));
    sqlite3_create_function(raw, "strpos", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, find_part, nullptr, nullptr);
    return database;
}

Result<void> Database::run(const char* sql) {
    const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return error(code);
    return {};
}

Result<std::int64_t> Database::number(std::string_view sql) {
    const auto rows = ask(sql);
    if (rows.has_error()) return rows.error();
    if (rows->empty()) return errc::not_found;
    return rows->front().integer(0);
}

std::string Database::message() const {
    std::string message = sqlite3_errmsg(database_.get());
    const int primary = sqlite3_errcode(database_.get()) & 0xff;
    if (primary == SQLITE_BUSY) return locked_by_another(file()).message();
    if (primary == SQLITE_OK) return "SQLite has kept no words for it";  // SQLite's own message would be "not an error"
    if (!keeps_cause(primary)) return message;
    const int cause = sqlite3_system_errno(database_.get());
    if (cause == ENOSPC || cause == EDQUOT) return message + ": the disk is full";
    if (cause != 0) message += ": " + boost::system::system_category().message(cause);
    return message;
}

bool Database::found_no_room(const boost::system::error_code& failed) const noexcept {
    if (failed.category() != category()) return false;
    const int primary = failed.value() & 0xff;
    if (!keeps_cause(primary)) return primary == SQLITE_FULL;
    const int cause = sqlite3_system_errno(database_.get());
    return cause == ENOSPC || cause == EDQUOT || cause == EFBIG;
}

std::string Database::file() const {
    const char* const name = sqlite3_db_filename(database_.get(), "main");
    return name != nullptr ? name : "";
}

void Database::wait_by(int (*wait)(void*, int), void* argument) noexcept {
    sqlite3_busy_handler(database_.get(), wait, argument);
}

void Database::pause(Duration length) noexcept {
    auto* const its = vfs_of(*database_);
    its->xSleep(its, static_cast<int>(std::chrono::microseconds(length).count()));
}

const char* Database::vfs() const noexcept {
    return vfs_of(*database_)->zName;
}

void Database::leave_log() noexcept {
    sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

bool Database::has_moved() const noexcept {
    int moved = 0;
    sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved != 0;
}

}  // namespace gateway::sqlite
