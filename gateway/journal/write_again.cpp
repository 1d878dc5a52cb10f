#include "journal/write_again.hpp"

#include "journal/sqlite.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace gateway {
namespace {

constexpr sqlite3_int64 piece = 65'536;

Result<void> outcome(int code) {
    if (code == SQLITE_OK) return {};
    return boost::system::error_code(code, sqlite::category());
}

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

    int write_again() {
        const auto& methods = *file()->pMethods;
        sqlite3_int64 size = 0;
        if (const int code = methods.xFileSize(file(), &size); code != SQLITE_OK) return code;
        std::array<char, piece> bytes;
        for (sqlite3_int64 at = 0; at < size; at += piece) {
            const auto length = static_cast<int>(std::min(piece, size - at));
            if (const int code = methods.xRead(file(), bytes.data(), length, at); code != SQLITE_OK) return code;
            if (const int code = methods.xWrite(file(), bytes.data(), length, at); code != SQLITE_OK) return code;
        }
        return methods.xSync(file(), SQLITE_SYNC_FULL);
    }

  private:
    std::vector<std::max_align_t> room_;  // zeroed: no methods, nothing to close
};

}  // namespace

Result<void> write_log_again(const std::string& path, const char* vfs_name) {
    sqlite::set_up();
    auto* const vfs = sqlite3_vfs_find(vfs_name);
    if (vfs == nullptr) return outcome(SQLITE_ERROR);
    const std::unique_ptr<const char, FreeName> name(
        sqlite3_create_filename(path.c_str(), (path + "-journal").c_str(), (path + "-wal").c_str(), 0, nullptr));
    if (!name) return outcome(SQLITE_NOMEM);
    const char* const log = sqlite3_filename_wal(name.get());
    int there = 0;
    if (const int code = vfs->xAccess(vfs, log, SQLITE_ACCESS_EXISTS, &there); code != SQLITE_OK) return outcome(code);
    if (there == 0) return {};
    File file(*vfs);
    int flags = 0;
    if (const int code = vfs->xOpen(vfs, log, file.file(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL, &flags);
        code != SQLITE_OK)
        return outcome(code);
    return outcome(file.write_again());
}

}  // namespace gateway
