#include "reconcile/book_words.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gateway::test {
namespace {

TEST(BookWords, EveryGroupHasItsWordInBothLanguages) {
    for (const auto by : all_totals_by)
        for (const auto language : {Language::english, Language::portuguese})
            EXPECT_FALSE(words::of(by).in(language).empty());
    EXPECT_EQ(words::of(TotalsBy::cashier).in(Language::portuguese), "operador");
    EXPECT_EQ(words::of(TotalsBy::produto).in(Language::english), "product");
}

TEST(BookWords, ADateIsWrittenAsPeopleThereWriteIt) {
    const auto day = *parse_day("2026-11-02");
    EXPECT_EQ(day_text(day, Language::portuguese), "02/11/2026");
    EXPECT_EQ(day_text(day, Language::english), "2026-11-02");
}

TEST(BookWords, CsvIsWhatASpreadsheetOfThatLanguageReads) {
    const std::array<std::string, 4> cells{"TV; Mensal", "a \"b\"", "x,y", ""};
    EXPECT_EQ(csv_line(cells, Language::portuguese), "\"TV; Mensal\";\"a \"\"b\"\"\";x,y;\r\n");
    EXPECT_EQ(csv_line(cells, Language::english), "TV; Mensal,\"a \"\"b\"\"\",\"x,y\",\r\n");
    EXPECT_EQ(csv_amount(Cents{204590}, Language::portuguese), "2045,90");
    EXPECT_EQ(csv_amount(Cents{5}, Language::english), "0.05");
    EXPECT_EQ(csv_amount(std::nullopt, Language::english), "");
}

TEST(BookWords, ANameIsNoFormula) {
    for (const auto* name : {"=1+1", "+1", "-1", "@x"}) {
        const std::array<std::string, 1> cells{name};
        EXPECT_EQ(csv_line(cells, Language::portuguese), "'" + std::string(name) + "\r\n");
    }
}

}  // namespace
}  // namespace gateway::test
