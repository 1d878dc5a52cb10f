#include "journal/gathering_vfs.hpp"

#include <cstddef>
#include <map>
#include <new>
#include <string>

namespace gateway {
namespace {

// Written by one call: the longest that SQLite's own VFS takes, for it is the longest page.
constexpr std::size_t most_gathered = std::size_t{64} << 10;

// SQLite's handle of a log. The handle of the VFS below follows it in memory.
struct LogFile {
    sqlite3_file base{};  // first, as SQLite will have it
    std::string gathered;
    sqlite3_int64 begin = 0;  // where in the file it goes
};

constexpr std::size_t room_for_log_file =
    (sizeof(LogFile) + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);

LogFile& of(sqlite3_file* file) {
    return *reinterpret_cast<LogFile*>(file);
}

sqlite3_file* below(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<std::byte*>(file) + room_for_log_file);
}

const sqlite3_io_methods& methods_below(sqlite3_file* file) {
    return *below(file)->pMethods;
}

// In the order in which SQLite wrote it. What cannot be written stays gathered: SQLite takes it for written.
int write_gathered(sqlite3_file* file) {
    auto& log = of(file);
    if (log.gathered.empty()) return SQLITE_OK;
    const int code =
        methods_below(file).xWrite(below(file), log.gathered.data(), static_cast<int>(log.gathered.size()), log.begin);
    if (code != SQLITE_OK) return code;
    log.gathered.clear();
    return SQLITE_OK;
}

// The same for a step of a commit, which SQLite gives up where a step fails, and with it all that is gathered: on a
// disk that has no room for it a smaller one still may have.
int write_gathered_or_drop(sqlite3_file* file) {
    const int code = write_gathered(file);
    if (code != SQLITE_OK) of(file).gathered.clear();
    return code;
}

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    auto& log = of(file);
    const auto more = static_cast<std::size_t>(size);
    const bool follows = log.begin + static_cast<sqlite3_int64>(log.gathered.size()) == offset;
    if (!follows || log.gathered.size() + more > most_gathered)
        if (const int code = write_gathered_or_drop(file); code != SQLITE_OK) return code;
    if (log.gathered.empty()) log.begin = offset;
    try {
        log.gathered.append(static_cast<const char*>(data), more);
    } catch (const std::bad_alloc&) {
        log.gathered.clear();
        return SQLITE_IOERR_NOMEM;
    }
    return SQLITE_OK;
}

int sync(sqlite3_file* file, int flags) {
    if (const int code = write_gathered_or_drop(file); code != SQLITE_OK) return code;
    return methods_below(file).xSync(below(file), flags);
}

// What is still gathered is of no commit.
int close(sqlite3_file* file) {
    const int code = methods_below(file).xClose(below(file));
    of(file).~LogFile();
    return code;
}

// What the VFS below does itself.
template <auto Method, class... Arguments>
int pass_on(sqlite3_file* file, Arguments... arguments) {
    return (methods_below(file).*Method)(below(file), arguments...);
}

// The same, of what depends on what the file holds.
template <auto Method, class... Arguments>
int pass_on_written(sqlite3_file* file, Arguments... arguments) {
    if (const int code = write_gathered(file); code != SQLITE_OK) return code;
    return (methods_below(file).*Method)(below(file), arguments...);
}

using Io = sqlite3_io_methods;

// A log needs no more: the shared memory is the database's, and nothing of the log is mapped.
constexpr Io methods = {.iVersion = 1,
                        .xClose = &close,
                        .xRead = &pass_on_written<&Io::xRead, void*, int, sqlite3_int64>,
                        .xWrite = &write,
                        .xTruncate = &pass_on_written<&Io::xTruncate, sqlite3_int64>,
                        .xSync = &sync,
                        .xFileSize = &pass_on_written<&Io::xFileSize, sqlite3_int64*>,
                        .xLock = &pass_on<&Io::xLock, int>,
                        .xUnlock = &pass_on<&Io::xUnlock, int>,
                        .xCheckReservedLock = &pass_on<&Io::xCheckReservedLock, int*>,
                        .xFileControl = &pass_on<&Io::xFileControl, int, void*>,
                        .xSectorSize = &pass_on<&Io::xSectorSize>,
                        .xDeviceCharacteristics = &pass_on<&Io::xDeviceCharacteristics>,
                        .xShmMap = nullptr,
                        .xShmLock = nullptr,
                        .xShmBarrier = nullptr,
                        .xShmUnmap = nullptr,
                        .xFetch = nullptr,
                        .xUnfetch = nullptr};

sqlite3_vfs& vfs_below(sqlite3_vfs* vfs) {
    return *static_cast<sqlite3_vfs*>(vfs->pAppData);
}

int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    auto& under = vfs_below(vfs);
    if ((flags & SQLITE_OPEN_WAL) == 0) return under.xOpen(&under, name, file, flags, out_flags);
    new (file) LogFile;
    below(file)->pMethods = nullptr;
    const int code = under.xOpen(&under, name, below(file), flags, out_flags);
    if (below(file)->pMethods != nullptr)
        file->pMethods = &methods;  // SQLite closes it, whether it is open or not
    else
        of(file).~LogFile();
    return code;
}

// Calls the VFS below with itself, which it may look into.
template <auto Method, class... Arguments>
auto ask_below(sqlite3_vfs* vfs, Arguments... arguments) {
    auto& under = vfs_below(vfs);
    return (under.*Method)(&under, arguments...);
}

using Vfs = sqlite3_vfs;

// What goes on top of `under`.
Vfs on_top_of(Vfs& under, const std::string& name) {
    Vfs vfs{};
    vfs.iVersion = 1;
    vfs.szOsFile = static_cast<int>(room_for_log_file) + under.szOsFile;
    vfs.mxPathname = under.mxPathname;
    vfs.zName = name.c_str();
    vfs.pAppData = &under;
    vfs.xOpen = &open;
    vfs.xDelete = &ask_below<&Vfs::xDelete, const char*, int>;
    vfs.xAccess = &ask_below<&Vfs::xAccess, const char*, int, int*>;
    vfs.xFullPathname = &ask_below<&Vfs::xFullPathname, const char*, int, char*>;
    vfs.xRandomness = &ask_below<&Vfs::xRandomness, int, char*>;
    vfs.xSleep = &ask_below<&Vfs::xSleep, int>;
    vfs.xCurrentTime = &ask_below<&Vfs::xCurrentTime, double*>;
    vfs.xGetLastError = &ask_below<&Vfs::xGetLastError, int, char*>;
    return vfs;
}

}  // namespace

const char* gathering_vfs(const char* below) {
    sqlite::set_up();
    auto* const under = sqlite3_vfs_find(below);
    if (under == nullptr) return nullptr;
    static std::map<std::string, Vfs> made;  // by name, which stays where it is
    const auto [at, is_new] = made.try_emplace(std::string("gathering-") + under->zName);
    auto& [name, vfs] = *at;
    vfs.pAppData = under;
    if (!is_new) return name.c_str();
    vfs = on_top_of(*under, name);
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? name.c_str() : nullptr;
}

void drop_gathered(sqlite::Connection& connection) {
    sqlite3_file* log = nullptr;
    sqlite3_file_control(connection.raw(), "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&log));
    if (log != nullptr && log->pMethods == &methods) of(log).gathered.clear();
}

}  // namespace gateway
