// SQLite as RAII: a database, as one thread uses it, and its prepared statements. It knows nothing about sales. Every
// failure of SQLite is a Result; text that is bound must outlive the step.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/row.hpp"

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sqlite {

// The category of SQLite's own result codes.
const boost::system::error_category& category() noexcept;

// A result code of SQLite's as a result.
Result<void> outcome(int code);

// Whether an error says that the file is damaged, or none of SQLite's at all.
bool is_damage(const boost::system::error_code& error) noexcept;
// Whether an error says that another connection has a lock that is in the way.
bool is_busy(const boost::system::error_code& error) noexcept;

// Whether an error says that the disk has no room.
bool is_full(const boost::system::error_code& error) noexcept;
// Whether an error says that a file could not be flushed: what was to be flushed may be lost (write_ahead_log.hpp).
bool is_failed_flush(const boost::system::error_code& error) noexcept;

// The pages of a journal. A disk writes and loses such blocks as a whole: what a checkpoint has half done with one is
// in the log, for no other page is in the block.
inline constexpr int page_bytes = 4'096;

// Sets SQLite up for this program, once; every part that needs SQLite calls it before anything else of SQLite's. SQLite
// left to itself counts every allocation under a lock, which costs more than the allocation, and locks what only one
// thread uses. It does no harm, and no good, where another part of the program has used SQLite before.
void set_up() noexcept;

// The one name that a file has for the VFS (nullptr: SQLite's default): absolute, and without symbolic links. The file
// need not be there.
Result<std::string> full_path(const std::string& path, const char* vfs);

class Database;

// A parameter whose type is known only when it is bound.
using Value = ColumnValue;

// It is the row that its last step gave, too.
class Statement final : public Row {
  public:
    Statement() = default;
    // Prepared at its first use, so that a start costs what it uses. The database must outlive it.
    // SQL that does not fit the tables is the first step's error.
    Statement(Database& database, std::string_view sql);
    static Result<Statement> prepare(Database& database, std::string_view sql);

    // Binds the parameters in order and steps to the end. For statements that return no rows.
    template <class... Values>
    Result<void> run(const Values&... values) {
        bind_all(values...);
        const auto row = step();
        reset();
        if (row.has_error()) return row.error();
        return {};
    }
    // Binds the parameters in order; step() then gives the rows. reset() when done with them.
    template <class... Values>
    void bind_all(const Values&... values) {
        if (!ready()) return;
        reset();
        int index = 0;
        (bind(++index, values), ...);
    }
    // Binds one of them, counted from 1, after reset().
    template <class T>
    void bind_at(int index, const T& value) {
        if (ready()) bind(index, value);
    }
    Result<bool> step();  // true: there is a row
    void reset() noexcept { sqlite3_reset(statement_.get()); }

    // The row: valid until the next step or reset.
    bool is_null(int column) const override { return type(column) == SQLITE_NULL; }
    bool is_text(int column) const override { return type(column) == SQLITE_TEXT; }
    bool is_integer(int column) const override { return type(column) == SQLITE_INTEGER; }
    bool is_blob(int column) const override { return type(column) == SQLITE_BLOB; }
    std::string_view text(int column) const override;
    std::string_view blob(int column) const override;  // the bytes of a BLOB
    std::int64_t integer(int column) const override { return sqlite3_column_int64(statement_.get(), column); }

  private:
    int type(int column) const { return sqlite3_column_type(statement_.get(), column); }
    void bind(int index, std::string_view text);
    void bind(int index, std::nullptr_t);
    void bind(int index, const Value& value);
    template <std::integral T>
    void bind(int index, T number) {
        check_bound(sqlite3_bind_int64(statement_.get(), index, static_cast<sqlite3_int64>(number)));
    }
    template <class T>
    void bind(int index, const std::optional<T>& value) {
        if (value) {
            bind(index, *value);
        } else {
            bind(index, nullptr);
        }
    }
    static void check_bound(int code);
    bool ready();

    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
    };
    sqlite3* database_ = nullptr;
    std::string sql_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
  public:
    // Opens or makes the file, for use by one thread at a time. `vfs`: nullptr is SQLite's default. Waits some seconds
    // for another program that has it locked, as often as it is used, unless wait_by() says otherwise. Its commits are
    // padded to the sector, so that none shares a block with the next one, during whose writing a power cut could take
    // the earlier one along.
    static Result<Database> open(const std::string& path, const char* vfs);

    // Opens a file that is there, and never changes it; what its writer has not yet moved out of its log is read too.
    static Result<Database> open_to_read(const std::string& path);

    // Any SQL without parameters, several statements too.
    Result<void> run(const char* sql);
    // The first column of the first row, as a number.
    Result<std::int64_t> number(const char* sql);
    int changes() const noexcept { return sqlite3_changes(database_.get()); }
    // Of all rows, since it was opened.
    int total_changes() const noexcept { return sqlite3_total_changes(database_.get()); }
    // In words, what SQLite has against the last call; where the operating system had something against it first, with
    // that; where another program's lock was in the way, whose it is.
    std::string message() const;
    // Whether the call that failed last, with this error, found no room: the disk is full, or a limit was met.
    bool found_no_room(const boost::system::error_code& failed) const noexcept;
    // The full name of the file.
    std::string file() const;
    // Asks `wait(argument, n)` from now on whether to go on trying, whenever a lock of another connection is in the
    // way, with n = 0 at the first try of a call. It is what has to pass the time meanwhile: see pause().
    void wait_by(int (*wait)(void* argument, int tries), void* argument) noexcept;
    // Passes the time as the VFS does, which may have a time of its own.
    void pause(Duration length) noexcept;
    bool in_transaction() const noexcept { return sqlite3_get_autocommit(database_.get()) == 0; }
    // Whether another file, or none, has the name of the file now. False where the VFS cannot say.
    bool has_moved() const noexcept;
    // Its end leaves the write-ahead log as it is. The last program on a file else moves the log into it and removes
    // it.
    void leave_log() noexcept;
    // The name of the VFS that it is open by.
    const char* vfs() const noexcept;
    sqlite3* raw() const noexcept { return database_.get(); }

  private:
    static Result<Database> open(const std::string& path, int flags, const char* vfs);
    struct Close {
        void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
    };
    std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace gateway::sqlite
