// Settles with the operating system what concerns this process and its threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

// Allows as many descriptors as the system lets us have, because a sale under way needs two. Call it before the program
// serves.
void raise_descriptor_limit();
// Turns a reader of the log that goes away, and a file at its size limit, into failed writes. None of them ends a sale.
void let_writes_fail();
// Makes a signal that comes from now on wait until it is let in, because its handler is not there yet. This is for the
// calling thread and those that it starts.
void hold_back(int signal);
// Lets the signal in, in the calling thread. A signal that has waited comes at once.
void let_in(int signal);
// Keeps the contents of memory (keys, tokens, customers' data) out of core files and away from other processes of the
// same user.
void keep_memory_private();
// Returns the folders where a program looks for other files that belong to it: beside itself, in a build, or where the
// package puts them.
std::vector<std::string> folders_of_parts();
// Replaces this process with another program of the package, which gets the arguments, the signals and the exit code.
// It returns only if that is not possible, and says why.
std::string become(const std::string& program, std::vector<std::string> arguments);
// A thread that works for the event loop calls this once when it begins. After that, waking the thread does not
// interrupt another one. On a machine with one processor the event loop then first does what it has to do, and what it
// hands over meanwhile is done together. If the system refuses this, everything works all the same.
void let_others_finish() noexcept;

// Tells whether an epoll of this process watches an event, which wakes it, and a timer, which ends its waits. It is
// true, too, where the system does not tell.
bool epoll_can_be_woken();

// Tells whether a time server keeps the machine's clock right, and nothing if the system does not say. A hardened
// service may not ask the kernel. It goes by the file that systemd-timesyncd touches whenever it has asked a server.
std::optional<bool> clock_is_synchronized();
// Tells whether such a file was touched lately, and nothing if there is none.
std::optional<bool> was_synchronized_lately(const std::string& file);

// Says what the process uses of the machine now. A value is nothing if the system does not tell it, or sets no limit.
struct ProcessUse {
    std::optional<double> cpu_s;  // processor time of all its threads, including the system's work for them
    std::optional<std::uint64_t> resident_bytes;
    std::optional<std::uint64_t> virtual_bytes;
    std::optional<std::uint64_t> open_descriptors;
    std::optional<std::uint64_t> most_descriptors;  // the process may have so many open
};
ProcessUse process_use();

}  // namespace gateway
