// This is a configuration file as a test writes it: a minimal one that is accepted, and the test's changes to it.
#pragma once

#include "config/config.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

namespace gateway::test {

inline const std::string some_digest(64, 'a');

class ConfigText {
  public:
    ConfigText() {
        set("provider.base_url", R"("https://provider.example/api")");
        set("provider.auth_url", R"("https://auth.example")");
        set("provider.app_key", R"("key")");
        set("provider.app_secret", R"("s3cret")");
        set("provider.scopes", R"(["Venda_TvPrePaga"])");
        set("provider.estabelecimento", R"("87654321")");
        set("journal.path", R"("journal.db")");
        terminal("caixa-01", "key_sha256 = \"" + some_digest + "\"");
    }

    // `value` is written as it stands in the file.
    ConfigText& set(const std::string& key, std::string_view value) {
        values_[key] = value;
        return *this;
    }
    ConfigText& drop(const std::string& key) {
        values_.erase(key);
        return *this;
    }
    ConfigText& terminal(std::string_view id, std::string_view lines) {
        terminals_ += "[[terminals]]\nid = \"" + std::string(id) + "\"\n" + std::string(lines) + "\n";
        return *this;
    }
    ConfigText& product(std::string_view lines) { return this->lines("[[products]]\n" + std::string(lines)); }
    // Adds lines at the end of the file.
    ConfigText& lines(std::string_view more) {
        more_ += std::string(more) + "\n";
        return *this;
    }
    ConfigText& no_terminals() {
        terminals_.clear();
        return *this;
    }

    std::string text() const {
        std::string all;
        for (const auto& [key, value] : values_)
            all += key + " = " + value + "\n";
        return all + terminals_ + more_;
    }
    ConfigReading read() const { return read_config(text()); }

  private:
    std::map<std::string, std::string> values_;
    std::string terminals_;
    std::string more_;
};

// Writes one line for each problem, for messages and for comparing.
inline std::string lines(const std::vector<ConfigProblem>& problems) {
    std::string all;
    for (const auto& problem : problems)
        all += problem.key + ": " + problem.message + "\n";
    return all;
}

// Returns the configuration of a file that must be right.
inline Config good(const ConfigText& text) {
    auto reading = text.read();
    EXPECT_EQ(lines(reading.errors), "");
    return reading.config.value_or(Config{});
}

// Tells whether a usable file has a warning about this key.
inline bool warns(const ConfigText& text, std::string_view key) {
    const auto reading = text.read();
    EXPECT_TRUE(reading.config.has_value()) << lines(reading.errors);
    return std::ranges::any_of(reading.warnings, [&](const ConfigProblem& warning) { return warning.key == key; });
}

// Returns the only error of a file, as "key: message".
inline std::string only_error(const ConfigText& text) {
    const auto reading = text.read();
    EXPECT_FALSE(reading.config.has_value());
    EXPECT_EQ(reading.errors.size(), 1U) << lines(reading.errors);
    auto all = lines(reading.errors);
    if (!all.empty()) all.pop_back();
    return all;
}

}  // namespace gateway::test
