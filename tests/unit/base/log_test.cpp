#include "base/log.hpp"

#include "base/ulid.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/zone.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

// This is a type like those of the rooms above.
struct Cents {
    std::int64_t value;
};

constexpr WallTime at = std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + 13h + 11min + 12s + 20ms;

std::string as_json(std::initializer_list<LogField> fields, LogLevel level = LogLevel::info) {
    std::string line;
    append_log_line(line, LogFormat::json, at, {level, "sale.begun", "it began", {fields.begin(), fields.size()}});
    return line;
}

// Returns the value of the only field, read back from the line.
json::value read_back(const LogField& field) {
    const auto line = as_json({field});
    boost::system::error_code ec;
    const auto value = json::parse(line, ec);
    EXPECT_FALSE(ec) << line;
    return ec ? json::value() : value.as_object().at(std::string(field.name));
}

TEST(Log, JsonLineIsAnObjectWithTimeLevelAndEventFirst) {
    EXPECT_EQ(as_json({}), R"({"time":"2024-05-02T13:11:12.020Z","level":"info","event":"sale.begun"})");
    EXPECT_EQ(as_json({{"sale", "01J"}, {"valor", 1099}, {"final", true}}, LogLevel::error),
              R"({"time":"2024-05-02T13:11:12.020Z","level":"error","event":"sale.begun",)"
              R"("sale":"01J","valor":1099,"final":true})");
}

TEST(Log, ThePriorityOfALevelIsSyslogs) {
    EXPECT_EQ(priority_prefix(LogLevel::debug), "<7>");
    EXPECT_EQ(priority_prefix(LogLevel::info), "<6>");
    EXPECT_EQ(priority_prefix(LogLevel::warn), "<4>");
    EXPECT_EQ(priority_prefix(LogLevel::error), "<3>");
}

TEST(Log, ATextLineHasTheLocalTimeTheLevelTheSentenceAndTheIds) {
    const Zone zone("BRT+03");
    const auto as_text = [](LogLevel level, std::initializer_list<LogField> fields) {
        std::string line;
        append_log_line(line, LogFormat::text, at,
                        {level, "sale.begun", "{terminal} sells it", {fields.begin(), fields.size()}});
        return line;
    };
    EXPECT_EQ(as_text(LogLevel::info, {{"terminal", "caixa-01"}, {"state", "held"}}),
              "2024-05-02 10:11:12.020 info     caixa-01 sells it");
    EXPECT_EQ(as_text(LogLevel::warn, {{"sale", "01J"}, {"terminal", "caixa-01"}, {"request", "r-1"}}),
              "2024-05-02 10:11:12.020 warning  caixa-01 sells it  sale=01J request=r-1");
    EXPECT_TRUE(as_text(LogLevel::debug, {}).starts_with("2024-05-02 10:11:12.020 debug    "));
    EXPECT_TRUE(as_text(LogLevel::error, {}).starts_with("2024-05-02 10:11:12.020 error    "));
}

TEST(Log, EmptyAndAbsentFieldsAreLeftOutAndFalseOnesAreNot) {
    const std::optional<Duration> no_duration;
    const std::optional<std::string> no_text;
    EXPECT_EQ(as_json({{"a", ""}, {"b", std::string()}, {"c", no_duration}, {"d", no_text}}), as_json({}));
    EXPECT_TRUE(as_json({{"a", ""}, {"e", 0}, {"f", false}}).ends_with(R"("event":"sale.begun","e":0,"f":false})"));
    EXPECT_TRUE(as_json({{"durationMs", std::optional(20ms)}}).ends_with(R"(,"durationMs":20})"));
}

TEST(Log, ASecretIsThreeStarsEvenWhenItIsEmpty) {
    for (const auto& secret : {Secret("123.456.789-09"), Secret()})
        EXPECT_EQ(read_back({"cpf", secret}), json::value("***"));
}

TEST(Log, WhateverIsSpecialIsFoundWhereverItStands) {
    const std::string special = "\x01\x1f\"\\\x7f";
    for (std::size_t before = 0; before < 20; ++before) {
        const auto letters = std::string(before, 'a');
        for (const char c : special) {
            const auto text = letters + c + "bcdefghijk";
            EXPECT_EQ(read_back({"t", text}), json::value(text));
        }
    }
}

TEST(Log, ALineOfNothingButEscapesHasRoom) {
    const std::string text(1000, '\x02');
    EXPECT_EQ(read_back({"t", text}), json::value(text));
}

