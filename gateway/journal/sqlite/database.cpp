#include "journal/sqlite/database.hpp"

#include "base/check.hpp"
#include "journal/sqlite/lock_holder.hpp"

#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>

namespace gateway::sqlite {
namespace {

// With another program that has the file locked, as a gateway does while it starts and ends; longer is not usual, and
// said.
constexpr Duration patience{10'000};

class Category final : public boost::system::error_category {
  public:
    const char* name() const noexcept override { return "sqlite"; }
    std::string message(int code) const override { return sqlite3_errstr(code); }
    boost::system::error_condition default_error_condition(int code) const noexcept override { return {code, *this}; }
};

boost::system::error_code error(int code) {
    return {code, category()};
}

// SQLite keeps the system's error of these only, and never forgets the last one.
bool keeps_cause(int primary) {
    return primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN;
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
    // An extended code of success says that there was a link.
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

bool is_full(const boost::system::error_code& error) noexcept {
    return error == boost::system::error_code(SQLITE_FULL, category());
}

bool is_failed_flush(const boost::system::error_code& error) noexcept {
    return error.category() == category() &&
           (error.value() == SQLITE_IOERR_FSYNC || error.value() == SQLITE_IOERR_DIR_FSYNC);
}

bool is_busy(const boost::system::error_code& error) noexcept {
    return error.category() == category() && (error.value() & 0xff) == SQLITE_BUSY;
}

Statement::Statement(Database& database, std::string_view sql) : database_(database.raw()), sql_(sql) {}

Result<Statement> Statement::prepare(Database& database, std::string_view sql) {
    Statement statement(database, sql);
    if (!statement.ready()) return error(sqlite3_extended_errcode(database.raw()));
    return statement;
}

bool Statement::ready() {
    if (statement_) return true;
    sqlite3_stmt* raw = nullptr;
    sqlite3_prepare_v3(database_, sql_.data(), static_cast<int>(sql_.size()), SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    statement_.reset(raw);
    return raw != nullptr;
}

Result<bool> Statement::step() {
    if (!ready()) return Result<bool>(boost::system::in_place_error, error(sqlite3_extended_errcode(database_)));
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    reset();
    return Result<bool>(boost::system::in_place_error, error(code));
}

std::string_view Statement::text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::string_view Statement::blob(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void Statement::bind(int index, std::string_view text) {
    // SQLite takes a null pointer for NULL, and a default string_view is one.
    const char* bytes = text.data() != nullptr ? text.data() : "";
    check_bound(sqlite3_bind_text(statement_.get(), index, bytes, static_cast<int>(text.size()), SQLITE_STATIC));
}

void Statement::bind(int index, std::nullptr_t) {
    check_bound(sqlite3_bind_null(statement_.get(), index));
}

void Statement::bind(int index, const Value& value) {
    switch (value.kind) {
        case Value::Kind::null: return bind(index, nullptr);
        case Value::Kind::text: return bind(index, value.bytes);
        case Value::Kind::blob: break;
    }
    check_bound(sqlite3_bind_blob(statement_.get(), index, value.bytes.data(), static_cast<int>(value.bytes.size()),
                                  SQLITE_STATIC));
}

void Statement::check_bound(int code) {
    CHECK(code == SQLITE_OK);
}

// SQLite pads commits where the name of the file says that an overwritten sector may take its neighbours along; no call
// after the opening does it.
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
    return database;
}

Result<void> Database::run(const char* sql) {
    const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return error(code);
    return {};
}

Result<std::int64_t> Database::number(const char* sql) {
    auto statement = Statement::prepare(*this, sql);
    if (statement.has_error()) return statement.error();
    const auto row = statement->step();
    if (row.has_error()) return row.error();
    if (!*row) return errc::not_found;
    return statement->integer(0);
}

std::string Database::message() const {
    std::string message = sqlite3_errmsg(database_.get());
    const int primary = sqlite3_errcode(database_.get()) & 0xff;
    if (primary == SQLITE_BUSY) return locked_by_another(file()).message();
    if (primary == SQLITE_OK) return "SQLite has kept no words for it";  // but "not an error"
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
