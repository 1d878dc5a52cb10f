// Connects SQLite to a Disk. The shared memory of the write-ahead log belongs to the disk, too. As with SQLite's own
// VFS, it begins empty when nobody else has the journal open. Locks belong to a connection, and end with it.
#include "base/check.hpp"
#include "simulation/disk.hpp"

#include <malloc.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace gateway::simulation {
namespace {

Disk* mounted = nullptr;

struct OpenFile {
    sqlite3_file base{};  // SQLite requires it to come first
    Disk* disk = nullptr;
    Disk::Handle file;
    std::string doomed;  // its name, where it is removed when the handle is closed
    bool psow = true;    // whether a write leaves the bytes beside it alone, as the URI says
    bool is_log = false;
    bool is_database = false;
    Disk::Locks locks;
    std::uint64_t failed_flushes = 0;  // of the file's failed flushes, those that this handle has reported

    bool alive() const { return !disk->cut(); }
    // Tells whether any other handle of the file has the property.
    template <class Has>
    bool any_other(Has has) const {
        return std::ranges::any_of(file->locks,
                                   [&](const auto* other) { return other != &locks && std::invoke(has, *other); });
    }
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
    std::erase(open.file->locks, &open.locks);
    if (!open.doomed.empty() && open.alive()) open.disk->remove(open.doomed, false);
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
    const auto bytes = static_cast<std::size_t>(size);
    const std::string_view written(static_cast<const char*>(data), bytes);
    if (open.is_log && open.disk->omissions.rewriting && from < file.now.size() &&
        std::string_view(file.now).substr(from, bytes) == written)
        return SQLITE_OK;
    const auto verdict = open.disk->before_change(&file, from + bytes);
    if (verdict == Disk::Verdict::done) open.disk->write(file, data, bytes, from);
    // As much as there is room for is written all the same.
    if (verdict == Disk::Verdict::full && from < file.now.size())
        open.disk->write(file, data, std::min(bytes, file.now.size() - from), from);
    return code_of(verdict, SQLITE_IOERR_WRITE);
}

int truncate(sqlite3_file* raw, sqlite3_int64 size) {
    auto& open = of(raw);
    if (!open.alive()) return SQLITE_IOERR_TRUNCATE;
    const auto verdict = open.disk->before_change();
    if (verdict == Disk::Verdict::done) open.disk->shorten(*open.file, static_cast<std::size_t>(size));
    return code_of(verdict, SQLITE_IOERR_TRUNCATE);
}

int sync(sqlite3_file* raw, int) {
    auto& open = of(raw);
    if (!open.alive()) return SQLITE_IOERR_FSYNC;
    const auto& omissions = open.disk->omissions;
    if ((open.is_log && omissions.log_flushes) || (open.is_database && omissions.database_flushes)) return SQLITE_OK;
    const bool done = open.disk->flush(*open.file) == Disk::Verdict::done;
    // Linux reports a failed flush to everybody who has the file open, to each at the next flush of their own.
    const auto known = std::exchange(open.failed_flushes, open.file->failed_flushes);
    // SQLite has one result for every failed flush, also for one that found no room.
    return done && known == open.failed_flushes ? SQLITE_OK : SQLITE_IOERR_FSYNC;
}

int file_size(sqlite3_file* raw, sqlite3_int64* size) {
    *size = static_cast<sqlite3_int64>(of(raw).file->now.size());
    return SQLITE_OK;
}

int lock(sqlite3_file* raw, int level) {
    auto& open = of(raw);
    const auto held_from = [&](int least) {
        return open.any_other([&](const Disk::Locks& other) { return other.level >= least; });
    };
    if (held_from(level == SQLITE_LOCK_SHARED ? SQLITE_LOCK_PENDING : SQLITE_LOCK_RESERVED)) return SQLITE_BUSY;
    const bool waits = level == SQLITE_LOCK_EXCLUSIVE && held_from(SQLITE_LOCK_SHARED);
    open.locks.level = waits ? SQLITE_LOCK_PENDING : level;
    return waits ? SQLITE_BUSY : SQLITE_OK;
}
int unlock(sqlite3_file* raw, int level) {
    of(raw).locks.level = level;
    return SQLITE_OK;
}
int check_reserved(sqlite3_file* raw, int* held) {
    const auto& open = of(raw);
    const auto is_reserved = [](const Disk::Locks& locks) { return locks.level >= SQLITE_LOCK_RESERVED; };
    *held = is_reserved(open.locks) || open.any_other(is_reserved) ? 1 : 0;
    return SQLITE_OK;
}
int control(sqlite3_file*, int, void*) {
    return SQLITE_NOTFOUND;
}
// SQLite's own VFS answers this on every disk.
int sector_size(sqlite3_file*) {
    return static_cast<int>(padded_block_bytes);
}
// These are the characteristics that SQLite's own VFS has.
int characteristics(sqlite3_file* raw) {
    return of(raw).psow || of(raw).disk->omissions.padding ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0;
}

int map_shared(sqlite3_file* raw, int region, int size, int extend, volatile void** memory) {
    *memory = nullptr;
    auto& open = of(raw);
    if (!open.alive()) return SQLITE_IOERR_SHMMAP;
    auto& regions = open.disk->shared_memory();
    if (!open.locks.maps && !open.any_other(&Disk::Locks::maps)) regions.clear();
    open.locks.maps = true;
    const auto index = static_cast<std::size_t>(region);
    if (index >= regions.size() && extend == 0) return SQLITE_OK;
    if (index >= regions.size() && open.disk->faults.full) return SQLITE_IOERR_SHMSIZE;
    while (regions.size() <= index)
        regions.push_back(std::make_unique<char[]>(static_cast<std::size_t>(size)));
    *memory = regions[index].get();
    return SQLITE_OK;
}
int lock_shared(sqlite3_file* raw, int first, int count, int flags) {
    auto& open = of(raw);
    const auto bits = ((1U << static_cast<unsigned>(count)) - 1U) << static_cast<unsigned>(first);
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
        open.locks.shared &= ~bits;
        open.locks.exclusive &= ~bits;
        return SQLITE_OK;
    }
    const bool alone = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    const auto in_the_way = [&](const Disk::Locks& other) {
        return (other.exclusive & bits) != 0 || (alone && (other.shared & bits) != 0);
    };
    if (open.any_other(in_the_way)) return SQLITE_BUSY;
    (alone ? open.locks.exclusive : open.locks.shared) |= bits;
    return SQLITE_OK;
}
void barrier(sqlite3_file*) {}
int unmap_shared(sqlite3_file* raw, int) {
    of(raw).locks.maps = false;
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
                                     &unlock,
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
    if ((flags & SQLITE_OPEN_MAIN_DB) != 0 && (flags & SQLITE_OPEN_URI) != 0)
        open.psow = sqlite3_uri_boolean(name, "psow", 1) != 0;
    open.is_log = (flags & SQLITE_OPEN_WAL) != 0;
    open.is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    if (name != nullptr && (flags & SQLITE_OPEN_DELETEONCLOSE) != 0) open.doomed = name;
    if (name == nullptr)
        open.file = std::make_shared<Disk::File>();  // a temporary file
    else if (!mounted->cut())
        open.file = mounted->open(name, (flags & SQLITE_OPEN_CREATE) != 0);
    if (!open.file) {
        open.~OpenFile();
        raw->pMethods = nullptr;
        return SQLITE_CANTOPEN;
    }
    open.failed_flushes = open.file->failed_flushes;
    open.file->locks.push_back(&open.locks);
    open.base.pMethods = &methods;
    if (out_flags != nullptr) *out_flags = flags;
    return SQLITE_OK;
}

int remove_file(sqlite3_vfs*, const char* name, int flush_folder) {
    const auto verdict = mounted->before_change();
    if (verdict != Disk::Verdict::done) return SQLITE_IOERR_DELETE;
    mounted->remove(name, flush_folder != 0);
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
    std::memset(out, 7, static_cast<std::size_t>(size));  // these bytes only become the salts of the log's checksums
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
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);  // otherwise every allocation takes a lock for its counters
        return sqlite3_vfs_register(&vfs, 1) == SQLITE_OK;
    }();
    CHECK(registered);
    return vfs.zName;
}

Disk* Disk::mount() {
    return std::exchange(mounted, this);
}

}  // namespace gateway::simulation
