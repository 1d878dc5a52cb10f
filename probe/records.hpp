// A file of lines is only ever added to, because what a probe leaves must be there however it ends. A line that a full
// disk cut short is not taken for one: it is taken away, or the next line begins on its own.
#pragma once

#include <boost/json/object.hpp>
#include <boost/system/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::probe {

class AppendFile {
  public:
    enum class Lasting { written, durable };  // handed to the system; on the disk too

    // Makes the file, for its owner alone, or opens it. The error says in words what is the matter.
    static boost::system::result<AppendFile, std::string> open(const std::string& path);
    AppendFile(AppendFile&& other) noexcept
        : path_(std::move(other.path_)),
          descriptor_(std::exchange(other.descriptor_, -1)),
          torn_(other.torn_),
          fault_(std::move(other.fault_)),
          lines_(std::move(other.lines_)) {}
    AppendFile& operator=(AppendFile&&) = delete;
    AppendFile(const AppendFile&) = delete;
    AppendFile& operator=(const AppendFile&) = delete;
    ~AppendFile();

    // `line` has no line break. Returns false where it is not there as is asked: see fault().
    bool append(std::string_view line, Lasting lasting);
    bool append(const boost::json::object& record, Lasting lasting);
    // Says in words what the latest line failed of; empty where it did not.
    const std::string& fault() const noexcept { return fault_; }
    // Returns once what was in the file when it was opened, without the line breaks. The last line may be a torn one.
    std::vector<std::string> take_lines() { return std::move(lines_); }
    // Returns the lines as JSON objects. A line that is none was cut short, and is left out.
    std::vector<boost::json::object> take_records();

  private:
    AppendFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
    std::string read_lines();
    bool write_line(std::string_view line);

    std::string path_;
    int descriptor_ = -1;
    bool torn_ = false;  // the file does not end with a line break
    std::string fault_;
    std::vector<std::string> lines_;
};

// Says what errno says: "PATH: No space left on device".
std::string system_words(const std::string& path);

// Gives a file that cannot be gone on with another name, so that it is kept and a new one begins. Returns the name;
// nothing where that is not possible.
std::optional<std::string> set_aside(const std::string& path);

// These read JSON that somebody else, or an earlier run, wrote: what is not there, or is of another type, is empty, and
// a member of nothing is nothing.
boost::json::object object_in(std::string_view text);
const boost::json::object* object_in(const boost::json::object* object, std::string_view name);
std::string text_in(const boost::json::object* object, std::string_view name);

}  // namespace gateway::probe
