#include "journal/sqlite/write_ahead_log.hpp"

#include "base/digest.hpp"
#include "journal/sqlite/log_gap.hpp"
#include "journal/sqlite/named_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gateway {
namespace {

constexpr sqlite3_int64 most_at_once = 65'536;
// All but this many pages of the transaction are in the log while it grows.
constexpr std::int64_t pages_kept = 10;

// The index of the log in shared memory consists of pieces of this many bytes. The holder of the checkpoint lock may
// write there how many frames were moved into the database, in the byte order of the machine.
constexpr int index_piece_bytes = 32'768;
constexpr int checkpoint_lock = 1;
constexpr std::ptrdiff_t moved_in_index = 96;

struct FreeName {
    void operator()(const char* name) const noexcept { sqlite3_free_filename(name); }
};

// This is a file that is accessed through SQLite's VFS, whichever that is.
class File {
  public:
    explicit File(const sqlite3_vfs& vfs)
        : room_(static_cast<std::size_t>(vfs.szOsFile) / sizeof(std::max_align_t) + 1) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (file()->pMethods != nullptr) file()->pMethods->xClose(file());
    }

    sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(room_.data()); }

    // Calls `visit(header, bytes, length, at)` first for the header itself, at 0, and then for pieces of whole frames
    // up to the end of the file. Stops at the first error.
    template <class Visit>
    int go_through(Visit visit) {
        const auto& methods = *file()->pMethods;
        sqlite3_int64 size = 0;
        if (const int code = methods.xFileSize(file(), &size); code != SQLITE_OK) return code;
        wal::Header header{};
        if (size < wal::header_bytes) return SQLITE_OK;  // SQLite finds nothing in it
        if (const int code = methods.xRead(file(), header.data(), wal::header_bytes, 0); code != SQLITE_OK) return code;
        if (const int code = visit(header, header.data(), wal::header_bytes, 0); code != SQLITE_OK) return code;
        const auto frame = wal::frame_header_bytes + wal::page_bytes(header);
        if (frame == wal::frame_header_bytes) return SQLITE_OK;
        const auto piece = std::max<sqlite3_int64>(most_at_once / frame, 1) * frame;
        std::vector<char> bytes(static_cast<std::size_t>(piece));
        for (sqlite3_int64 at = wal::header_bytes; at < size; at += piece) {
            const auto there = std::min(piece, (size - at) / frame * frame);
            if (there == 0) return SQLITE_OK;
            const int read = methods.xRead(file(), bytes.data(), static_cast<int>(there), at);
            if (read == SQLITE_IOERR_SHORT_READ) return SQLITE_OK;  // another program has cut it in the meantime
            if (read != SQLITE_OK) return read;
            if (const int code = visit(header, bytes.data(), there, at); code != SQLITE_OK) return code;
        }
        return SQLITE_OK;
    }
    int write(const char* bytes, sqlite3_int64 length, sqlite3_int64 at) {
        return file()->pMethods->xWrite(file(), bytes, static_cast<int>(length), at);
    }
    int flush() { return file()->pMethods->xSync(file(), SQLITE_SYNC_FULL); }

  private:
    std::vector<std::max_align_t> room_;  // zeroed, so that the file has no methods, and there is nothing to close
};

// The database's file begins with this many bytes that say what it is, and how often its first page was written.
constexpr int first_bytes = 100;

std::string hexadecimal(std::string_view bytes) {
    std::string text;
    for (const auto byte : bytes)
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return text;
}

std::string salts_in(const wal::Header& header) {
    constexpr std::size_t at = 16;
    constexpr std::size_t bytes = 8;
    return hexadecimal(std::string_view(header.data() + at, bytes));
}

// Calls `work(file)` for the log, or for the database itself, where it is there.
template <class Work>
Result<void> with_file(const std::string& path, const char* vfs_name, int mode, Work work) {
    sqlite::set_up();
    auto* const vfs = sqlite3_vfs_find(vfs_name);
    if (vfs == nullptr) return sqlite::outcome(SQLITE_ERROR);
    const std::unique_ptr<const char, FreeName> name(
        sqlite3_create_filename(path.c_str(), (path + "-journal").c_str(), (path + "-wal").c_str(), 0, nullptr));
    if (!name) return sqlite::outcome(SQLITE_NOMEM);
    const bool is_log = (mode & SQLITE_OPEN_WAL) != 0;
    const char* const file_name = is_log ? sqlite3_filename_wal(name.get()) : name.get();
    int there = 0;
    if (const int code = vfs->xAccess(vfs, file_name, SQLITE_ACCESS_EXISTS, &there); code != SQLITE_OK)
        return sqlite::outcome(code);
    if (there == 0) return {};
    File file(*vfs);
    int flags = 0;
    if (const int code = vfs->xOpen(vfs, file_name, file.file(), mode, &flags); code != SQLITE_OK)
        return sqlite::outcome(code);
    return sqlite::outcome(work(file));
}

