// This is a disk in memory, to which SQLite writes through a VFS of ours. It distinguishes what was written, which
// every program reads, from what was flushed, which a power cut leaves. Its unit is a block: a power cut loses or tears
// each block that was written since its last flush as a whole, including what was durable in it. The disk can be full,
// or fail at a chosen operation. Like real disks, it outlives the processes that write to it.
#pragma once

#include "simulation/fates.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gateway::simulation {

// This is the name of the gateway's journal on the disk.
inline constexpr const char* journal_path = "journal.db";
// This is the length of the journal's write-ahead log. It is so short that a run moves the log's pages into the journal
// several times.
inline constexpr std::int64_t journal_log_bytes = 65'536;

struct DiskFaults {
    bool full = false;     // nothing can grow
    bool failing = false;  // every write and flush is an I/O error
    bool unreadable = false;
    // A flush that fails has lost what it had to write, as on Linux: every program still reads it, and no later flush
    // writes it unless it is written again.
    bool forgetful = false;
};

// These are the blocks that the gateway's commits are padded for: SQLite takes every disk on Linux for one of these.
inline constexpr std::size_t padded_block_bytes = 4'096;

// This is what a gateway with a deliberate fault leaves out of its work on the disk (mutants/).
struct Omissions {
    bool padding = false;           // of commits
    bool log_flushes = false;       // of the write-ahead log
    bool database_flushes = false;  // of the database itself
    bool rewriting = false;         // of what the log has, where its visible content may not be on the disk
};

class Disk {
  public:
    // A disk writes a block of this size as a whole or not at all. Nothing may be unflushed while it is changed.
    std::size_t block_bytes = padded_block_bytes;

    // Returns the name under which SQLite finds the VFS.
    static const char* vfs();
    // Lets everything that SQLite opens from now on be on this disk, and returns the disk that was mounted before, if
    // any. Only one is mounted at a time, because the simulation has one thread.
    Disk* mount();

    DiskFaults faults;
    Omissions omissions;
    // Stops everything at the n-th change from now on (0: never): whatever the processes do then has no effect until
    // crash() or go_on().
    std::uint64_t cut_in = 0;
    std::uint64_t cut_in_flushes = 0;  // the same, counting flushes only
    void cut_now() noexcept { cut_ = true; }
    // The n-th change from now on fails (0: never), for lack of room where `fails_as_full` is set.
    std::uint64_t fail_in = 0;
    bool fails_as_full = false;
    // Right before the n-th change from now on (0: never), another program has a turn.
    std::uint64_t interrupt_in = 0;
    std::function<void()> interrupt;
    bool cut() const noexcept { return cut_; }
    // Is called before each change, with whether it is a flush.
    std::function<void(bool is_flush)> watch;

    // Cuts the power now, unless it was cut already. Returns false where the log that is left looks as if the disk had
    // lost what was flushed, although it did not.
    bool crash(Fates& fates);
    // Returns of how many changes crash() would ask now what becomes of them.
    std::size_t unflushed() const;
    // A process was killed, and the machine goes on: the next one finds what was written, flushed or not.
    void go_on() noexcept;
    // These are for reading: flushed() has what a power cut would leave now, copy() what every process sees.
    Disk flushed() const;
    Disk copy() const;
    // Returns a disk that has nothing but what every process sees of this file.
    Disk alone(const std::string& name) const;
    // Returns the disk as it is after the process has ended in order: everything on it is flushed.
    Disk at_rest() const;

    // Writes the journal of another disk over this one's. No program may have it open. A log that stands beside it is
    // removed, because it does not belong to the copy, unless a person leaves it.
    enum class Replacing { flushed, by_cp, by_cp_beside_the_log };
    void replace_journal(const Disk& other, Replacing how);
    // Tells whether a log with anything in it stands beside the journal.
    bool has_log() const;
    // Tells whether the journal has a write-ahead log, or its file says that one belongs to it.
    bool is_in_wal_mode() const;

    std::uint64_t changes() const noexcept { return changes_; }
    std::uint64_t failures() const noexcept { return failures_; }

    // These are the locks of one connection on a file, in SQLite's terms.
    struct Locks {
        int level = 0;           // of the file
        bool maps = false;       // whether it maps the file's shared memory
        unsigned shared = 0;     // locks on the shared memory, a bit for each
        unsigned exclusive = 0;  // the same
    };
    struct File {
        std::string now;
        std::string flushed;
        bool kept = false;                                               // the file's name is flushed
        std::set<std::size_t> dirty;                                     // the blocks that the next flush writes
        std::set<std::size_t> forgot;                                    // the blocks that no flush writes any more
        std::size_t shortest = std::numeric_limits<std::size_t>::max();  // the shortest length since the last flush
        std::vector<Locks*> locks;                                       // those of everybody who has the file open
        std::uint64_t failed_flushes = 0;                                // failed flushes of any connection
    };
    using Handle = std::shared_ptr<File>;

    // The following functions are for the VFS.
    void write(File& file, const void* data, std::size_t size, std::size_t from) const;
    void shorten(File& file, std::size_t size) const;
    Handle open(const std::string& name, bool create);
    bool exists(const std::string& name) const { return files_.contains(name); }
    // Removes a file. A power cut may bring it back, until the folder or any file was flushed.
    void remove(const std::string& name, bool flush_folder);
    enum class Verdict { done, full, error };
    // `end` is the end of what is written.
    Verdict before_change(const File* file = nullptr, std::size_t end = 0, bool is_flush = false);
    Verdict flush(File& file);
    std::vector<std::unique_ptr<char[]>>& shared_memory() { return shared_memory_; }

  private:
    std::size_t blocks(std::size_t bytes) const noexcept;
    void land(File& file, std::size_t block) const;
    void leave(File& file, std::size_t block, Fates& fates) const;
    bool is_at_risk(const File& file, std::size_t block) const;
    void leave_some(File& file, Fates& fates) const;

    std::map<std::string, Handle> files_;
    std::map<std::string, Handle> removed_;  // files whose removal is not flushed
    std::vector<std::unique_ptr<char[]>> shared_memory_;
    std::uint64_t changes_ = 0;
    std::uint64_t failures_ = 0;
    bool cut_ = false;
    bool in_doubt_ = false;  // a flush has failed since the power came, or since a process was killed
};

}  // namespace gateway::simulation
