#include "unit/api/text/rig.hpp"

namespace gateway::test {
namespace {

using AttentionText = TextRig;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto marked = R"({"sales":[{"id":"01S","idExterno":"01E","idTransacao":"","family":"egift","produto":"Moedas",
    "terminal":"caixa-01","estabelecimento":"12345678","valor":2000,"status":"EFETIVADA","mark":"undeliverable",
    "createdAt":"2026-11-22T20:05:03Z","since":"2026-11-22T20:15:03Z","known":"It is sold.","notKnown":"What.",
    "toDo":"Ask.","lastError":{"at":"2026-11-22T20:06:00Z","step":"cancelar","text":"no answer in time"}}],"total":1})";

TEST_F(AttentionText, IsTheReportThatTheCommandPrints) {
    answer(marked);
    EXPECT_EQ(asked("/v1/attention"), 0);
    EXPECT_THAT(
        out,
        StartsWith("01S  undeliverable\n"
                   "  sale         egift Moedas, R$ 20,00, EFETIVADA, of caixa-01 at 2026-11-22 17:05:03 (12345678)\n"
                   "  idExterno    01E\n"
                   "  since        2026-11-22 17:15:03\n"
                   "  last error   cancelar at 2026-11-22 17:06:00: no answer in time\n"
                   "  known        It is sold.\n"
                   "  not known    What.\n"
                   "  to do        Ask.\n"
                   "\n"
                   "Sales that need a person: 1\n"
                   "Times are the store's, UTC-03:00.\n"));
}

TEST_F(AttentionText, NamesTheProvidersTelephoneUnderWhatIsToBeDone) {
    const std::string with_phone = std::string(marked, std::string_view(marked).size() - 1);
    answer(with_phone + R"(,"providerPhone":"0800 123 4567"})");
    EXPECT_EQ(asked("/v1/attention"), 0);
    EXPECT_THAT(out, HasSubstr("  to do        Ask.\n"
                               "  phone        0800 123 4567, the provider's\n"));
    language = "pt-BR";
    answer(with_phone + R"(,"providerPhone":"0800\u001b 123"})");
    EXPECT_EQ(asked("/v1/attention"), 0);
    EXPECT_THAT(out, HasSubstr("  telefone     0800? 123, do provedor\n"));
}

TEST_F(AttentionText, IsPortugueseForPeopleWhoReadThat) {
    language = "pt-BR";
    answer(marked);
    EXPECT_EQ(asked("/v1/attention"), 0);
    EXPECT_THAT(
        out,
        StartsWith("01S  Vendida, mas o produto não veio\n"
                   "  venda        egift Moedas, R$ 20,00, EFETIVADA, de caixa-01 em 22/11/2026 17:05:03 (12345678)\n"
                   "  idExterno    01E\n"
                   "  desde        22/11/2026 17:15:03\n"
                   "  último erro  cancelar em 22/11/2026 17:06:00: Nenhuma resposta a tempo\n"
                   "  sabe-se      A venda foi feita.\n"));
    answer(R"({"sales":[]})");
    EXPECT_EQ(asked("/v1/attention"), 0);
    EXPECT_THAT(out, StartsWith("Nenhuma venda precisa de alguém.\n"));
}

}  // namespace
}  // namespace gateway::test
