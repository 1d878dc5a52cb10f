#include "simulation/lock_file.hpp"

#include "base/check.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace gateway::simulation {

LockFile::LockFile() : path_("/dev/shm/simulated-lock-XXXXXX"), descriptor_(mkostemp(path_.data(), O_CLOEXEC)) {
    CHECK(descriptor_ >= 0);
}

LockFile::~LockFile() {
    unlink(path_.c_str());
    close(descriptor_);
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
