// Wraps SQLite as RAII: a database for use by one thread, and its prepared statements. It knows nothing about sales.
// Every failure of SQLite is a Result.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/engine.hpp"

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gateway::sqlite {

// Returns the category of SQLite's own result codes.
const boost::system::error_category& category() noexcept;

Result<void> outcome(int code);

// Tells whether the error says that the file is damaged, or that it is no file of SQLite at all.
bool is_damage(const boost::system::error_code& error) noexcept;
// Tells whether the error says that a lock of another connection is in the way.
bool is_busy(const boost::system::error_code& error) noexcept;
// Tells whether the error says that a file could not be flushed: what was written to it may be lost
// (write_ahead_log.hpp).
bool is_failed_flush(const boost::system::error_code& error) noexcept;

// This is the size of a journal's pages. A disk writes and loses blocks of this size as a whole. A block that a
// checkpoint was writing when the power failed contains no other page, and its page is still in the log.
inline constexpr int page_bytes = 4'096;

// Configures SQLite for this program, once. Every part that needs SQLite calls this before anything else of SQLite's.
// By default SQLite counts every allocation under a lock, which costs more than the allocation, and locks what only one
// thread uses. Where another part of the program has used SQLite before, this call has no effect.
void set_up() noexcept;

// Returns the one name that a file has for the VFS (nullptr: SQLite's default): absolute, and without symbolic links.
// The file need not exist.
Result<std::string> full_path(const std::string& path, const char* vfs);

// This is a statement that is prepared when it first runs, and then stays prepared. SQL that does not fit the tables is
// therefore an error of the first run.
class Prepared {
  public:
    Prepared() = default;
    // The database and the text must outlive this object.
    Prepared(sqlite3* database, std::string_view sql) noexcept : database_(database), sql_(sql) {}
    explicit operator bool() const noexcept { return database_ != nullptr; }

    // Binds the parameters in their order, runs the statement and returns every row.
    Result<Rows> ask(std::span<const Value> values = std::span<const Value>());
    // Runs the statement, which has no parameters and returns no rows.
    Result<void> run();

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
    };
    sqlite3* database_ = nullptr;
    std::string_view sql_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
  public:
    // Opens or makes the file, for use by one thread at a time. Where `vfs` is nullptr, SQLite's default is used. Each
    // use waits some seconds for another program that has the file locked, unless wait_by() says otherwise. Commits are
    // padded to the sector, so that no two commits share a block: a power cut while the later one is written could
    // otherwise destroy the earlier one.
    static Result<Database> open(const std::string& path, const char* vfs);

    // Opens a file that exists, and never changes it. What its writer has only written to the log so far is read, too.
    static Result<Database> open_to_read(const std::string& path);

    // Runs any SQL without parameters, also several statements.
    Result<void> run(const char* sql);
    // Runs one statement, and returns every row.
    template <class... Values>
    Result<Rows> ask(std::string_view sql, const Values&... values) {
        const std::array<Value, sizeof...(Values)> bound{Value(values)...};
        return Prepared(raw(), sql).ask(bound);
    }
    // Returns the first column of the first row as a number.
    Result<std::int64_t> number(std::string_view sql);
    // Returns how many rows were changed since the database was opened.
    int total_changes() const noexcept { return sqlite3_total_changes(database_.get()); }
    // Returns SQLite's message about the last call. It also names the operating system's error, where that was the
    // cause, and the program whose lock was in the way.
    std::string message() const;
    // Tells whether the last call, which failed with this error, found no room: the disk is full, or a limit was
    // reached.
    bool found_no_room(const boost::system::error_code& failed) const noexcept;
    std::string file() const;  // returns its full name
    // Whenever another connection's lock is in the way, `wait(argument, n)` is called from now on; n is 0 at the first
    // try of a call. It lets some time pass (see pause()), and returns whether to try again.
    void wait_by(int (*wait)(void* argument, int tries), void* argument) noexcept;
    // Lets the time pass in the way of the VFS, which may have a clock of its own.
    void pause(Duration length) noexcept;
    bool in_transaction() const noexcept { return sqlite3_get_autocommit(database_.get()) == 0; }
    // Tells whether the name of the file now belongs to another file, or to none. Returns false where the VFS cannot
    // say.
    bool has_moved() const noexcept;
    // Makes the database leave the write-ahead log as it is when it is closed. Otherwise the last program that closes
    // the file moves the log into it and removes the log.
    void leave_log() noexcept;
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
