// Collects what the reading of a configuration has found: errors, warnings, and the line of each key.
#pragma once

#include "base/told.hpp"
#include "config/config.hpp"

#include <fmt/format.h>

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
    // Returns whether the key, or a section that contains it, has an error. What stands in the place of a key that
    // could not be read is not judged again, and neither is what follows from it. A misspelt key has its error, and is
    // not reported as missing, too.
    bool has_error(std::string_view key) const {
        return std::ranges::any_of(errors_, [&](const ConfigProblem& error) { return is_within(key, error.key); }) ||
               std::ranges::any_of(meant_,
                                   [&](const std::string& meant) { return !has(meant) && is_within(key, meant); });
    }
    // Returns whether the section has an error, or any key that is in it.
    bool has_error_in(std::string_view section) const {
        return has_error(section) ||
               std::ranges::any_of(errors_, [&](const auto& error) { return is_within(error.key, section); }) ||
               std::ranges::any_of(meant_, [&](const auto& meant) { return is_within(meant, section); });
    }
    // Notes that an unknown name was probably meant to be this key or section.
    void means(std::string key) { meant_.push_back(std::move(key)); }

    // These report at the line of the key, or else at that of its section. A message is a format that is marked with
    // told(), and its values; or it was made of such formats already.
    void error(const std::string& key, std::string message) {
        errors_.push_back({key, line_of(key), std::move(message)});
    }
    void warn(const std::string& key, std::string message) {
        warnings_.push_back({key, line_of(key), std::move(message)});
    }
    // Warns of something with which a gateway starts but cannot sell, because not starting would be worse.
    void hinder(const std::string& key, std::string message) {
        warnings_.push_back({key, line_of(key), std::move(message), true});
    }
    template <class... Values>
    void error(const std::string& key, fmt::format_string<Values...> message, Values&&... values) {
        error(key, fmt::format(message, std::forward<Values>(values)...));
    }
    template <class... Values>
    void warn(const std::string& key, fmt::format_string<Values...> message, Values&&... values) {
        warn(key, fmt::format(message, std::forward<Values>(values)...));
    }
    template <class... Values>
    void hinder(const std::string& key, fmt::format_string<Values...> message, Values&&... values) {
        hinder(key, fmt::format(message, std::forward<Values>(values)...));
    }

    const ConfigLines& lines() const noexcept { return lines_; }
    const std::vector<ConfigProblem>& errors() const noexcept { return errors_; }
    const std::vector<ConfigProblem>& warnings() const noexcept { return warnings_; }

  private:
    static bool is_within(std::string_view key, std::string_view section) {
        return !section.empty() && key.starts_with(section) &&
               (key.size() == section.size() || key[section.size()] == '.');
    }
    unsigned line_of(std::string_view key) const { return gateway::line_of(lines_, key); }

    ConfigLines lines_;
    std::vector<std::string> meant_;
    std::vector<ConfigProblem> errors_;
    std::vector<ConfigProblem> warnings_;
};

}  // namespace gateway
