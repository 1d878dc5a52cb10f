// What the process settles with the operating system about itself and its threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

// Before it serves: as many descriptors as the system lets us have: a sale under way needs two.
void raise_descriptor_limit();
// A reader of the log that goes away and a file at its size limit are failed writes, and none of them ends a sale.
void let_writes_fail();
// A signal that comes from now on waits until it is let in: what handles it is not there yet. For the thread that
// calls this, and those that it starts.
void hold_back(int signal);
// In the calling thread. What has waited comes at once.
void let_in(int signal);
// What is in memory (keys, tokens, customers' data) goes into no core file, and no other process of the same user reads
// it.
void keep_memory_private();
// Names the folders where a program looks for what else belongs to it: beside itself, in a build, or where the package
// puts it.
std::vector<std::string> folders_of_parts();
// Gives the process to another program of the package, which gets the arguments, the signals and the exit code. Returns
// only where that is not possible, and says why.
std::string become(const std::string& program, std::vector<std::string> arguments);
// Called by a thread that works behind the event loop's back, once, when it begins. From then on it does not interrupt
// another thread when it is woken: on a box with one processor the event loop first does what it has to do, and what it
// hands over meanwhile is done together. Where the system refuses that, everything works all the same.
void let_others_finish() noexcept;

// Whether the machine's clock is kept right by a time server; nothing where the system does not say. A hardened service
// may not ask the kernel: there the file counts that systemd-timesyncd touches whenever it has looked at a server.
std::optional<bool> clock_is_synchronized();
// Whether such a file was touched lately; nothing where there is none.
std::optional<bool> was_synchronized_lately(const std::string& file);

// What the process takes of the machine now. Each is nothing where the system does not say, or sets no limit.
struct ProcessUse {
    std::optional<double> cpu_s;  // processor time of all its threads, the system's work for them included
    std::optional<std::uint64_t> resident_bytes;
    std::optional<std::uint64_t> virtual_bytes;
    std::optional<std::uint64_t> open_descriptors;
    std::optional<std::uint64_t> most_descriptors;  // that it may have open
};
ProcessUse process_use();

}  // namespace gateway
