#include "journal/log_vfs.hpp"

#include "base/check.hpp"
#include "journal/wal_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace gateway {
namespace {

// As much as SQLite's own VFS for Unix surely takes in one call: it cuts longer writes by a mask of 131,071.
constexpr std::size_t most_at_once = 65'536;

constexpr std::size_t flushes_tried = 3;

// Not of the log: see open().
constexpr int smallest_page = 512;

sqlite3_vfs& found(const char* name) {
    sqlite::set_up();
    auto* const vfs = sqlite3_vfs_find(name);
    CHECK(vfs != nullptr);
    return *vfs;
}

// SQLite finds a VFS by its name, and a process may have several journals open.
std::string next_name() {
    static std::atomic<unsigned> made{0};
    return fmt::format("gateway-log-{}", ++made);
}

}  // namespace

// The write-ahead log, open: SQLite's part comes first, and the file of the VFS below lies behind it.
//
// Whatever a commit has written must be the system's before SQLite tells other programs of the commit, and no call of
// SQLite's says when that is. So only what a flush is sure to follow is gathered: the frames of a commit up to the end
// of its last block. Of the frame that begins in that block and ends in the next one, the rest is written as it comes.
// It repeats a page of the commit, which is durable without it; but the frames of the next commit count only behind a
// whole one.
struct LogVfs::LogFile {
    sqlite3_file as_sqlite_knows_it{};
    LogVfs* vfs = nullptr;
    sqlite3_int64 page_bytes = 0;     // 0: not known, and nothing is gathered
    sqlite3_int64 flushed_until = 0;  // where what the last flush was asked for ended
    sqlite3_int64 gathered_at = 0;    // where in the file the first gathered byte belongs
    // The rest of the frame that the last flush ended in, until the next one.
    sqlite3_int64 rest_at = 0;
    std::vector<char> rest;
    bool flush_failed = false;  // since then
    std::chrono::nanoseconds last_flush{0};
    std::vector<char> gathered;  // written by SQLite, and not handed to the system yet

    sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }
    const sqlite3_io_methods& system() { return *below()->pMethods; }
    sqlite3_int64 frame_bytes() const { return wal::frame_header_bytes + page_bytes; }
    sqlite3_int64 gathered_until() const { return gathered_at + static_cast<sqlite3_int64>(gathered.size()); }

    // Whether what is written there belongs to a frame whose beginning the last flush was asked for.
    bool is_rest_of_flushed_frame(sqlite3_int64 at) const {
        if (page_bytes == 0 || flushed_until <= wal::header_bytes) return false;
        const auto frames_begun = (flushed_until - wal::header_bytes + frame_bytes() - 1) / frame_bytes();
        return at >= flushed_until && at < wal::header_bytes + frames_begun * frame_bytes();
    }

    // What the system did not take stays, for the next call: the frames of a large transaction are written long before
    // its commit, which may succeed yet.
    int hand_over() {
        if (gathered.empty()) return SQLITE_OK;
        const int code = system().xWrite(below(), gathered.data(), static_cast<int>(gathered.size()), gathered_at);
        if (code == SQLITE_OK) gathered.clear();
        return code;
    }

    // On a disk that is full, too: what a commit that failed has left here is nothing that is read.
    int read(void* room, int size, sqlite3_int64 at) {
        const bool apart = gathered.empty() || at + size <= gathered_at || at >= gathered_until();
        if (!apart)
            if (const int code = hand_over(); code != SQLITE_OK) return code;
        return system().xRead(below(), room, size, at);
    }

    int write(const void* data, int size, sqlite3_int64 at) {
        const auto bytes = static_cast<std::size_t>(size);
        if (wal::Header header{}; at == 0 && size == wal::header_bytes) {
            std::memcpy(header.data(), data, header.size());
            page_bytes = wal::page_bytes(header);
        }
        const bool is_rest = is_rest_of_flushed_frame(at);
        const bool gathers = page_bytes > 0 && bytes <= most_at_once && !is_rest;
        if (!gathers || at != gathered_until() || gathered.size() + bytes > most_at_once)
            if (const int code = hand_over(); code != SQLITE_OK) return code;
        const auto* const from = static_cast<const char*>(data);
        if (is_rest) {
            if (rest.empty()) rest_at = at;
            rest.insert(rest.end(), from, from + size);
        }
        if (!gathers) return system().xWrite(below(), data, size, at);
        if (gathered.empty()) gathered_at = at;
        gathered.insert(gathered.end(), from, from + size);
        return SQLITE_OK;
    }

    // Before the flush that makes a commit durable: for want of room for the rest of its last frame SQLite would call
    // the commit failed, and the next start would find it done.
    int make_room_for_rest(sqlite3_int64 end) {
        sqlite3_int64 size = 0;
        if (const int code = system().xFileSize(below(), &size); code != SQLITE_OK) return code;
        const std::vector<char> zeros(static_cast<std::size_t>(frame_bytes()));
        if (size >= end + static_cast<sqlite3_int64>(zeros.size()) || end == 0) return SQLITE_OK;
        return system().xWrite(below(), zeros.data(), static_cast<int>(zeros.size()), end);
    }

    // A flush that failed may have thrown away what it was to flush (see write_again.hpp). SQLite writes the frames of
    // a commit that failed again, but not what came before them.
    int flush(int flags) {
        if (flush_failed && !rest.empty())
            if (const int code = system().xWrite(below(), rest.data(), static_cast<int>(rest.size()), rest_at);
                code != SQLITE_OK)
                return code;
        const auto end = gathered.empty() ? 0 : gathered_until();
        if (const int code = make_room_for_rest(end); code != SQLITE_OK) return code;
        if (const int code = hand_over(); code != SQLITE_OK) return code;
        const auto begun = vfs->clock_.now();
        flush_failed = true;
        if (const int code = system().xSync(below(), flags); code != SQLITE_OK) return code;
        flush_failed = false;
        flushed_until = end;
        rest.clear();
        last_flush = vfs->clock_.now() - begun;
        return SQLITE_OK;
    }

    // Of a log that was there before. One that is empty gets its header from SQLite.
    int read_header() {
        wal::Header header{};
        const int code = system().xRead(below(), header.data(), wal::header_bytes, 0);
        if (code == SQLITE_OK) page_bytes = wal::page_bytes(header);
        return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
    }
};

