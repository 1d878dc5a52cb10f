#include "simulation/lock_file.hpp"

#include "base/check.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

namespace gateway::simulation {

LockFile::LockFile() : descriptor_(memfd_create("simulated.lock", MFD_CLOEXEC)) {
    CHECK(descriptor_ >= 0);
}

LockFile::~LockFile() {
    close(descriptor_);
}

std::string LockFile::path() const {
    return fmt::format("/proc/self/fd/{}", descriptor_);
}

std::string LockFile::content() const {
    std::array<char, 512> room{};
    const auto size = pread(descriptor_, room.data(), room.size(), 0);
    CHECK(size >= 0);
    return {room.data(), static_cast<std::size_t>(size)};
}

void LockFile::set_content(const std::string& content) {
    CHECK(ftruncate(descriptor_, 0) == 0);
    CHECK(pwrite(descriptor_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
}

}  // namespace gateway::simulation
