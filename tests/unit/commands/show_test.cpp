#include "unit/commands/rig.hpp"

namespace gateway::test {
namespace {

using ShowCommand = CommandRig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto pending = R"({"id":"01S","outcome":"pending","status":"AUTORIZADA","final":false,"settled":false,
  "attention":true,"mark":"no_callback","family":"esim","terminal":"caixa-01","cashier":"Ana","estabelecimento":"123",
  "produto":"Chip Virtual","fornecedor":"Operadora","valor":2990,"createdAt":"2026-11-22T20:05:03Z",
  "updatedAt":"2026-11-22T20:05:04Z","reason":null,"instrucao":"INSTRUCAO","complemento":{"pin":"PIN"},
  "esim":{"msisdn":"MSISDN","url":"LPA:1$URL"},"receipt":["RECEIPT"],
  "attempts":[{"idExterno":"01E","state":"awaiting","idTransacao":"77","at":"2026-11-22T20:05:03Z"}]})";

constexpr auto pending_story = R"({"id":"01S","attention":"no_callback","advice":"Known: x","idExterno":"01E",
  "status":"AUTORIZADA","settled":false,
  "marked":{"mark":"no_callback","since":"2026-11-22T20:15:03Z","known":"It was asked for.","notKnown":"Whether.",
            "toDo":"Look it up."},
  "tries":7,"lastError":{"at":"2026-11-22T20:06:00Z","step":"solicitar","text":"no answer in time"},
  "now":{"text":"The callback is waited for.","idExterno":"01E","state":"awaiting","step":null,"underWay":false,
         "try":0,"nextAt":"2026-11-22T20:20:00Z","attentionAt":"2026-11-22T20:25:00Z"},
  "open":[{"text":"The callback is waited for.","idExterno":"01E","state":"awaiting","step":null,"underWay":false,
         "try":0,"nextAt":"2026-11-22T20:20:00Z","attentionAt":"2026-11-22T20:25:00Z"},
         {"text":"The first one is cancelled.","idExterno":"01D","state":"cancelling"}],
  "callbacks":[{"at":"2026-11-22T20:05:09Z","kind":"sale","valid":true,
                "body":"{\"situacaoTransacao\":\"PENDENTE\",\"msisdn\":\"MSISDN\",\"url\":\"LPA:1$URL\",\"uuid\":\"UUID\"}"},
               {"at":"2026-11-22T20:05:10Z","kind":"recharge","valid":true,
                "body":"{\"situacaoTransacao\":\"EFETIVADA\",\"situacaoRecarga\":\"FALHA\\u001b[2J\"}"},
               {"at":"2026-11-22T20:05:11Z","kind":"sale","valid":false,"body":"SECRET"},
               {"at":"2026-11-22T20:05:12Z","kind":"sale","valid":true}],
  "events":[{"at":"2026-11-22T20:05:03Z","idExterno":"01E","event":"begun","state":"requesting"}]})";

