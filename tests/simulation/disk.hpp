// A disk in memory that SQLite writes to through a VFS of ours. It tells what was written from what was flushed, so
// that a power cut can take away, or tear, everything that was not; and it can be full, or fail at a chosen operation.
// It survives the process that writes to it, as disks do.
#pragma once

#include "simulation/chance.hpp"

#include <cstdint>
#include <map>
#include <memory>
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
    bool forgetful = false;  // a flush that fails has thrown away what it was to flush, as Linux does
};

class Disk {
  public:
    // The name under which SQLite finds the VFS.
    static const char* vfs();
    // What SQLite opens from now on is on this disk; the one that was mounted before, if any. One at a time: the
    // simulation is one thread.
    Disk* mount();

    DiskFaults faults;
    // The power is cut at the n-th change from now (0: never); whatever the process does from then on is not heard.
    std::uint64_t cut_in = 0;
    std::uint64_t cut_in_flushes = 0;  // the same, of flushes only
    void cut_now() noexcept { cut_ = true; }
    // The n-th change from now fails (0: never).
    std::uint64_t fail_in = 0;
    bool cut() const noexcept { return cut_; }

    // The power is cut now, unless it was: what was not flushed is lost, or lands in part where `tear`.
    void crash(Chance& chance, bool tear);
    // The process ended in good order: all handles are closed, and nothing is lost but the shared memory, which SQLite
    // makes anew where nobody else has the journal open.
    void detach() {
        shared_memory_.clear();
        ++generation_;
    }
    // For reading: what a power cut now would leave behind, and what the process sees.
    Disk flushed() const;
    Disk copy() const;
    // As it is found after the process ended in good order: everything on it is flushed.
    Disk at_rest() const;

    std::uint64_t changes() const noexcept { return changes_; }
    std::uint64_t failures() const noexcept { return failures_; }

    struct File {
        std::string now;
        std::string flushed;
        bool kept = false;  // the file's name is flushed
        struct Change {
            std::size_t offset = 0;
            std::size_t length = 0;  // 0: the file was cut to `offset`
        };
        std::vector<Change> unflushed;
    };
    using Handle = std::shared_ptr<File>;

    // For the VFS.
    Handle open(const std::string& name, bool create);
    bool exists(const std::string& name) const { return files_.contains(name); }
    void remove(const std::string& name) { files_.erase(name); }
    std::uint64_t generation() const noexcept { return generation_; }
    enum class Verdict { done, full, error };
    Verdict before_change(bool grows);
    Verdict flush(File& file);
    std::vector<std::unique_ptr<char[]>>& shared_memory() { return shared_memory_; }

  private:
    std::map<std::string, Handle> files_;
    std::vector<std::unique_ptr<char[]>> shared_memory_;
    std::uint64_t generation_ = 0;
    std::uint64_t changes_ = 0;
    std::uint64_t failures_ = 0;
    bool cut_ = false;
};

}  // namespace gateway::simulation
