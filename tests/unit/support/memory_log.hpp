// This is a log that keeps its lines, for tests that check what was logged, and what was not. Every test that uses it
// also checks the fields: a sentence names only fields that its line has, and a field always has the same type.
#pragma once

#include "base/log.hpp"
#include "base/log_text.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::test {

class MemoryLog final : public Log {
  public:
    explicit MemoryLog(LogLevel level = LogLevel::debug) { set_level(level); }

    // A line is for example "warn token.failed detail=unreachable try=3"; text that is not one plain word is quoted.
    std::vector<std::string> lines;
    // Has the same lines as a person reads them: "no token: unreachable; try 3  request=r-1".
    std::vector<std::string> sentences;

    std::size_t count(std::string_view text) const {
        return static_cast<std::size_t>(std::count_if(
            lines.begin(), lines.end(), [&](const std::string& line) { return line.find(text) != std::string::npos; }));
    }
    bool has(std::string_view text) const { return count(text) > 0; }

  private:
    void line(const LogLine& line) override {
        std::string json;
        append_log_line(json, LogFormat::json, WallTime{}, line);
        const auto fields = boost::json::parse(json).get_object();
        std::string text;
        for (const auto& [name, value] : fields) {
            if (name == "time") continue;
            if (name != "level" && name != "event") text.append(name).append("=");
            const auto* word = value.if_string();
            const bool plain = word != nullptr && std::ranges::all_of(*word, [](char c) {
                                   return c > ' ' && c < 0x7f && c != '"' && c != '\\';
                               });
            text.append(plain ? std::string(*word) : boost::json::serialize(value)).append(" ");
        }
        text.pop_back();
        lines.push_back(std::move(text));
        append_log_text(sentences.emplace_back(), line.sentence, line.fields, WallTime{});
        look_after(line);
    }

    static void look_after(const LogLine& line) {
        static std::map<std::string, std::size_t, std::less<>> types;  // of all fields in this process
        for (const auto& field : line.fields) {
            if (is_left_out(field)) continue;  // without a value, its type is not known here
            const auto [known, is_new] = types.emplace(field.name, field.value.index());
            EXPECT_EQ(known->second, field.value.index()) << field.name << " has two types, one in " << line.event;
        }
        for (const auto part : line.sentence.parts())
            for (auto begin = part.find('{'); begin != part.npos; begin = part.find('{', begin + 1)) {
                const auto name = part.substr(begin + 1, part.find('}', begin) - begin - 1);
                EXPECT_TRUE(std::ranges::find(line.fields, name, &LogField::name) != line.fields.end())
                    << line.event << " has no field " << name << " for: " << part;
            }
    }
};

}  // namespace gateway::test
