#include "probe/append_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace gateway::probe {
namespace {

// Of a file that is read at start: thousands of sales' evidence. What is larger is none that a probe has written.
constexpr std::size_t most_bytes = 256U << 20U;

std::string system_words(const std::string& path) {
    return path + ": " + std::generic_category().message(errno);
}

}  // namespace

boost::system::result<AppendFile, std::string> AppendFile::open(const std::string& path) {
    constexpr int owner_only = 0600;
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, owner_only);
    if (descriptor < 0) return system_words(path);
    AppendFile file(path, descriptor);
    if (auto trouble = file.read_lines(); !trouble.empty()) return trouble;
    return file;
}

AppendFile::~AppendFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::string AppendFile::read_lines() {
    std::string text;
    std::array<char, 65536> piece{};
    while (true) {
        const auto count = ::read(descriptor_, piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_words(path_);
        if (count == 0) break;
        text.append(piece.data(), static_cast<std::size_t>(count));
        if (text.size() > most_bytes) return path_ + ": is larger than anything that a probe writes";
    }
    torn_ = !text.empty() && !text.ends_with('\n');
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        lines_.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return {};
}

bool AppendFile::fail() {
    fault_ = system_words(path_);
    return false;
}

bool AppendFile::append(std::string_view line, Lasting lasting) {
    fault_.clear();
    std::string text = torn_ ? "\n" : "";
    text.append(line).append("\n");
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto count = ::write(descriptor_, rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return fail();
        torn_ = static_cast<std::size_t>(count) < rest.size();
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    return lasting == Lasting::written || ::fdatasync(descriptor_) == 0 || fail();
}

}  // namespace gateway::probe
