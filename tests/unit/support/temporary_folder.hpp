// This is a folder that is removed with the test.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gateway::test {

// Returns all bytes of a file, and none where it cannot be read. (Reading through an iterator takes many times as long
// in a build without optimisation.)
inline std::string contents_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) return {};
    std::string bytes(static_cast<std::size_t>(file.tellg()), '\0');
    file.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

class TemporaryFolder {
  public:
    TemporaryFolder() {
        auto pattern = (std::filesystem::temp_directory_path() / "gateway-test-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder can be made");
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string path(std::string_view name) const { return (path_ / name).string(); }
    // Writes a file that only its owner may read, and returns its path.
    std::string write(std::string_view name, std::string_view text) const {
        std::ofstream(path(name)) << text;
        std::filesystem::permissions(path(name),
                                     std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        return path(name);
    }

  private:
    std::filesystem::path path_;
};

}  // namespace gateway::test
