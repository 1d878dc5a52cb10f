#include "base/log_text.hpp"

#include "base/ascii.hpp"
#include "unit/support/zone.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

constexpr WallTime now = std::chrono::sys_days(std::chrono::year(2026) / 11 / 22) + 20h + 5min + 3s + 120ms;

struct Amount {
    std::int64_t value;
};

std::string said(const Sentence& sentence, std::initializer_list<LogField> fields) {
    std::string text;
    append_log_text(text, sentence, {fields.begin(), fields.size()}, now);
    return text;
}

TEST(LogText, ASentenceHasTheValuesOfItsFieldsAndTheIdsComeLast) {
    EXPECT_EQ(said("{terminal}: the provider refused {produto} for {valor}[: \"{providerSaid}\"][ (HTTP {httpStatus})]",
                   {{"sale", "01J"},
                    {"idExterno", "01K"},
                    {"terminal", "caixa-01"},
                    {"produto", "TV Mensal"},
                    {"valor", Amount{4990}},
                    {"state", "refused"},
                    {"httpStatus", 422},
                    {"providerSaid", "produto indisponivel"},
                    {"request", "r-1"}}),
              "caixa-01: the provider refused TV Mensal for R$ 49,90: \"produto indisponivel\" (HTTP 422)"
              "  sale=01J idExterno=01K request=r-1");
}

TEST(LogText, WhatIsInBracketsIsLeftOutWhereThereIsNothingToTell) {
    constexpr Sentence sentence = "it failed[ ({httpStatus})][: {detail}][, {count} times][ {yes}][ {a}{b}]";
    const std::optional<unsigned> none;
    EXPECT_EQ(said(sentence, {{"httpStatus", none}, {"detail", ""}, {"count", 0}, {"yes", false}, {"a", "x"}}),
              "it failed");
    EXPECT_EQ(
        said(sentence, {{"httpStatus", std::optional(500U)}, {"count", 2}, {"yes", true}, {"a", "x"}, {"b", "y"}}),
        "it failed (500), 2 times yes xy");
}

TEST(LogText, ASentenceMayGoOnInFurtherOnes) {
    const Sentence empty = "";
    EXPECT_EQ(said(Sentence("{a}") + Sentence("; {b}") + Sentence("!"), {{"a", "one"}, {"b", "two"}}), "one; two!");
    EXPECT_EQ(said(Sentence("{a}") + empty + Sentence("!"), {{"a", "one"}}), "one!");
}

TEST(LogText, ANumberIsNotTakenForNothingOutsideOfBrackets) {
    EXPECT_EQ(said("{open} open", {{"open", 0}}), "0 open");
}

TEST(LogText, LengthsOfTimeAndTimesAreForPeople) {
    const Zone zone("BRT+03");
    EXPECT_EQ(said("in {durationMs}", {{"durationMs", Duration(812)}}), "in 812 ms");
    EXPECT_EQ(said("until {nextAt}", {{"nextAt", now + 10min}}), "until 17:15:03");
    EXPECT_EQ(said("until {nextAt}", {{"nextAt", now + 24h}}), "until 2026-11-23 17:05:03");
}

TEST(LogText, IdsThatAreNoPlainWordStandInQuotes) {
    EXPECT_EQ(said("it is", {{"idTransacao", "a b"}, {"sale", ""}, {"request", "r\"1 sale=x"}}),
              "it is  idTransacao=\"a b\" request=\"r'1 sale=x\"");
}

TEST(LogText, NoValueBreaksTheLineOrPosesAsAnId) {
    const auto sentence = [](std::string_view value) { return said("{v} is sold", {{"v", value}, {"sale", "01J"}}); };
    EXPECT_EQ(sentence("TV\nerror  sale=01X"), "TV error sale=01X is sold  sale=01J");
    EXPECT_EQ(sentence("TV \t\r "), "TV is sold  sale=01J");
    EXPECT_EQ(sentence("\x1b[31mTV\x7f"), " [31mTV is sold  sale=01J");
    EXPECT_EQ(sentence("TV\xC2\x85\xC2\x9Bx"), "TV x is sold  sale=01J") << "C1 control characters";
    EXPECT_EQ(sentence("TV\xE2\x80\xA8x\xE2\x80\xAEy"), "TV?x?y is sold  sale=01J") << "a line separator, an override";
    EXPECT_EQ(sentence("S\xE3o \xE2\x82"), "S?o ?? is sold  sale=01J") << "what is not UTF-8";
    EXPECT_EQ(sentence("São Paulo €"), "São Paulo € is sold  sale=01J");
    EXPECT_EQ(said("it: {v} is sold", {{"v", "  "}}), "it: is sold") << "nothing but spaces";
}

// Tells everything in capitals.
std::string in_capitals(Language, std::string_view text) {
    std::string capitals;
    for (const char c : text)
        capitals += c == '{' || c == '}' ? c : to_upper(c);
    return capitals.find('{') == std::string::npos ? capitals
                                                   : std::string("TOLD {detail}: {by}[, {durationMs}] {yes}");
}

TEST(LogText, AnotherLanguageTellsTheSentenceAndTheWordsOfTheGatewaysOwn) {
    const std::string detail = "no answer in time";
    const std::string by = "Ana";
    const std::array<LogField, 6> fields{
        LogField("by", by),    LogField("detail", detail), LogField("durationMs", Duration(2345)),
        LogField("yes", true), LogField("untold", detail), LogField("sale", "01j")};
    const auto in = [&](const Telling& telling) {
        std::string text;
        append_log_text(text, "{by} is told {detail}[ in {durationMs}] {yes}", fields, now, telling);
        return text;
    };
    EXPECT_EQ(in({Language::portuguese, in_capitals}), "TOLD NO ANSWER IN TIME: Ana, 2,3 s YES  sale=01j");
    EXPECT_EQ(in({Language::english, in_capitals}), "Ana is told no answer in time in 2.3 s yes  sale=01j");
    EXPECT_EQ(in({}), "Ana is told no answer in time in 2.3 s yes  sale=01j");
}

TEST(LogText, WhatIsQuotedCannotEndItsQuotes) {
    EXPECT_EQ(said("it said \"{v}\"", {{"v", "no\" (HTTP 200) \""}}), "it said \"no' (HTTP 200) '\"");
    EXPECT_EQ(said("it said {v}", {{"v", "\"no\""}}), "it said \"no\"");
}

}  // namespace
}  // namespace gateway::test
