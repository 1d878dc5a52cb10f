#include "probe/records.hpp"

#include "base/json_text.hpp"

#include <boost/json.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace gateway::probe {
namespace {

// A file that is read at start has the evidence of thousands of sales at most. No probe has written a larger one.
constexpr std::size_t most_bytes = 256U << 20U;

namespace json = boost::json;

std::string system_words(const std::string& path) {
    return path + ": " + std::generic_category().message(errno);
}

}  // namespace

void fail_by_errno(const std::string& path) {
    throw Failed(system_words(path));
}

AppendFile::AppendFile(const std::string& path) : path_(path) {
    std::ifstream before(path);
    std::size_t size = 0;
    for (std::string line; std::getline(before, line); torn_ = before.eof()) {
        size += line.size();
        if (size > most_bytes) throw Failed(path + ": is larger than anything that a probe writes");
        lines_.push_back(line);
    }
    if (before.bad()) fail_by_errno(path);
    constexpr int owner_only = 0600;
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, owner_only);
    if (descriptor_ < 0) fail_by_errno(path);
}

AppendFile::~AppendFile() {
    ::close(descriptor_);
}

std::vector<json::object> AppendFile::take_records() {
    std::vector<json::object> records;
    for (const auto& line : take_lines())
        if (auto record = object_of(line); !record.empty()) records.push_back(std::move(record));
    return records;
}

bool AppendFile::append(const json::object& record, Lasting lasting) {
    std::string line;
    append_json(line, record);
    return append(line, lasting);
}

bool AppendFile::append(std::string_view line, Lasting lasting) {
    fault_.clear();
    const auto length = ::lseek(descriptor_, 0, SEEK_END);
    const bool was_torn = torn_;
    if (write_line(line) && (lasting == Lasting::written || ::fdatasync(descriptor_) == 0)) return true;
    fault_ = system_words(path_);
    // What there is of the line is taken away: it counts as not written. Where not even that is possible, the next line
    // begins on its own.
    if (length >= 0 && ::ftruncate(descriptor_, length) == 0) torn_ = was_torn;
    return false;
}

bool AppendFile::write_line(std::string_view line) {
    const auto text = fmt::format("{}{}\n", torn_ ? "\n" : "", line);
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto count = ::write(descriptor_, rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        torn_ = static_cast<std::size_t>(count) < rest.size();
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

std::optional<std::string> set_aside(const std::string& path) {
    constexpr int most_names = 100;  // a folder in which that many files were set aside is no folder of a probe's
    for (int number = 1; number <= most_names; ++number) {
        const auto name = fmt::format("{}.{}", path, number);
        if (::access(name.c_str(), F_OK) == 0) continue;
        return ::rename(path.c_str(), name.c_str()) == 0 ? std::optional(name) : std::nullopt;
    }
    return std::nullopt;
}

json::object object_of(std::string_view text) {
    boost::system::error_code malformed;
    auto value = json::parse(text, malformed);
    auto* object = malformed ? nullptr : value.if_object();
    return object == nullptr ? json::object() : std::move(*object);
}

}  // namespace gateway::probe