LogVfs::LogFile& LogVfs::of(sqlite3_file* file) {
    return *reinterpret_cast<LogFile*>(file);
}

// What SQLite calls of a log; the first version of its table has no more than that.
const sqlite3_io_methods LogVfs::log_methods = [] {
    sqlite3_io_methods methods{};
    methods.iVersion = 1;
    methods.xClose = [](sqlite3_file* file) {
        auto& log = of(file);
        const int handed = log.hand_over();
        const int closed = log.system().xClose(log.below());
        log.~LogFile();
        return handed != SQLITE_OK ? handed : closed;
    };
    methods.xRead = [](sqlite3_file* file, void* room, int size, sqlite3_int64 at) {
        return of(file).read(room, size, at);
    };
    methods.xWrite = [](sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
        return of(file).write(data, size, at);
    };
    methods.xTruncate = [](sqlite3_file* file, sqlite3_int64 size) {
        auto& log = of(file);
        if (const int code = log.hand_over(); code != SQLITE_OK) return code;
        return log.system().xTruncate(log.below(), size);
    };
    methods.xSync = [](sqlite3_file* file, int flags) {
        auto& log = of(file);
        if (const int code = log.flush(flags); code != SQLITE_OK) return code;
        const std::lock_guard lock(log.vfs->mutex_);
        log.vfs->flush_times_.add(log.last_flush);
        return SQLITE_OK;
    };
    methods.xFileSize = [](sqlite3_file* file, sqlite3_int64* size) {
        auto& log = of(file);
        if (const int code = log.hand_over(); code != SQLITE_OK) return code;
        return log.system().xFileSize(log.below(), size);
    };
    methods.xFileControl = [](sqlite3_file* file, int operation, void* argument) {
        auto& log = of(file);
        return log.system().xFileControl(log.below(), operation, argument);
    };
    // The length that SQLite fills a commit up to.
    methods.xSectorSize = [](sqlite3_file*) { return block_bytes; };
    methods.xDeviceCharacteristics = [](sqlite3_file* file) {
        auto& log = of(file);
        return log.system().xDeviceCharacteristics(log.below());
    };
    return methods;
}();

LogVfs::LogVfs(const char* under, const Clock& clock)
    : clock_(clock), under_(found(under)), name_(next_name()), vfs_(under_) {
    vfs_.zName = name_.c_str();
    vfs_.pNext = nullptr;
    vfs_.pAppData = this;
    vfs_.szOsFile += static_cast<int>(sizeof(LogFile));
    vfs_.xOpen = &LogVfs::open;
    CHECK(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
}

LogVfs::~LogVfs() {
    sqlite3_vfs_unregister(&vfs_);
}

// SQLite fills a commit up where the file of the database does not promise that a write leaves the bytes beside it
// alone; a sector that is larger than a page would have it write all pages of one where it changes one.
int LogVfs::open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
    auto& self = *static_cast<LogVfs*>(vfs->pAppData);
    if ((flags & SQLITE_OPEN_WAL) != 0) return open_log(self, name, file, flags, out_flags);
    const int code = self.under_.xOpen(&self.under_, name, file, flags, out_flags);
    if (code != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0) return code;
    self.database_methods_ = *file->pMethods;
    self.database_methods_.xDeviceCharacteristics = [](sqlite3_file*) { return 0; };
    self.database_methods_.xSectorSize = [](sqlite3_file*) { return smallest_page; };
    file->pMethods = &self.database_methods_;
    return code;
}

