#include "bench/rig/observed.hpp"

#include "bench/rig/check.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace rig {
namespace {

std::filesystem::path folder_of(int process) {
    return std::filesystem::path("/proc") / std::to_string(process);
}

}  // namespace

double processor_seconds(int process) {
    // The time is in nanoseconds for each thread; the more usual /proc/PID/stat counts in hundredths of a second.
    std::uint64_t nanoseconds = 0;
    std::error_code error;
    for (const auto& thread : std::filesystem::directory_iterator(folder_of(process) / "task", error)) {
        std::uint64_t used = 0;
        std::ifstream(thread.path() / "schedstat") >> used;
        nanoseconds += used;
    }
    if (error) fail("the process that is measured", error.message().c_str());
    return static_cast<double>(nanoseconds) / 1e9;
}

std::uint64_t resident_kib(int process) {
    std::ifstream status(folder_of(process) / "status");
    for (std::string word; status >> word;) {
        if (word != "VmRSS:") continue;
        std::uint64_t kib = 0;
        status >> kib;
        return kib;
    }
    return 0;
}

std::uint64_t descriptors(int process) {
    std::error_code refused;
    const std::filesystem::directory_iterator all(folder_of(process) / "fd", refused);
    return refused ? 0 : static_cast<std::uint64_t>(std::distance(begin(all), end(all)));
}

}  // namespace rig