template <class Work>
Result<void> with_log(const std::string& path, const char* vfs, int mode, Work work) {
    return with_file(path, vfs, mode | SQLITE_OPEN_WAL, std::move(work));
}

// Returns the file of the database itself; null where it is not open.
sqlite3_file* file_of(sqlite::Database& database) {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(database.raw(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    return file != nullptr && file->pMethods != nullptr ? file : nullptr;
}

// Returns the length of a frame in the log that begins with this header.
sqlite3_int64 frame_bytes(const wal::Header& header) {
    return wal::frame_header_bytes + wal::page_bytes(header);
}

Result<bool> fits_now(const std::string& path, const char* vfs, const LogBase& noted) {
    std::string first(first_bytes, '\0');
    const auto read = with_file(path, vfs, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, [&](File& file) {
        const int code = file.file()->pMethods->xRead(file.file(), first.data(), first_bytes, 0);
        return code == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : code;
    });
    if (read.has_error()) return {boost::system::in_place_error, read.error()};
    bool fits = true;
    const auto visit = [&](const wal::Header& header, const char* bytes, sqlite3_int64 length, sqlite3_int64 at) {
        if (at == 0) fits = salts_in(header) != noted.log || sha256_hex(first) == noted.database;
        for (sqlite3_int64 from = 0; at > 0 && !fits && from < length; from += frame_bytes(header)) {
            const char* const frame = bytes + from;
            fits = wal::is_of(header, frame) && wal::number_at(frame) == 1 &&
                   std::string_view(frame + wal::frame_header_bytes, first_bytes) == first;
        }
        return SQLITE_OK;
    };
    const auto looked = with_log(path, vfs, SQLITE_OPEN_READONLY, [&](File& file) { return file.go_through(visit); });
    if (looked.has_error()) return {boost::system::in_place_error, looked.error()};
    return fits;
}

}  // namespace

Result<LogLook> look_at_log(const std::string& path, const char* vfs) {
    std::optional<LogGap> gap;
    const auto looked = with_log(path, vfs, SQLITE_OPEN_READONLY, [&](File& file) {
        return file.go_through([&](const wal::Header& header, const char* bytes, sqlite3_int64 length, auto) {
            if (!gap) {
                gap.emplace(header);
                return SQLITE_OK;
            }
            for (sqlite3_int64 at = 0; at < length; at += frame_bytes(header))
                gap->add(bytes + at);
            return SQLITE_OK;
        });
    });
    if (looked.has_error()) return looked.error();
    if (!gap) return LogLook{};
    return LogLook{.has_gap = gap->found(), .exposes_last_commit = gap->exposes_last_commit()};
}

bool is_log_there(const std::string& path, const char* vfs) {
    bool there = false;
    (void)with_log(path, vfs, SQLITE_OPEN_READONLY, [&](File&) {
        there = true;
        return SQLITE_OK;
    });
    return there;
}

Result<bool> does_log_fit(const std::string& path, const char* vfs, const LogBase& noted) {
    // Another program may have begun the log anew during the first look. The second one finds another log then.
    const auto fits = fits_now(path, vfs, noted);
    return fits.has_value() && !*fits ? fits_now(path, vfs, noted) : fits;
}

std::optional<LogBase> base_of_log(sqlite::Database& database, std::string_view noted) {
    sqlite3_file* log = nullptr;
    sqlite3_file_control(database.raw(), "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
    wal::Header header{};
    if (log == nullptr || log->pMethods == nullptr ||
        log->pMethods->xRead(log, header.data(), wal::header_bytes, 0) != SQLITE_OK)
        return std::nullopt;
    auto salts = salts_in(header);
    auto* const file = file_of(database);
    std::array<char, first_bytes> first{};
    if (salts == noted || file == nullptr || file->pMethods->xRead(file, first.data(), first_bytes, 0) != SQLITE_OK)
        return std::nullopt;
    return LogBase{.log = std::move(salts), .database = sha256_hex({first.data(), first.size()})};
}

Result<void> flush_log(const std::string& path, const char* vfs) {
    return with_log(path, vfs, SQLITE_OPEN_READWRITE, [](File& file) { return file.flush(); });
}

Result<void> write_log_again(const std::string& path, const char* vfs) {
    return with_log(path, vfs, SQLITE_OPEN_READWRITE, [](File& file) {
        // SQLite may find something in the frames that have the header's salts, up to the first one that has others.
        bool all_ours = true;
        const auto write = [&](const wal::Header& header, const char* bytes, sqlite3_int64 length, sqlite3_int64 at) {
            if (at == 0) return file.write(bytes, length, at);
            sqlite3_int64 ours = 0;
            while (all_ours && ours < length)
                if (all_ours = wal::is_of(header, bytes + ours); all_ours) ours += frame_bytes(header);
            return ours > 0 ? file.write(bytes, ours, at) : SQLITE_OK;
        };
        if (const int code = file.go_through(write); code != SQLITE_OK) return code;
        return file.flush();
    });
}

bool is_log_shorter(sqlite::Database& database, std::int64_t bytes) {
    sqlite3_file* log = nullptr;
    sqlite3_int64 size = 0;
    sqlite3_file_control(database.raw(), "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
    return log != nullptr && log->pMethods != nullptr && log->pMethods->xFileSize(log, &size) == SQLITE_OK &&
           size < bytes;
}

Result<void> grow_log(sqlite::Database& database, std::int64_t bytes) {
    const auto page_bytes = database.number("PRAGMA page_size");
    if (page_bytes.has_error()) return page_bytes.error();
    const auto cache = database.number("PRAGMA cache_size");
    if (cache.has_error()) return cache.error();
    // Pages for which the cache has no room are written to the log before the commit. Each page holds four bytes less
    // than its size of the long value.
    const auto pages = bytes / (*page_bytes + wal::frame_header_bytes) + 2 * pages_kept;
    const auto write = fmt::format(
        "PRAGMA cache_size = {}; BEGIN IMMEDIATE; CREATE TABLE room_of_the_log (x);"
        "INSERT INTO room_of_the_log VALUES (zeroblob({}))",
        pages_kept, pages * (*page_bytes - 4));
    const auto grown = database.run(write.c_str());
    if (database.in_transaction()) (void)database.run("ROLLBACK");
    (void)database.run(fmt::format("PRAGMA cache_size = {}", *cache).c_str());
    if (grown.has_error()) return grown;
    auto flushed = database.run("BEGIN IMMEDIATE");
    if (flushed.has_value()) flushed = change_nothing(database);
    if (flushed.has_value()) flushed = database.run("COMMIT");
    if (database.in_transaction()) (void)database.run("ROLLBACK");
    return flushed;
}

void reserve_index(sqlite::Database& database) {
    const int index = descriptor_of(database.file() + "-shm");
    struct stat status {};
    if (index >= 0 && ::fstat(index, &status) == 0) (void)::fallocate(index, 0, 0, status.st_size);
}

Result<void> flush_database(sqlite::Database& database) {
    auto* const file = file_of(database);
    if (file == nullptr) return {};
    return sqlite::outcome(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL));
}

bool move_log_again(sqlite::Database& database) {
    auto* const file = file_of(database);
    if (file == nullptr || file->pMethods->iVersion < 2) return true;
    const auto& methods = *file->pMethods;
    if (methods.xShmLock(file, checkpoint_lock, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE) != SQLITE_OK) return false;
    volatile void* index = nullptr;
    const int code = methods.xShmMap(file, 0, index_piece_bytes, 0, &index);
    if (code == SQLITE_OK && index != nullptr)
        *reinterpret_cast<volatile std::uint32_t*>(static_cast<volatile char*>(index) + moved_in_index) = 0;
    methods.xShmLock(file, checkpoint_lock, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
    return true;
}

Result<void> change_nothing(sqlite::Database& database) {
    // SQLite writes the page even where the number does not change.
    const auto version = database.number("PRAGMA user_version");
    if (version.has_error()) return version.error();
    return database.run(fmt::format("PRAGMA user_version = {}", *version).c_str());
}

Result<void> begin_log_anew(sqlite::Database& database) {
    const auto is_busy = database.number("PRAGMA wal_checkpoint(TRUNCATE)");
    if (is_busy.has_error()) return is_busy.error();
    return sqlite::outcome(*is_busy == 0 ? SQLITE_OK : SQLITE_BUSY);
}

}  // namespace gateway
