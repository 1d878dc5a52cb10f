#include "journal/write_again.hpp"

#include "journal/log_gap.hpp"
#include "journal/sqlite.hpp"
#include "journal/wal_format.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace gateway {
namespace {

constexpr sqlite3_int64 most_at_once = 65'536;

struct FreeName {
    void operator()(const char* name) const noexcept { sqlite3_free_filename(name); }
};

// A file by way of SQLite's own door to the disk, whichever that is.
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

    int go_through(bool write, LogLeft& left) {
        const auto& methods = *file()->pMethods;
        sqlite3_int64 size = 0;
        if (const int code = methods.xFileSize(file(), &size); code != SQLITE_OK) return code;
        wal::Header header{};
        if (size < wal::header_bytes) return SQLITE_OK;  // SQLite finds nothing in it
        if (const int code = methods.xRead(file(), header.data(), wal::header_bytes, 0); code != SQLITE_OK) return code;
        if (write)
            if (const int code = methods.xWrite(file(), header.data(), wal::header_bytes, 0); code != SQLITE_OK)
                return code;
        // The frames that SQLite may find something in: those that have the header's salts, up to the first one that
        // has not.
        const auto frame = wal::frame_header_bytes + wal::page_bytes(header);
        const auto flush = [&] { return write ? methods.xSync(file(), SQLITE_SYNC_FULL) : SQLITE_OK; };
        if (frame == wal::frame_header_bytes) return flush();
        const auto piece = std::max<sqlite3_int64>(most_at_once / frame, 1) * frame;
        std::vector<char> bytes(static_cast<std::size_t>(piece));
        LogGap gap(header);
        bool all_ours = true;
        for (sqlite3_int64 at = wal::header_bytes; at < size; at += piece) {
            const auto there = std::min(piece, size - at);
            if (const int code = methods.xRead(file(), bytes.data(), static_cast<int>(there), at); code != SQLITE_OK)
                return code;
            sqlite3_int64 ours = 0;
            for (sqlite3_int64 begin = 0; begin + frame <= there; begin += frame) {
                gap.add(bytes.data() + begin);
                all_ours = all_ours && wal::is_of(header, bytes.data() + begin);
                if (all_ours) ours += frame;
            }
            if (ours == 0 || !write) continue;
            if (const int code = methods.xWrite(file(), bytes.data(), static_cast<int>(ours), at); code != SQLITE_OK)
                return code;
        }
        left.has_gap = gap.found();
        return flush();
    }

  private:
    std::vector<std::max_align_t> room_;  // zeroed: no methods, nothing to close
};

Result<LogLeft> go_through(const std::string& path, const char* vfs_name, bool write) {
    sqlite::set_up();
    auto* const vfs = sqlite3_vfs_find(vfs_name);
    if (vfs == nullptr) return sqlite::outcome(SQLITE_ERROR).error();
    const std::unique_ptr<const char, FreeName> name(
        sqlite3_create_filename(path.c_str(), (path + "-journal").c_str(), (path + "-wal").c_str(), 0, nullptr));
    if (!name) return sqlite::outcome(SQLITE_NOMEM).error();
    const char* const log = sqlite3_filename_wal(name.get());
    int there = 0;
    if (const int code = vfs->xAccess(vfs, log, SQLITE_ACCESS_EXISTS, &there); code != SQLITE_OK)
        return sqlite::outcome(code).error();
    if (there == 0) return LogLeft{};
    File file(*vfs);
    int flags = 0;
    const int mode = (write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_WAL;
    if (const int code = vfs->xOpen(vfs, log, file.file(), mode, &flags); code != SQLITE_OK)
        return sqlite::outcome(code).error();
    LogLeft left;
    if (const int code = file.go_through(write, left); code != SQLITE_OK) return sqlite::outcome(code).error();
    return left;
}

}  // namespace

Result<LogLeft> write_log_again(const std::string& path, const char* vfs) {
    return go_through(path, vfs, true);
}

Result<LogLeft> look_at_log(const std::string& path, const char* vfs) {
    return go_through(path, vfs, false);
}

}  // namespace gateway
