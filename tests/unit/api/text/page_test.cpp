#include "api/text/page.hpp"

#include "unit/api/text/rig.hpp"

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using boost::json::object;
using namespace text;

const auto english_page = page_of(80);

TEST(Page, TimesAreLocalAndTheDateIsSaidOnce) {
    const Zone zone("<-03>3");
    const object sale{{"createdAt", "2026-11-23T01:00:00.000Z"}, {"updatedAt", "2026-11-23T03:00:00Z"}};
    EXPECT_EQ(english_page.time(sale, "createdAt"), "2026-11-22 22:00:00");
    EXPECT_EQ(english_page.time_beside(sale, "createdAt", "2026-11-22 10:00:00"), "22:00:00");
    EXPECT_EQ(english_page.time_beside(sale, "updatedAt", "2026-11-22 22:00:00"), "2026-11-23 00:00:00");
}

TEST(Page, WhatIsNotThereOrIsSomethingElseIsADash) {
    for (const auto& sale : {object{}, object{{"createdAt", nullptr}, {"valor", "12"}}, object{{"createdAt", 5}}}) {
        EXPECT_EQ(english_page.time(sale, "createdAt"), "-");
        EXPECT_EQ(amount_of(sale), "-");
    }
    EXPECT_EQ(english_page.time({{"at", "soon\n"}}, "at"), "soon?");
}

TEST(Page, AmountsAreMoney) {
    EXPECT_EQ(amount_of({{"valor", 104990}}), "R$ 1.049,90");
}

TEST(Page, LengthsAreRoundedToWhatMatters) {
    EXPECT_EQ(english_page.length(-1s), "0 s");
    EXPECT_EQ(english_page.length(59s), "59 s");
    EXPECT_EQ(english_page.length(12min + 59s), "12 min");
    EXPECT_EQ(english_page.length(5h + 12min), "5 h 12 min");
    EXPECT_EQ(english_page.length(25h), "1 day 1 h");
    EXPECT_EQ(english_page.length(52h), "2 days 4 h");
}

TEST(Page, InPortugueseDatesNumbersAndReasonsAreAsTheStoreWritesThem) {
    const Zone zone("<-03>3");
    const auto portuguese = page_of(80, false, Language::portuguese);
    EXPECT_EQ(portuguese.time({{"at", "2026-11-23T01:00:00Z"}}, "at"), "22/11/2026 22:00:00");
    EXPECT_EQ(portuguese.day("2026-11-28"), "28/11/2026");
    EXPECT_EQ(portuguese.day("x\n"), "x?");
    EXPECT_EQ(portuguese.bytes(9'000'000), "9,0 MB");
    EXPECT_EQ(portuguese.length(25h), "1 dia 1 h");
    EXPECT_EQ(portuguese.cause("the answer was lost: no answer in time"), "Nenhuma resposta a tempo");
    EXPECT_EQ(portuguese.cause("no answer: the connection was lost"), "sem resposta");
    EXPECT_EQ(portuguese.cause("it answers 404 with a web page: is provider.base_url right?"), "responde 404");
    EXPECT_EQ(portuguese.cause("is missing: say what was found out"), "está faltando");
    EXPECT_EQ(portuguese.cause("row 3: ECONNRESET"), "row 3: ECONNRESET") << "what has no words is told as it is";
    EXPECT_EQ(portuguese.mark("no_callback"), "O aviso do eSIM não chegou");
    EXPECT_EQ(english_page.cause("no answer in time"), "no answer in time");
    EXPECT_EQ(english_page.mark("no_callback"), "no_callback");
}

TEST(Page, WhatATerminalWouldObeyIsNotPrinted) {
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

TEST(Page, TextIsCutByColumnsAndNotByBytes) {
    EXPECT_EQ(cut_to("Ação", 4), "Ação");
    EXPECT_EQ(cut_to("Ações", 4), "Açõ…");
    EXPECT_EQ(cut_to("日本語", 5), "日本…");
    EXPECT_EQ(cut_to("TV Mensal", 4), "TV…") << "no space before the dots";
}

TEST(Page, TextIsPaddedByColumns) {
    EXPECT_EQ(padded("日本", 6), "日本  ");
    EXPECT_EQ(padded_left("é", 3), "  é");
    EXPECT_EQ(padded("long", 2), "long");
}

TEST(Page, WhatDoesNotFitStandsBelowAndNoWordIsBroken) {
    EXPECT_EQ(hanging("ab  ", 4, "one two three", 11), "ab  one two\n    three\n");
    EXPECT_EQ(hanging("", 0, "01M82GTPA54RWAAFY1ST2XGAEG x", 10), "01M82GTPA54RWAAFY1ST2XGAEG\nx\n");
    EXPECT_EQ(page_of(30).paragraph("known", "It was asked for."),
              "  known         It was asked\n                for.\n");
    EXPECT_EQ(page_of(30).paragraph("unconfirmed_there", "It is sold.", 21),
              "  unconfirmed_there  It is\n                     sold.\n");
}

TEST(Page, ProseIsNeverWiderThanCanBeRead) {
    const auto text = page_of(10'000).paragraph("known", std::string(200, 'x') + " " + std::string(84, 'y') + " z");
    EXPECT_NE(text.find("y\n"), std::string::npos);
}

TEST(Page, ColoursAreOnlyWhereTheyAreWanted) {
    EXPECT_EQ(page_of(80).bold("x") + page_of(80).faint("y") + page_of(80).alarming("z"), "xyz");
    EXPECT_EQ(page_of(80, true).bold("x"), "\x1b[1mx\x1b[0m");
}

}  // namespace
}  // namespace gateway::test