TEST(Log, NumbersOfEveryKindAreWritten) {
    EXPECT_EQ(read_back({"n", std::int64_t{-5}}), json::value(-5));
    EXPECT_EQ(read_back({"n", std::numeric_limits<std::int64_t>::max()}),
              json::value(std::numeric_limits<std::int64_t>::max()));
    EXPECT_EQ(read_back({"n", std::uint16_t{8080}}), json::value(8080));
    EXPECT_EQ(read_back({"n", std::size_t{3}}), json::value(3));
    EXPECT_EQ(read_back({"n", 1500ms}), json::value(1500));
    EXPECT_EQ(read_back({"n", true}), json::value(true));
    EXPECT_EQ(read_back({"n", Cents{4990}}), json::value(4990)) << "an amount is its cents";
    EXPECT_EQ(read_back({"n", at}), json::value("2024-05-02T13:11:12.020Z"));
}

TEST(Log, IdentifiersAreWrittenAsTheirText) {
    SeededRandom random;
    const auto id = Ulid::make(at, random);
    EXPECT_EQ(read_back({"sale", id}), json::value(id.text()));
}

TEST(Log, EveryByteLeavesTheLineJson) {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text{'a', static_cast<char>(byte), 'b'};
        const auto value = read_back({"detail", text});
        ASSERT_TRUE(value.is_string()) << byte;
        EXPECT_EQ(std::string(value.get_string()), byte < 0x80 ? text : "a?b") << byte;
    }
}

TEST(Log, TextInUtf8IsWrittenAsItIs) {
    EXPECT_EQ(read_back({"detail", "São Paulo 10 €"}), json::value("São Paulo 10 €"));
    EXPECT_EQ(read_back({"detail", "S\xE3o Paulo"}), json::value("S?o Paulo"));
    EXPECT_EQ(read_back({"detail", "10 € cut \xE2\x82"}), json::value("10 ??? cut ??"));
}

TEST(Log, NoTextBreaksTheLine) {
    for (const auto* text :
         {"a\nb", "a\rb", "a\r\nlevel=error", "\x1b[31mred", "\x7f", "\xC2\x85", "a\\nb", "\"", "\\"}) {
        const auto line = as_json({{"detail", text}});
        EXPECT_EQ(line.find_first_of("\n\r\x1b"), std::string::npos) << line;
    }
}

TEST(Log, LinesBelowTheLevelAreNotWritten) {
    MemoryLog log(LogLevel::warn);
    log.debug("one", "one");
    log.info("two", "two");
    log.warn("three", "three");
    log.error("four", "four");
    EXPECT_EQ(log.lines.size(), 2u);
    log.set_level(LogLevel::debug);
    log.debug("five", "five");
    EXPECT_EQ(log.lines.size(), 3u);
    EXPECT_EQ(log.level(), LogLevel::debug);
}

std::string in_portuguese(Language, std::string_view) {
    return "começou";
}

// Keeps the sentences in the language of the log.
class ToldLog final : public Log {
  public:
    std::vector<std::string> told;

  private:
    void line(const LogLine& line) override {
        append_log_text(told.emplace_back(), line.sentence, line.fields, at, line.telling);
        std::string json;
        append_log_line(json, LogFormat::json, at, line);
        EXPECT_EQ(json, as_json({})) << "what programs read has no language";
    }
};

TEST(Log, AReloadTakesTheLanguage) {
    ToldLog log;
    log.info("sale.begun", "it began");
    log.reload({.language = Language::portuguese});
    log.info("sale.begun", "it began");
    log.set_telling({Language::portuguese, in_portuguese});
    log.info("sale.begun", "it began");
    log.reload({.language = Language::english});
    log.info("sale.begun", "it began");
    log.reload({.language = Language::portuguese});
    log.info("sale.begun", "it began");
    EXPECT_EQ(log.told, (std::vector<std::string>{"it began", "it began", "começou", "it began", "começou"}));
}

TEST(Log, LevelsAndFormatsAreReadByTheirWords) {
    EXPECT_EQ(parse_log_level("debug"), LogLevel::debug);
    EXPECT_EQ(parse_log_level("info"), LogLevel::info);
    EXPECT_EQ(parse_log_level("warn"), LogLevel::warn);
    EXPECT_EQ(parse_log_level("error"), LogLevel::error);
    EXPECT_EQ(parse_log_format("json"), LogFormat::json);
    EXPECT_EQ(parse_log_format("text"), LogFormat::text);
    for (const auto* word : {"", "INFO", "warning", "trace", "Json", "xml"}) {
        EXPECT_FALSE(parse_log_level(word)) << word;
        EXPECT_FALSE(parse_log_format(word)) << word;
    }
}

TEST(Log, ASilentLogTakesEverything) {
    const auto log = make_silent_log();
    log->error("anything", "anything", {{"n", 1}});
    log->info("anything", "anything");
}

}  // namespace
}  // namespace gateway::test
