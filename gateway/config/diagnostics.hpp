// What reading a configuration has found so far: errors, warnings, and which line each key stands on.
#pragma once

#include "config/config.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway {

class Diagnostics {
  public:
    void stands(const std::string& key, unsigned line) { lines_.emplace(key, line); }
    bool has(const std::string& key) const { return lines_.contains(key); }
    // A key that could not be read is not judged once more by what stands in its place.
    bool has_error(std::string_view key) const {
        return std::ranges::any_of(errors_, [&](const ConfigProblem& error) { return error.key == key; });
    }

    // At the key's own line, or else at its section's.
    void error(const std::string& key, std::string message) {
        errors_.push_back({key, line_of(key), std::move(message)});
    }
    void warn(const std::string& key, std::string message) {
        warnings_.push_back({key, line_of(key), std::move(message)});
    }

    const ConfigLines& lines() const noexcept { return lines_; }
    const std::vector<ConfigProblem>& errors() const noexcept { return errors_; }
    const std::vector<ConfigProblem>& warnings() const noexcept { return warnings_; }

  private:
    unsigned line_of(std::string_view key) const { return gateway::line_of(lines_, key); }

    ConfigLines lines_;
    std::vector<ConfigProblem> errors_;
    std::vector<ConfigProblem> warnings_;
};
    // Warns of what a gateway starts with, because a start does not make it worse, and cannot sell with.
    void hinder(const std::string& key, std::string message) {
        warnings_.push_back({key, line_of(key), std::move(message), true});
    }

}  // namespace gateway
