// Wraps SQLite as RAII: a database, as one thread uses it, and its prepared statements. It knows nothing about sales.
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

// This is the category of SQLite's own result codes.
const boost::system::error_category& category() noexcept;

Result<void> outcome(int code);

// Tells whether an error says that the file is damaged, or no file of SQLite's at all.
bool is_damage(const boost::system::error_code& error) noexcept;
// Tells whether an error says that another connection has a lock that is in the way.
bool is_busy(const boost::system::error_code& error) noexcept;
// Tells whether an error says that a file could not be flushed: what it got may be lost (write_ahead_log.hpp).
bool is_failed_flush(const boost::system::error_code& error) noexcept;

// This is the size of a journal's pages. A disk writes and loses such blocks as a whole: what a checkpoint has half
// done with one is in the log, for no other page is in the block.
inline constexpr int page_bytes = 4'096;

// Sets SQLite up for this program, once; every part that needs SQLite calls this before anything else of SQLite's.
// SQLite left to itself counts every allocation under a lock, which costs more than the allocation, and locks what only
// one thread uses. Where another part of the program has used SQLite before, this does no harm, and no good.
void set_up() noexcept;

// Returns the one name that a file has for the VFS (nullptr: SQLite's default): absolute, and without symbolic links.
// The file need not be there.
Result<std::string> full_path(const std::string& path, const char* vfs);

// This statement stays prepared, from its first run on: a start costs what it uses. SQL that does not fit the tables is
// that run's error.
class Prepared {
  public:
    Prepared() = default;
    // The database and the text must outlive this object.
    Prepared(sqlite3* database, std::string_view sql) noexcept : database_(database), sql_(sql) {}
    explicit operator bool() const noexcept { return database_ != nullptr; }

    // Binds the parameters in their order, and gives every row.
    Result<Rows> ask(std::span<const Value> values = std::span<const Value>());
    // Runs the statement without parameters, where it gives no rows.
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
    // padded to the sector, so that none shares a block with the next one, during whose writing a power cut could take
    // the earlier one along.
    static Result<Database> open(const std::string& path, const char* vfs);

    // Opens a file that is there, and never changes it. What its writer has not yet moved out of its log is read too.
    static Result<Database> open_to_read(const std::string& path);

    // Runs any SQL without parameters, several statements too.
    Result<void> run(const char* sql);
    // Runs one statement, and gives every row.
    template <class... Values>
    Result<Rows> ask(std::string_view sql, const Values&... values) {
        const std::array<Value, sizeof...(Values)> bound{Value(values)...};
        return Prepared(raw(), sql).ask(bound);
    }
    // Returns the first column of the first row, as a number.
    Result<std::int64_t> number(std::string_view sql);
    // Counts the changes of all rows since the database was opened.
    int total_changes() const noexcept { return sqlite3_total_changes(database_.get()); }
    // Says in words what SQLite has against the last call; also what the operating system had against it first, and
    // whose lock it is where another program's was in the way.
    std::string message() const;
    // Tells whether the call that failed last, with this error, found no room: the disk is full, or a limit was met.
    bool found_no_room(const boost::system::error_code& failed) const noexcept;
    std::string file() const;  // returns its full name
    // From now on `wait(argument, n)` is asked whether to go on trying, whenever a lock of another connection is in the
    // way, with n = 0 at the first try of a call. It has to pass the time meanwhile: see pause().
    void wait_by(int (*wait)(void* argument, int tries), void* argument) noexcept;
    // Passes the time as the VFS does, which may have a time of its own.
    void pause(Duration length) noexcept;
    bool in_transaction() const noexcept { return sqlite3_get_autocommit(database_.get()) == 0; }
    // Tells whether another file, or none, has the name of the file now. False where the VFS cannot say.
    bool has_moved() const noexcept;
    // At its end the database leaves the write-ahead log as it is. Otherwise the last program on a file moves the log
    // into that and removes it.
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
