// This is what the kernel says about the process that is measured.
#pragma once

#include <cstdint>

namespace rig {

// Returns the processor time that all threads of the process have used so far, in seconds. The rig ends where there is
// no such process.
double processor_seconds(int process);
// Returns the resident memory, in KiB.
std::uint64_t resident_kib(int process);
// Returns its open descriptors; 0 where only root may count them, as for a process that hides its memory.
std::uint64_t descriptors(int process);

}  // namespace rig