TEST_F(ShowCommand, SaysWhatItIsWhatIsDoneAndWhatHappened) {
    answer(pending);
    answer(pending_story);
    EXPECT_EQ(show_sale(desk(), "01E"), exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/sales/01E", "/v1/sales/01S/events")) << "asked for by an idExterno";
    EXPECT_EQ(out.str(),
              "01S  pending: AUTORIZADA  needs a person: no_callback\n"
              "\n"
              "  what          esim, Chip Virtual, of Operadora\n"
              "  amount        R$ 29,90\n"
              "  when          2026-11-22 17:05:03 (-03:00), last change 17:05:04\n"
              "  terminal      caixa-01, cashier Ana, establishment 123\n"
              "  settled       no: it needs a person\n"
              "  idExterno     01E  awaiting, idTransacao 77\n"
              "\n"
              "Needs a person since 2026-11-22 17:15:03: no_callback\n"
              "  known         It was asked for.\n"
              "  not known     Whether.\n"
              "  to do         Look it up.\n"
              "\n"
              "Now\n"
              "  doing         The callback is waited for.\n"
              "  also          The first one is cancelled.\n"
              "  tries         7 tries without a usable answer\n"
              "  last error    2026-11-22 17:06:00 solicitar: no answer in time\n"
              "\n"
              "Callbacks\n"
              "  2026-11-22 17:05:09  sale: PENDENTE\n"
              "  2026-11-22 17:05:10  recharge: EFETIVADA, recharge FALHA?[2J\n"
              "  2026-11-22 17:05:11  sale: could not be used; the gateway has kept it\n"
              "  2026-11-22 17:05:12  sale\n"
              "\n"
              "What happened\n"
              "  2026-11-22 17:05:03  begun → requesting\n");
}

TEST_F(ShowCommand, NothingOfTheCustomerAndOfTheGoodsIsPrintedForPeople) {
    answer(pending);
    answer(pending_story);
    EXPECT_EQ(show_sale(desk(), "01S"), exit_ok);
    for (const auto* secret : {"INSTRUCAO", "PIN", "MSISDN", "URL", "RECEIPT", "UUID", "SECRET"})
        EXPECT_THAT(out.str(), Not(HasSubstr(secret)));
}

TEST_F(ShowCommand, ForProgramsItIsWhatTheGatewaySaid) {
    answer(R"({"id":"01S"})");
    answer(R"({"events":[]})");
    EXPECT_EQ(show_sale(desk(80, true), "01S"), exit_ok);
    EXPECT_EQ(out.str(), "{\"sale\":{\"id\":\"01S\"},\"story\":{\"events\":[]}}\n");
}

TEST_F(ShowCommand, WhyItWasNotSoldIsSaidInTheProvidersWordsToo) {
    answer(R"({"id":"01S","outcome":"not_sold","status":"NEGADA","settled":true,"reason":{"code":"refused",
      "detail":"the provider refused the sale",
      "provider":{"status":422,"body":{"mensagem":"Maria da Silva: saldo insuficiente"}}}})");
    answer(R"({"providerSaid":"… saldo insuficiente"})");
    EXPECT_EQ(show_sale(desk(), "01S"), exit_ok);
    EXPECT_THAT(out.str(), HasSubstr("  reason        refused: the provider refused the sale\n"
                                     "  provider said \"… saldo insuficiente\" (HTTP 422)\n"));
    EXPECT_THAT(out.str(), HasSubstr("not sold: NEGADA\n"));
    EXPECT_THAT(out.str(), Not(AnyOf(HasSubstr("Now"), HasSubstr("Maria"))));
}

TEST_F(ShowCommand, OfASettledSaleNothingIsDoneNow) {
    answer(R"({"id":"01S","settled":true})");
    answer(R"({"tries":2,"lastError":{"at":"2026-11-22T20:06:00Z","step":"cancelar","text":"no answer in time"}})");
    EXPECT_EQ(show_sale(desk(), "01S"), exit_ok);
    EXPECT_THAT(out.str(), Not(HasSubstr("Now")));
    EXPECT_THAT(out.str(), Not(HasSubstr("no answer in time")));
}

TEST_F(ShowCommand, AnOlderGatewaysAdviceIsGivenAsItIs) {
    answer(R"({"id":"01S","attention":true})");
    answer(R"({"attention":"no_callback","advice":"Known: x. To do: y."})");
    EXPECT_EQ(show_sale(desk(), "01S"), exit_ok);
    EXPECT_THAT(out.str(), HasSubstr("\nNeeds a person: no_callback\n                Known: x. To do: y.\n"));
}

TEST_F(ShowCommand, WhatIsNotThereIsLookedForElsewhere) {
    answer(R"({"code":"not_found","detail":"There is no such sale."})", 404);
    EXPECT_EQ(show_sale(desk(), "../x\x1b y"), exit_failure);
    EXPECT_THAT(targets(), ElementsAre("/v1/sales/..%2Fx%1B%20y"));
    EXPECT_THAT(err.str(), HasSubstr("knows no sale with the id or idExterno ../x? y\n"));
    EXPECT_THAT(err.str(), HasSubstr("provider's portal"));
    EXPECT_EQ(out.str(), "");
}

TEST_F(ShowCommand, ASaleThatCannotBeReadIsSaidInTheGatewaysWords) {
    answer(R"({"code":"sale_unreadable","detail":"The journal's record is damaged."})", 503);
    EXPECT_EQ(show_sale(desk(), "01S"), exit_failure);
    EXPECT_EQ(err.str(), "error: The journal's record is damaged.\n");
}

}  // namespace
}  // namespace gateway::test
