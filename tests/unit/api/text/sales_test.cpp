#include "unit/api/text/rig.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway::test {
namespace {

using SalesText = TextRig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string sale(std::string_view id, std::string_view more = "") {
    return fmt::format(R"({{"id":"{}","outcome":"not_sold","status":"CANCELADA","family":"tv","terminal":"caixa-01",
        "produto":"TV Mensal","valor":4990,"createdAt":"2026-11-22T20:05:03.120Z"{}}})",
                       id, more);
}

std::string page(const std::vector<std::string>& sales, std::string_view next = "null") {
    return fmt::format(R"({{"sales":[{}],"next":{}}})", fmt::join(sales, ","), next);
}

TEST_F(SalesText, AreATable) {
    answer(page({sale("01A", R"(,"attention":true,"mark":"no_callback")"), sale("01B")}));
    EXPECT_EQ(asked("/v1/sales?limit=20"), 0);
    EXPECT_EQ(out,
              "time (-03:00)        id   family  produto      amount  terminal  outcome   attention\n"
              "2026-11-22 17:05:03  01A  tv      TV Mensal  R$ 49,90  caixa-01  not sold  no_callback\n"
              "2026-11-22 17:05:03  01B  tv      TV Mensal  R$ 49,90  caixa-01  not sold\n");
    EXPECT_THAT(targets, ElementsAre("/v1/sales?limit=20"));
}

TEST_F(SalesText, OfOtherTypesOrWithoutMembersAreStillARow) {
    answer(R"({"sales":[{"id":"01A","valor":"x","createdAt":7,"produto":"\u001b[2J\u202e"},5]})");
    EXPECT_EQ(asked("/v1/sales?limit=20"), 0);
    EXPECT_EQ(out,
              "time (-03:00)  id   produto  amount\n"
              "-              01A  ?[2J?         -\n");
}

TEST_F(SalesText, AreFetchedPageByPageUntilThereAreEnough) {
    answer(page({sale("01A"), sale("01B")}, "\"01B\""));
    answer(page({}, "\"01C\""));
    answer(page({sale("01D")}, "\"01D\""));
    EXPECT_EQ(asked("/v1/sales?terminal=a%26b&limit=3"), 0);
    EXPECT_THAT(targets, ElementsAre("/v1/sales?terminal=a&b&limit=3", "/v1/sales?terminal=a&b&limit=1&cursor=01B",
                                     "/v1/sales?terminal=a&b&limit=1&cursor=01C"));
    EXPECT_THAT(out, HasSubstr("Older ones are not shown"));
    answer(page({}));
    EXPECT_EQ(asked("/v1/sales?limit=1000"), 0);
    EXPECT_EQ(targets.back(), "/v1/sales?limit=200");
}

TEST_F(SalesText, WhereThereAreNoneThatIsSaid) {
    answer(page({}));
    EXPECT_EQ(asked("/v1/sales?limit=20"), 0);
    EXPECT_EQ(out, "There are no sales yet.\n");
    answer(page({}));
    EXPECT_EQ(asked("/v1/sales?status=EFETIVADA&limit=20"), 0);
    EXPECT_EQ(out, "No sale is like that.\n");
}

TEST_F(SalesText, ArePortugueseForPeopleWhoReadThat) {
    language = "pt-BR";
    answer(page({sale("01A", R"(,"mark":"no_callback")")}, "\"01A\""));
    EXPECT_EQ(asked("/v1/sales?limit=1"), 0);
    EXPECT_EQ(
        out,
        "hora (-03:00)        id   família  produto       valor  terminal  resultado    alerta\n"
        "22/11/2026 17:05:03  01A  tv       TV Mensal  R$ 49,90  caixa-01  não vendida  O aviso do eSIM não chegou\n"
        "As mais antigas não aparecem: --limit mostra mais.\n");
}

TEST_F(SalesText, ThatCannotBeReadAreNamedBelow) {
    answer(R"({"sales":[],"unreadable":["01A"],"next":null})");
    EXPECT_EQ(asked("/v1/sales?limit=20"), 0);
    EXPECT_EQ(out, "01A cannot be read: its record in the journal is damaged or was altered.\n");
}

}  // namespace
}  // namespace gateway::test
