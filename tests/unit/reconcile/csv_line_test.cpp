#include "reconcile/csv_line.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gateway::test {
namespace {

// Returns a line that has the name among other cells.
std::string line_with(std::string_view name, Language language) {
    CsvLine line(language);
    line.add_count(7);
    line.add_text(name);
    line.add_amount(Cents{204590});
    line.add_count(std::nullopt);
    line.add_text("");
    return line.text();
}

// Reads as spreadsheets do: a quote counts only at the beginning of a cell, and the end of a line ends a cell.
std::vector<std::string> cells_of(std::string_view text, char separator) {
    std::vector<std::string> cells(1);
    bool quoted = false, begins = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool ends = c == separator || c == '\n' || (c == '\r' && text.substr(i + 1).starts_with('\n'));
        if (quoted && c == '"' && text.substr(i + 1).starts_with('"')) {
            cells.back() += text[++i];
        } else if (c == '"' && (quoted || begins)) {
            quoted = !quoted;
        } else if (ends && !quoted) {
            if (c == '\r') ++i;
            cells.emplace_back();
            begins = true;
            continue;
        } else {
            cells.back() += c;
        }
        begins = false;
    }
    return cells;
}

TEST(CsvLine, ADateIsWrittenAsPeopleThereWriteIt) {
    const auto day = *parse_day("2026-11-02");
    EXPECT_EQ(day_text(day, Language::portuguese), "02/11/2026");
    EXPECT_EQ(day_text(day, Language::english), "2026-11-02");
}

TEST(CsvLine, CsvIsWhatASpreadsheetOfThatLanguageReads) {
    EXPECT_EQ(line_with("TV; Mensal", Language::portuguese), R"(7;"TV; Mensal";2045,90;;"")"
                                                             "\r\n");
    EXPECT_EQ(line_with("TV; Mensal", Language::english), R"(7,"TV; Mensal",2045.90,,"")"
                                                          "\r\n");
    EXPECT_EQ(line_with(R"(a "b")", Language::english), R"(7,"a ""b""",2045.90,,"")"
                                                        "\r\n");
    CsvLine cents(Language::english);
    cents.add_amount(Cents{5});
    cents.add_amount(std::nullopt);
    EXPECT_EQ(cents.text(), "0.05,\r\n");
}

TEST(CsvLine, ANameIsNoFormula) {
    for (const auto* name : {"=1+1", "+1", "-1", "@x", "\t=1", "\r=1"})
        EXPECT_EQ(cells_of(line_with(name, Language::english), ',').at(1).substr(0, 2), "'" + std::string(name, 1));
}

// Any spreadsheet may open any file. A number stays the same in a spreadsheet of the file's language.
TEST(CsvLine, ANameIsNoFormulaToASpreadsheetOfTheOtherLanguageEither) {
    const std::vector<std::string> names{"x;=1+1",       "x;=1+1;y", "x,=1+1,y", "x;+1",          "x,-1",
                                         "x;@y",         "x;\"=1+1", ";;=1",     ",\"\"=1",       "\"=1",
                                         "x\n=1+1\n",    "x\r\n=1",  "x;\t=1",   "x\t=1",         "x;\r=1",
                                         "\",\"=1\";=2", "=1;=2,=3", ";",        "a;b,c \"d\" e", "'=1"};
    for (const auto& name : names)
        for (const auto language : {Language::english, Language::portuguese}) {
            const auto line = line_with(name, language);
            for (const char separator : {',', ';', '\t'})
                for (const auto& cell : cells_of(line, separator))
                    EXPECT_TRUE(cell.empty() || std::string_view("=+-@\t\r").find(cell.front()) == std::string::npos)
                        << '<' << cell << "> is a cell of " << line << " to a spreadsheet with " << separator;
            const auto own = cells_of(line, language == Language::portuguese ? ';' : ',');
            ASSERT_EQ(own.size(), 6U) << line << " with the empty one behind its end";
            EXPECT_EQ(own[0], "7");
            EXPECT_EQ(own[2], language == Language::portuguese ? "2045,90" : "2045.90");
            std::string without_marks = own[1];
            std::erase(without_marks, '\'');
            std::string plain = name;
            std::erase(plain, '\'');
            EXPECT_EQ(without_marks, plain);
        }
}

}  // namespace
}  // namespace gateway::test
