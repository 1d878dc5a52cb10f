#include "probe/records.hpp"

#include "base/json_text.hpp"

#include <boost/json.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace gateway::probe {
namespace {

// A file that is read at start has the evidence of thousands of sales at most. No probe has written a larger one.
constexpr std::size_t most_bytes = 256U << 20U;

namespace json = boost::json;

}  // namespace

std::string system_words(const std::string& path) {
    return path + ": " + std::generic_category().message(errno);
}

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

std::vector<json::object> AppendFile::take_records() {
    std::vector<json::object> records;
    for (const auto& line : take_lines())
        if (auto record = object_in(line); !record.empty()) records.push_back(std::move(record));
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
    std::string text = torn_ ? "\n" : "";
    text.append(line).append("\n");
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
        const auto name = path + "." + std::to_string(number);
        if (::access(name.c_str(), F_OK) == 0) continue;
        if (::rename(path.c_str(), name.c_str()) == 0) return name;
        return std::nullopt;
    }
    return std::nullopt;
}

json::object object_in(std::string_view text) {
    boost::system::error_code malformed;
    auto value = json::parse(text, malformed);
    auto* object = malformed ? nullptr : value.if_object();
    return object == nullptr ? json::object() : std::move(*object);
}

const json::object* object_in(const json::object* object, std::string_view name) {
    const auto* value = object == nullptr ? nullptr : object->if_contains(name);
    return value == nullptr ? nullptr : value->if_object();
}

std::string text_in(const json::object* object, std::string_view name) {
    const auto* value = object == nullptr ? nullptr : object->if_contains(name);
    const auto* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string() : std::string(*text);
}

}  // namespace gateway::probe
