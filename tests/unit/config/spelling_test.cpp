#include "config/spelling.hpp"

#include "config/config.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace gateway {

TEST(Spelling, DistanceCountsInsertedLostReplacedAndSwappedLetters) {
    EXPECT_EQ(edit_distance("level", "level"), 0U);
    EXPECT_EQ(edit_distance("level", "levels"), 1U);
    EXPECT_EQ(edit_distance("level", "leel"), 1U);
    EXPECT_EQ(edit_distance("level", "lebel"), 1U);
    EXPECT_EQ(edit_distance("level", "elvel"), 1U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Spelling, NearestWordIsSuggested) {
    constexpr std::array<std::string_view, 3> words{"connect_timeout", "request_timeout", "level"};
    EXPECT_EQ(did_you_mean("conect_timeot", words), "; did you mean \"connect_timeout\"?");
    EXPECT_EQ(did_you_mean("lvel", words), "; did you mean \"level\"?");
}

TEST(Spelling, NothingIsSuggestedForAnotherWord) {
    constexpr std::array<std::string_view, 2> words{"connect_timeout", "level"};
    EXPECT_EQ(did_you_mean("colour", words), "");
    EXPECT_EQ(did_you_mean("x", words), "");
}

}  // namespace gateway

namespace gateway::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Returns what is said about the second line of a file, which is wrong.
std::string fault_of(const std::string& second, const std::string& rest = "c = 1\n") {
    const auto reading = read_config("[log]\n" + second + "\n" + rest);
    if (reading.errors.size() != 1) return "not one error";
    return std::to_string(reading.errors[0].line) + " " + reading.errors[0].message;
}

TEST(Syntax, AMissingClosingQuoteIsCalledThat) {
    for (const auto* line :
         {"level = \"info", "level = \"info # which", "level = 'info", "  level=\"", "level = \"info\r"}) {
        EXPECT_THAT(fault_of(line), HasSubstr("2 is not TOML: a text has no closing quote: write level = ")) << line;
    }
    EXPECT_THAT(fault_of("scopes = [\"a\", \"b]"), HasSubstr("a text has no closing quote"));
    EXPECT_THAT(fault_of(R"(path = "C:\")"),
                HasSubstr("because a backslash makes the quote behind it a part of the text"));
}

// The advice itself must be right in its place.
TEST(Syntax, InAListTheAdviceIsForAList) {
    const std::string list = "write scopes = [\"…\", \"…\"]";
    for (const auto* line :
         {"scopes = [\"Venda_TvPrePaga]", "scopes = [“a”]", "scopes = [\"a”]", "scopes = [\"a\", b]", "scopes = [ a ]",
          "scopes = [\n  \"a\", # one\n  \"b,\n]", "scopes = [\n“b”,\n]", "scopes = [\n\"a\",\nb,\n]"})
        EXPECT_THAT(fault_of(line), HasSubstr(list)) << line;
    EXPECT_THAT(fault_of("scopes = [\"a]"), HasSubstr(list + " with \" at both ends of each text, on one line"));
    EXPECT_THAT(fault_of("scopes = ['a]"), HasSubstr("write scopes = ['…', '…'] with ' at both ends of each text"));
    EXPECT_THAT(fault_of(R"(paths = ["C:\x\"])"), HasSubstr("write paths = ['…', '…'] with single quotes"));
    for (const auto* line : {"scopes = [\"a\"]\nlevel = \"b", "scopes = [\n\"a\"\n]\nlevel = “b”"})
        EXPECT_THAT(fault_of(line), HasSubstr("write level = \"…\" with")) << line;
    EXPECT_THAT(fault_of("scopes = [\"a\"]\n\"level"), Not(HasSubstr("[\"…\"")));
}

TEST(Syntax, AQuoteOfAWordProcessorIsNamedWithItsPlace) {
    EXPECT_THAT(fault_of("level = “info”"), HasSubstr("2 is not TOML: its character 9 is U+201C"));
    EXPECT_THAT(fault_of("level = “info”"), HasSubstr("write level = \"…\" with the plain quote"));
    for (const auto* line : {"level = ‘info’", "level = „info“", "level = «info»", "level = `info`", "“level” = 1",
                             "scopes = [“a”]", "level = ″info″"})
        EXPECT_THAT(fault_of(line), HasSubstr("a quote as a word processor makes it")) << line;
    EXPECT_THAT(fault_of("level = \"info”"),
                HasSubstr("U+201D, a quote as a word processor makes it, as character 14"));
}

TEST(Syntax, OtherSlipsSayWhatToWrite) {
    const std::vector<std::pair<std::string, std::string>> slips{
        {"level = info", "a text stands in quotes: write level = \"…\""},
        {"terminals = 0.0.0.0:8080", "write terminals = \"…\""},
        {"wait = 15s", "write wait = \"…\""},
        {"cert = /etc/x.pem", "write cert = \"…\""},
        {"level =", "level has no value"},
        {"level = # nothing", "level has no value"},
        {"level == 1", "more than one ="},
        {"level : 1", "there is a : and no ="},
        {"level", "there is no = in it"},
        {"= 1", "there is no key in front of the ="},
        {"log level = 1", "what stands in front of the = is no key"},
        {"settle = True", "write settle = true"},
        {"settle = yes", "write settle = true"},
        {"settle = OFF", "write settle = false"},
        {"level = \"a\" b", "something stands behind the value of level"},
        {"level = \"a\";", "something stands behind the value of level"},
        {"level = 1,5", "write level = \"…\""},
        {"level = 05", "a number begins with 0"},
        {"path = \"C:\\Users\\x\"", "a backslash between double quotes"},
        {"path = \"C:\\dir\"", "a backslash between double quotes"},
        {"[cache", "a section's name has no closing bracket"},
        {"[[terminals", "write [[name]]"},
        {"cache]", "a section's name has no opening bracket"},
        {"// a remark", "a comment begins with #"},
        {"; a remark", "a comment begins with #"},
        {"scopes = [\"a\" \"b\"]", "lacks a comma between two entries"},
        {"level = \"a\x01\"", "it has U+0001, which cannot be seen, as its character 11"},
        {"\xC2\xA0level = \"a\"", "it has U+00A0 as its character 1"},
        {"level = \"caf\xE9\"", "save the file as UTF-8"},
    };
    for (const auto& [line, words] : slips) {
        EXPECT_THAT(fault_of(line), HasSubstr(words)) << line;
        EXPECT_THAT(fault_of(line), HasSubstr("2 is not TOML: ")) << line;
    }
    EXPECT_THAT(fault_of("level = 1", "level = 2\n"), HasSubstr("3 is not TOML: level stands above already"));
    EXPECT_THAT(fault_of("level = 1", "[log]\n"),
                HasSubstr("3 is not TOML: a section of this name stands above already"));
    EXPECT_THAT(fault_of("scopes = [\"a\",", "c = 1\n"), HasSubstr("3 is not TOML: a list that begins here or above"));
    EXPECT_THAT(fault_of("level = \"\"\"a"), HasSubstr("is never closed"));
}

TEST(Syntax, NoValueIsQuoted) {
    for (const auto* line : {"app_secret = \"s3cret", "app_secret = s3cret", "app_secret = “s3cret”"})
        EXPECT_THAT(fault_of(line), Not(HasSubstr("s3cret"))) << line;
}

}  // namespace
}  // namespace gateway::test
