// SQLite's way to a Disk. The shared memory of its write-ahead log is the disk's too, and is lost with the process, as
// its own memory is. Locks are not kept: one connection at a time has a disk open.
#include "base/check.hpp"
#include "simulation/disk.hpp"

#include <malloc.h>
#include <sqlite3.h>

#include <cstring>
#include <new>
#include <utility>

namespace gateway::simulation {
namespace {

Disk* mounted = nullptr;

struct OpenFile {
    sqlite3_file base{};  // first, as SQLite will have it
    Disk* disk = nullptr;
    Disk::Handle file;
    std::string doomed;  // its name, where it is to be removed with the handle
    std::uint64_t generation = 0;

    bool alive() const { return generation == disk->generation() && !disk->cut(); }
};

OpenFile& of(sqlite3_file* file) {
    return *reinterpret_cast<OpenFile*>(file);
}

int code_of(Disk::Verdict verdict, int error) {
    switch (verdict) {
        case Disk::Verdict::done: return SQLITE_OK;
        case Disk::Verdict::full: return SQLITE_FULL;
        case Disk::Verdict::error: return error;
    }
    return error;
}

int close(sqlite3_file* raw) {
    auto& open = of(raw);
    if (!open.doomed.empty() && open.alive()) open.disk->remove(open.doomed);
    open.~OpenFile();
    return SQLITE_OK;
}

int read(sqlite3_file* raw, void* room, int size, sqlite3_int64 offset) {
    auto& open = of(raw);
    if (!open.alive() || open.disk->faults.unreadable) return SQLITE_IOERR_READ;
    const auto& bytes = open.file->now;
    const auto wanted = static_cast<std::size_t>(size);
    const auto from = std::min(static_cast<std::size_t>(offset), bytes.size());
    const auto there = std::min(wanted, bytes.size() - from);
    std::memcpy(room, bytes.data() + from, there);
    if (there == wanted) return SQLITE_OK;
    std::memset(static_cast<char*>(room) + there, 0, wanted - there);
    return SQLITE_IOERR_SHORT_READ;
}

int write(sqlite3_file* raw, const void* data, int size, sqlite3_int64 offset) {
    auto& open = of(raw);
    if (!open.alive()) return SQLITE_IOERR_WRITE;
    auto& file = *open.file;
    const auto from = static_cast<std::size_t>(offset);
    const auto end = from + static_cast<std::size_t>(size);
    const auto verdict = open.disk->before_change(end > file.now.size());
    if (verdict != Disk::Verdict::done) return code_of(verdict, SQLITE_IOERR_WRITE);
    if (file.now.size() < end) file.now.resize(end);
    std::memcpy(file.now.data() + from, data, static_cast<std::size_t>(size));
    file.unflushed.push_back({from, static_cast<std::size_t>(size)});
    return SQLITE_OK;
}

int truncate(sqlite3_file* raw, sqlite3_int64 size) {
    auto& open = of(raw);
    if (!open.alive()) return SQLITE_IOERR_TRUNCATE;
    const auto verdict = open.disk->before_change(false);
    if (verdict != Disk::Verdict::done) return code_of(verdict, SQLITE_IOERR_TRUNCATE);
    open.file->now.resize(static_cast<std::size_t>(size));
    open.file->unflushed.push_back({static_cast<std::size_t>(size), 0});
    return SQLITE_OK;
}

int sync(sqlite3_file* raw, int) {
    auto& open = of(raw);
    if (!open.alive()) return SQLITE_IOERR_FSYNC;
    return code_of(open.disk->flush(*open.file), SQLITE_IOERR_FSYNC);
}

int file_size(sqlite3_file* raw, sqlite3_int64* size) {
    *size = static_cast<sqlite3_int64>(of(raw).file->now.size());
    return SQLITE_OK;
}

int lock(sqlite3_file*, int) {
    return SQLITE_OK;
}
int check_reserved(sqlite3_file*, int* held) {
    *held = 0;
    return SQLITE_OK;
}
int control(sqlite3_file*, int, void*) {
    return SQLITE_NOTFOUND;
}
int sector_size(sqlite3_file*) {
    return 4096;
}
int characteristics(sqlite3_file*) {
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}  // as SQLite's own VFS has it

int map_shared(sqlite3_file* raw, int region, int size, int extend, volatile void** memory) {
    *memory = nullptr;
    auto& open = of(raw);
    if (!open.alive()) return SQLITE_IOERR_SHMMAP;
    auto& regions = open.disk->shared_memory();
    const auto index = static_cast<std::size_t>(region);
    if (index >= regions.size() && extend == 0) return SQLITE_OK;
    while (regions.size() <= index)
        regions.push_back(std::make_unique<char[]>(static_cast<std::size_t>(size)));
    *memory = regions[index].get();
    return SQLITE_OK;
}
int lock_shared(sqlite3_file*, int, int, int) {
    return SQLITE_OK;
}
void barrier(sqlite3_file*) {}
int unmap_shared(sqlite3_file* raw, int remove) {
    auto& open = of(raw);
    if (remove != 0 && open.alive()) open.disk->shared_memory().clear();
    return SQLITE_OK;
}

constexpr sqlite3_io_methods methods{2,
                                     &close,
                                     &read,
                                     &write,
                                     &truncate,
                                     &sync,
                                     &file_size,
                                     &lock,
                                     &lock,
                                     &check_reserved,
                                     &control,
                                     &sector_size,
                                     &characteristics,
                                     &map_shared,
                                     &lock_shared,
                                     &barrier,
                                     &unmap_shared,
                                     nullptr,
                                     nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* raw, int flags, int* out_flags) {
    auto& open = *new (raw) OpenFile;
    CHECK(mounted != nullptr);
    open.disk = mounted;
    open.generation = mounted->generation();
    const std::string path = name != nullptr ? name : "temporary";
    if ((flags & SQLITE_OPEN_DELETEONCLOSE) != 0) open.doomed = path;
    open.file = mounted->cut() ? nullptr : mounted->open(path, (flags & SQLITE_OPEN_CREATE) != 0);
    if (!open.file) {
        open.~OpenFile();
        raw->pMethods = nullptr;
        return SQLITE_CANTOPEN;
    }
    open.base.pMethods = &methods;
    if (out_flags != nullptr) *out_flags = flags;
    return SQLITE_OK;
}

int remove_file(sqlite3_vfs*, const char* name, int) {
    const auto verdict = mounted->before_change(false);
    if (verdict != Disk::Verdict::done) return SQLITE_IOERR_DELETE;
    mounted->remove(name);
    return SQLITE_OK;
}

int access(sqlite3_vfs*, const char* name, int, int* result) {
    *result = mounted->exists(name) ? 1 : 0;
    return SQLITE_OK;
}

int full_name(sqlite3_vfs*, const char* name, int size, char* out) {
    sqlite3_snprintf(size, out, "%s", name);
    return SQLITE_OK;
}

int randomness(sqlite3_vfs*, int size, char* out) {
    std::memset(out, 7, static_cast<std::size_t>(size));  // only salts the log's checksums
    return size;
}
int sleep(sqlite3_vfs*, int microseconds) {
    return microseconds;
}
int current_time(sqlite3_vfs*, double* julian_day) {
    *julian_day = 2460432.5;  // nothing in the journal asks SQLite for the time
    return SQLITE_OK;
}
int last_error(sqlite3_vfs*, int, char*) {
    return 0;
}

}  // namespace

const char* Disk::vfs() {
    static sqlite3_vfs vfs{.iVersion = 1,
                           .szOsFile = sizeof(OpenFile),
                           .mxPathname = 64,
                           .pNext = nullptr,
                           .zName = "simulation",
                           .pAppData = nullptr,
                           .xOpen = &open_file,
                           .xDelete = &remove_file,
                           .xAccess = &access,
                           .xFullPathname = &full_name,
                           .xDlOpen = nullptr,
                           .xDlError = nullptr,
                           .xDlSym = nullptr,
                           .xDlClose = nullptr,
                           .xRandomness = &randomness,
                           .xSleep = &sleep,
                           .xCurrentTime = &current_time,
                           .xGetLastError = &last_error,
                           .xCurrentTimeInt64 = nullptr,
                           .xSetSystemCall = nullptr,
                           .xGetSystemCall = nullptr,
                           .xNextSystemCall = nullptr};
    static const bool registered = [] {
        mallopt(M_TRIM_THRESHOLD, 256 << 20);  // a run's memory is the next one's; giving it back in between
        mallopt(M_MMAP_THRESHOLD, 32 << 20);   // takes the kernel a tenth of the time
        sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);  // its counters cost a lock at every allocation
        return sqlite3_vfs_register(&vfs, 1) == SQLITE_OK;
    }();
    CHECK(registered);
    return vfs.zName;
}

Disk* Disk::mount() {
    return std::exchange(mounted, this);
}

}  // namespace gateway::simulation
