// A log that keeps its lines, for tests that ask what was said, and what was not.
#pragma once

#include "base/log.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::test {

class MemoryLog final : public Log {
  public:
    explicit MemoryLog(LogLevel level = LogLevel::debug) { set_level(level); }

    // "warn token.failed why=unreachable tries=3"
    std::vector<std::string> lines;

    std::size_t count(std::string_view text) const {
        return static_cast<std::size_t>(std::count_if(
            lines.begin(), lines.end(), [&](const std::string& line) { return line.find(text) != std::string::npos; }));
    }
    bool has(std::string_view text) const { return count(text) > 0; }

  private:
    void line(LogLevel level, std::string_view event, std::span<const LogField> fields) override {
        std::string text;
        append_log_line(text, LogFormat::text, WallTime{}, level, event, fields);
        const auto first = text.find_first_not_of(' ', text.find(' '));  // the time of the line is left out
        const auto last = text.find(' ', first);
        lines.push_back(text.substr(first, last - first) + " " + text.substr(text.find_first_not_of(' ', last)));
    }
};

}  // namespace gateway::test