int LogVfs::open_log(LogVfs& self, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
    auto& log = *new (file) LogFile{.vfs = &self};
    const int code = self.under_.xOpen(&self.under_, name, log.below(), flags, out_flags);
    if (code == SQLITE_OK) {
        log.as_sqlite_knows_it.pMethods = &log_methods;  // it is closed from now on, whatever is given back
        return log.read_header();
    }
    log.~LogFile();
    file->pMethods = nullptr;  // nothing to close
    return code;
}

sqlite3_file* LogVfs::log_of(sqlite::Database& database) {
    sqlite3_file* log = nullptr;
    CHECK(sqlite3_file_control(database.raw(), "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log)) ==
          SQLITE_OK);
    CHECK(log != nullptr && log->pMethods == &log_methods);
    return log;
}

Result<void> LogVfs::make_log(sqlite::Database& database, std::int64_t bytes) {
    // A page that is as it was: SQLite writes it all the same.
    const auto version = database.number("PRAGMA user_version");
    if (version.has_error()) return version.error();
    const auto commit = fmt::format("PRAGMA user_version = {}; COMMIT", *version);
    if (auto begun = database.run("BEGIN IMMEDIATE"); begun.has_error()) return begun;
    auto made = map_index(database, bytes);
    if (made.has_value()) made = lay_out(database, bytes);
    if (made.has_value()) made = database.run(commit.c_str());
    if (database.in_transaction()) (void)database.run("ROLLBACK");
    return made;
}

// SQLite makes its index of the log longer as it needs it, after it has written a commit: on a disk that is full that
// commit fails, and stands in the log, and the next start has no room for the index either.
Result<void> LogVfs::map_index(sqlite::Database& database, std::int64_t bytes) {
    const auto page_bytes = database.number("PRAGMA page_size");
    if (page_bytes.has_error()) return page_bytes.error();
    sqlite3_file* file = nullptr;
    CHECK(sqlite3_file_control(database.raw(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file)) ==
          SQLITE_OK);
    const auto pages = bytes / (*page_bytes + wal::frame_header_bytes) + wal::frames_of_index_header;
    for (int piece = 0; piece * wal::frames_in_piece < pages; ++piece) {
        volatile void* mapped = nullptr;
        if (const int code = file->pMethods->xShmMap(file, piece, wal::index_piece_bytes, 1, &mapped);
            code != SQLITE_OK)
            return sqlite::outcome(code);
    }
    return {};
}

// Of a database that is in a write transaction: what another program wrote would be overwritten.
Result<void> LogVfs::lay_out(sqlite::Database& database, std::int64_t bytes) {
    auto& log = of(log_of(database));
    if (const int code = log.hand_over(); code != SQLITE_OK) return sqlite::outcome(code);
    sqlite3_int64 before = 0;
    if (const int code = log.system().xFileSize(log.below(), &before); code != SQLITE_OK) return sqlite::outcome(code);
    const std::vector<char> zeros(most_at_once);
    for (auto size = before; size < bytes;) {
        const auto length = std::min(static_cast<sqlite3_int64>(zeros.size()), bytes - size);
        // Not by way of what is gathered: zeros for which there is no room must not stand in the way of a commit.
        if (const int code = log.system().xWrite(log.below(), zeros.data(), static_cast<int>(length), size);
            code != SQLITE_OK) {
            (void)log.system().xTruncate(log.below(), before);  // the room is needed elsewhere
            return sqlite::outcome(code);
        }
        size += length;
    }
    return before < bytes ? sqlite::outcome(log.flush(SQLITE_SYNC_FULL))
                          : Result<void>();  // of so much says nothing of a sale's
}

Result<std::chrono::nanoseconds> LogVfs::try_flush(sqlite::Database& database) {
    auto* const log = log_of(database);
    sqlite3_int64 size = 0;
    if (const int code = log->pMethods->xFileSize(log, &size); code != SQLITE_OK) return sqlite::outcome(code).error();
    // Not so near to the end that there would have to be made room.
    const auto at = ((size - of(log).frame_bytes()) / block_bytes - 1) * block_bytes;
    if (at < 0) return sqlite::outcome(SQLITE_NOTFOUND).error();
    std::array<char, block_bytes> block{};
    if (const int code = log->pMethods->xRead(log, block.data(), block_bytes, at); code != SQLITE_OK)
        return sqlite::outcome(code).error();
    std::array<std::chrono::nanoseconds, flushes_tried> took{};
    for (auto& one : took) {
        if (const int code = log->pMethods->xWrite(log, block.data(), block_bytes, at); code != SQLITE_OK)
            return sqlite::outcome(code).error();
        if (const int code = log->pMethods->xSync(log, SQLITE_SYNC_FULL); code != SQLITE_OK)
            return sqlite::outcome(code).error();
        one = of(log).last_flush;
    }
    std::ranges::sort(took);
    return took.at(took.size() / 2);
}

Histogram LogVfs::flush_times() const {
    const std::lock_guard lock(mutex_);
    return flush_times_;
}

}  // namespace gateway
