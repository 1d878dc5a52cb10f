// What the kernel says of the process that is measured.
#pragma once

#include <cstdint>

namespace rig {

// Processor time that all its threads have used so far, in seconds. Ends the rig where there is no such process.
double processor_seconds(int process);
// Resident memory, in KiB.
std::uint64_t resident_kib(int process);
// Its open descriptors; 0 where only root may count them, as of a process that keeps its memory to itself.
std::uint64_t descriptors(int process);

}  // namespace rig
