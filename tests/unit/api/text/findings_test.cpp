#include "unit/api/text/rig.hpp"

namespace gateway::test {
namespace {

using FindingsText = TextRig;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto finding = R"({"id":7,"kind":"missing_there","detail":"It is sold here.","found":null,"day":"2026-11-20",
    "line":null,"idExterno":"01E","ours":{"valor":4990,"status":"EFETIVADA"},"theirs":null,"closed":null,"note":null})";
constexpr auto closed =
    R"({"id":7,"kind":"missing_there","detail":"It is sold here.","found":"row 3","day":"2026-11-20",
    "line":3,"idExterno":"01E","ours":null,"theirs":{"valor":4990,"status":"EFETIVADA"},
    "closed":{"as":"resolved","by":"rita","note":"claimed"},"note":null})";

std::string list(std::string_view findings, std::string_view next = "null") {
    return R"({"findings":[)" + std::string(findings) + R"(],"next":)" + std::string(next) + "}";
}

TEST_F(FindingsText, AreATableWithWhatEachKindMeans) {
    answer(list(finding, "\"7\""));
    EXPECT_EQ(asked("/v1/findings"), 0);
    EXPECT_EQ(out,
              "no.  day         kind           idExterno  here                there\n"
              "  7  2026-11-20  missing_there  01E        R$ 49,90 EFETIVADA  -\n"
              "\n"
              "  missing_there      It is sold here.\n"
              "Older ones are not shown: --limit shows more.\n");
    answer(list(""));
    EXPECT_EQ(asked("/v1/findings"), 0);
    EXPECT_EQ(out, "There are no findings.\n");
}

TEST_F(FindingsText, ArePortugueseForPeopleWhoReadThat) {
    language = "pt-BR";
    answer(list(closed));
    EXPECT_EQ(asked("/v1/findings"), 0);
    EXPECT_THAT(
        out, HasSubstr("nº  dia         tipo                               idExterno  aqui  no provedor         linha  "
                       "fechada\n"
                       " 7  20/11/2026  Vendida aqui, ausente no provedor  01E        -     R$ 49,90 EFETIVADA      3  "
                       "resolvida por uma pessoa\n"));
    EXPECT_THAT(out, HasSubstr("                     7: rita: claimed\n"));
}

TEST_F(FindingsText, APersonsWordIsKeptOnce) {
    answer(closed);
    EXPECT_EQ(posted("/v1/findings/7/resolve", R"({"note":"claimed"})"), 0);
    EXPECT_THAT(out, Not(HasSubstr("error")));
    answer(closed);
    EXPECT_EQ(posted("/v1/findings/7/resolve", R"({"note":"another"})"), 1);
    EXPECT_THAT(out, HasSubstr("error: finding 7 was closed before: the note was not kept\n"));
}

TEST_F(FindingsText, OfAStatementStandBelowWhatItCameTo) {
    const auto told = [&](std::string_view more, std::string_view findings) {
        answer(
            R"({"alreadyImported":false,"statement":{"day":"2026-11-20","rows":5,"matched":3,"others":1,"findings":2)" +
            std::string(more) + R"(},"findings":[)" + std::string(findings) + "]}");
        EXPECT_EQ(posted("/v1/statements"), 0);
        return out;
    };
    EXPECT_THAT(told("", finding),
                HasSubstr("Statement of 2026-11-20: 5 rows, 3 agree, 1 are others' or not sold; findings: "
                          "2\n\nno.  day"));
    EXPECT_THAT(out, HasSubstr("Not all are shown: sales-gateway findings --day DAY --all --limit N shows more.\n"));
    EXPECT_THAT(told(R"(,"supersededBy":9)", ""), HasSubstr("--again makes this one count.\n"));
    language = "pt";
    EXPECT_THAT(told("", finding), HasSubstr("Extrato de 20/11/2026: 5 linhas, 3 conferem"));
}

TEST_F(FindingsText, OfAStatementWithoutAnyOfOurSalesAreOneSentence) {
    const auto told = [&](std::string_view counts, std::string_view findings) {
        answer(R"({"alreadyImported":false,"statement":{"day":"2026-11-20","matched":0,)" + std::string(counts) +
               R"(},"findings":[)" + std::string(findings) + "]}");
        EXPECT_EQ(posted("/v1/statements"), 0);
        return out;
    };
    const std::string missing(finding);
    const auto open = R"({"id":8,"kind":"still_open","detail":"It is open.","day":"2026-11-20"})";
    const auto sentence = [](int sales) {
        return "The statement of 2026-11-20 has no sale of this store, and " + std::to_string(sales) +
               " of its sales are missing in it: fetch it again, or ask the provider for it.\n";
    };
    EXPECT_EQ(told(R"("rows":3,"others":3,"findings":2)", missing + "," + missing),
              "Statement of 2026-11-20: 3 rows, 0 agree, 3 are others' or not sold; findings: 2\n" + sentence(2));
    EXPECT_THAT(told(R"("rows":0,"others":0,"findings":2)", missing + "," + open), HasSubstr(sentence(1) + "\nno."));
    EXPECT_THAT(out, HasSubstr("still_open"));
    EXPECT_THAT(out, Not(HasSubstr("01E")));
    EXPECT_THAT(told(R"("rows":0,"others":0,"findings":150)", missing), HasSubstr(sentence(150)));
    EXPECT_THAT(told(R"("rows":3,"others":2,"findings":1)", missing), HasSubstr("01E"));
    EXPECT_THAT(told(R"("rows":0,"others":0,"findings":1)", open), Not(HasSubstr("no sale of this store")));
}

TEST_F(FindingsText, OfSalesThatWereAskedForStandBelowHowManyAnswered) {
    answer(R"({"asked":2,"answered":1,"left":4,"ended":"no answer in time","statement":{"findings":0}})");
    EXPECT_EQ(posted("/v1/statements/from-status"), 0);
    EXPECT_EQ(out,
              "Sales asked for: 2; answered: 1; findings: 0\nNot asked for: 4\nIt ended early: no answer in time\n");
    answer(R"({"asked":0})");
    EXPECT_EQ(posted("/v1/statements/from-status"), 0);
    EXPECT_EQ(out, "There is no sale of the day to ask for.\n");
}

}  // namespace
}  // namespace gateway::test
