// A disk in memory that SQLite writes to through a VFS of ours. It tells what was written, which every program reads,
// from what was flushed, which a power cut leaves. Its unit is a block: of those that were written since they were
// flushed, a power cut takes back or tears each as a whole, and with it what was durable in it. It can be full, or fail
// at a chosen operation. It survives the processes that write to it, as disks do.
#pragma once

#include "simulation/chance.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gateway::simulation {

// The name of the gateway's journal on it.
inline constexpr const char* journal_path = "journal.db";
// And how long its write-ahead log is: so short that a run moves its pages into the journal several times.
inline constexpr std::int64_t journal_log_bytes = 65'536;

struct DiskFaults {
    bool full = false;     // nothing can grow
    bool failing = false;  // every write and flush is an I/O error
    bool unreadable = false;
    // A flush that fails has thrown away what it was to flush, as Linux does: every program goes on reading it, and no
    // later flush writes it, unless it is written again.
    bool forgetful = false;
};

class Disk {
  public:
    // What is written as a whole, or not.
    static constexpr std::size_t block_bytes = 4'096;

    // The name under which SQLite finds the VFS.
    static const char* vfs();
    // What SQLite opens from now on is on this disk; the one that was mounted before, if any. One at a time: the
    // simulation is one thread.
    Disk* mount();

    DiskFaults faults;
    // Everything stands still from the n-th change from now on (0: never): whatever the processes do then is not heard,
    // until crash() or go_on().
    std::uint64_t cut_in = 0;
    std::uint64_t cut_in_flushes = 0;  // the same, of flushes only
    void cut_now() noexcept { cut_ = true; }
    // The n-th change from now fails (0: never), for want of room where `fails_as_full`.
    std::uint64_t fail_in = 0;
    bool fails_as_full = false;
    // Right before the n-th change from now (0: never) somebody else has a turn.
    std::uint64_t interrupt_in = 0;
    std::function<void()> interrupt;
    bool cut() const noexcept { return cut_; }

    // The power is cut now, unless it was: what was not flushed is lost, or where `tear` each of its blocks is lost,
    // there or torn.
    void crash(Chance& chance, bool tear);
    // A process was killed, and the machine goes on: what was written is there for the next one, flushed or not.
    void go_on() noexcept;
    // For reading: what a power cut now would leave behind, and what every process sees.
    Disk flushed() const;
    Disk copy() const;
    // As it is found after the process ended in good order: everything on it is flushed.
    Disk at_rest() const;

    std::uint64_t changes() const noexcept { return changes_; }
    std::uint64_t failures() const noexcept { return failures_; }

    // What one connection has locked of a file, as SQLite means it.
    struct Locks {
        int level = 0;           // of the file
        bool maps = false;       // the shared memory that belongs to it
        unsigned shared = 0;     // of that, a bit each
        unsigned exclusive = 0;  // the same
    };
    struct File {
        std::string now;
        std::string flushed;
        bool kept = false;                                               // the file's name is flushed
        std::set<std::size_t> dirty;                                     // blocks that the next flush writes
        std::set<std::size_t> forgot;                                    // blocks that none writes any more
        std::size_t shortest = std::numeric_limits<std::size_t>::max();  // that it was since it was flushed
        std::vector<Locks*> locks;                                       // of everybody who has it open
        std::uint64_t failed_flushes = 0;                                // everybody's

        void write(const void* data, std::size_t size, std::size_t from);
        void cut(std::size_t size);
    };
    using Handle = std::shared_ptr<File>;

    // For the VFS.
    Handle open(const std::string& name, bool create);
    bool exists(const std::string& name) const { return files_.contains(name); }
    // A power cut may give the file back, until the folder, or any file, was flushed.
    void remove(const std::string& name, bool flush_folder);
    enum class Verdict { done, full, error };
    // `end`: of what is written.
    Verdict before_change(const File* file = nullptr, std::size_t end = 0);
    Verdict flush(File& file);
    std::vector<std::unique_ptr<char[]>>& shared_memory() { return shared_memory_; }

  private:
    std::map<std::string, Handle> files_;
    std::map<std::string, Handle> removed_;  // and that is not flushed
    std::vector<std::unique_ptr<char[]>> shared_memory_;
    std::uint64_t changes_ = 0;
    std::uint64_t failures_ = 0;
    bool cut_ = false;
    bool in_doubt_ = false;  // a flush has failed since the power came, or a process was killed
};

}  // namespace gateway::simulation
