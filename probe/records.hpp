// A file of lines is only ever added to, because what a probe leaves must be there however it ends. A line that a full
// disk cut short is not taken for one: it is taken away, or the next line begins on its own.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::probe {

// Ends a run, in words for the person who started it.
struct Failed : std::runtime_error {
    using std::runtime_error::runtime_error;
};
// Throws Failed with what errno says: "PATH: No space left on device".
[[noreturn]] void fail_by_errno(const std::string& path);

class AppendFile {
  public:
    enum class Lasting { written, durable };  // handed to the system; on the disk too

    // Makes the file, for its owner alone, or opens it. Throws Failed if it cannot be used.
    explicit AppendFile(const std::string& path);
    AppendFile(const AppendFile&) = delete;
    AppendFile& operator=(const AppendFile&) = delete;
    ~AppendFile();

    // Adds a line without its line break. Returns false if it is not as lasting as was asked: see fault().
    bool append(std::string_view line, Lasting lasting);
    bool append(const boost::json::object& record, Lasting lasting);
    // Says in words why the latest line could not be added; empty if it was.
    const std::string& fault() const noexcept { return fault_; }
    // Returns once what was in the file when it was opened, without the line breaks. The last line may be a torn one.
    std::vector<std::string> take_lines() { return std::move(lines_); }
    // Does the same with lines of JSON objects. A line that holds none was cut short, and is left out.
    std::vector<boost::json::object> take_records();

  private:
    bool write_line(std::string_view line);

    const std::string path_;
    int descriptor_ = -1;
    bool torn_ = false;  // the file does not end with a line break
    std::string fault_;
    std::vector<std::string> lines_;
};

// Gives a file that cannot be gone on with another name, so that it is kept and a new one begins. Returns the name;
// nothing where that is not possible.
std::optional<std::string> set_aside(const std::string& path);

// Reads a JSON object that somebody else, or an earlier run, wrote: of any other text the object is empty.
boost::json::object object_of(std::string_view text);

}  // namespace gateway::probe
