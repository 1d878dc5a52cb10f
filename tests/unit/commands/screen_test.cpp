#include "commands/screen.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace gateway::test {
namespace {

TEST(Screen, WhatATerminalWouldObeyIsNotPrinted) {
    EXPECT_EQ(printable("TV \x1b[2J\x07Mensal\r\n"), "TV ?[2J?Mensal??");
    EXPECT_EQ(printable("a\xC2\x9B"
                        "31m"),
              "a?31m")
        << "C1 control characters are obeyed too";
    EXPECT_EQ(printable("abc\xE2\x80\xAE"
                        "def"),
              "abc?def")
        << "text that is turned round";
    EXPECT_EQ(printable("a\xE2\x80\xA8z\xEF\xBB\xBF"), "a?z?") << "a line break, and a mark of nothing";
    EXPECT_EQ(printable("\xC3"), "?") << "half a character";
    EXPECT_EQ(printable("Ação 日本 €"), "Ação 日本 €");
}

TEST(Screen, TextIsCutByColumnsAndNotByBytes) {
    EXPECT_EQ(cut_to("Ação", 4), "Ação");
    EXPECT_EQ(cut_to("Ações", 4), "Açõ…");
    EXPECT_EQ(cut_to("日本語", 5), "日本…");
    EXPECT_EQ(cut_to("TV Mensal", 4), "TV…") << "no space before the dots";
}

TEST(Screen, TextIsPaddedByColumns) {
    EXPECT_EQ(padded("日本", 6), "日本  ");
    EXPECT_EQ(padded_left("é", 3), "  é");
    EXPECT_EQ(padded("long", 2), "long");
}

TEST(Screen, WhatDoesNotFitStandsBelowAndNoWordIsBroken) {
    EXPECT_EQ(hanging("ab  ", 4, "one two three", 11), "ab  one two\n    three\n");
    EXPECT_EQ(hanging("", 0, "01M82GTPA54RWAAFY1ST2XGAEG x", 10), "01M82GTPA54RWAAFY1ST2XGAEG\nx\n");
    EXPECT_EQ(paragraph(Screen{.columns = 30}, "known", "It was asked for."),
              "  known         It was asked\n                for.\n");
    EXPECT_EQ(paragraph(Screen{.columns = 30}, "unconfirmed_there", "It is sold.", 21),
              "  unconfirmed_there  It is\n                     sold.\n");
}

TEST(Screen, ProseIsNeverWiderThanCanBeRead) {
    const auto text = paragraph(Screen(), "known", std::string(200, 'x') + " " + std::string(84, 'y') + " z");
    EXPECT_NE(text.find("y\n"), std::string::npos);
}

TEST(Screen, ColoursAreOnlyWhereTheyAreWanted) {
    EXPECT_EQ(Screen().bold("x") + Screen().faint("y") + Screen().alarming("z"), "xyz");
    EXPECT_EQ((Screen{.colours = true}.bold("x")), "\x1b[1mx\x1b[0m");
}

// A variable of the environment, for as long as it lives.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
};

TEST(Screen, TheEnvironmentSaysHowWideItIs) {
    {
        const Variable columns("COLUMNS", "90");
        EXPECT_EQ(screen_of_standard_output().columns, 90U);
    }
    const Variable columns("COLUMNS", "3");
    EXPECT_EQ(screen_of_standard_output().columns, 40U) << "nothing can be read in less";
}

TEST(Screen, TheEnvironmentSaysWhichLanguageItIs) {
    const Variable no_all("LC_ALL", "");  // whatever the machine says
    const Variable no_messages("LC_MESSAGES", "");
    const Variable lang("LANG", "pt_BR.UTF-8");
    EXPECT_EQ(language_of_environment(), Language::portuguese);
    const Variable messages("LC_MESSAGES", "en_US.UTF-8");
    EXPECT_EQ(language_of_environment(), Language::english);
    const Variable all("LC_ALL", "pt");
    EXPECT_EQ(language_of_environment(), Language::portuguese);
    const Variable none("LC_ALL", "C");
    EXPECT_EQ(language_of_environment(), Language::english);
}

TEST(Screen, WhoCalledSudoIsTheOperator) {
    {
        const Variable user("SUDO_USER", "maria");
        EXPECT_EQ(operator_name(), "maria");
    }
    EXPECT_NE(operator_name(), "maria");
}

}  // namespace
}  // namespace gateway::test
