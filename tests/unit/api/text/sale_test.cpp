#include "unit/api/text/rig.hpp"

namespace gateway::test {
namespace {

using SaleText = TextRig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto pending = R"({"id":"01S","outcome":"pending","status":"AUTORIZADA","final":false,"settled":false,
  "attention":true,"mark":"no_callback","family":"esim","terminal":"caixa-01","cashier":"Ana","estabelecimento":"123",
  "produto":"Chip Virtual","fornecedor":"Operadora","valor":2990,"createdAt":"2026-11-22T20:05:03Z",
  "updatedAt":"2026-11-22T20:05:04Z","reason":null,"instrucao":"INSTRUCAO","complemento":{"pin":"PIN"},
  "esim":{"msisdn":"MSISDN","url":"LPA:1$URL"},"receipt":["RECEIPT"],
  "attempts":[{"idExterno":"01E","state":"awaiting","idTransacao":"77","at":"2026-11-22T20:05:03Z"}]})";

constexpr auto pending_history = R"({"id":"01S","attention":"no_callback","advice":"Known: x","idExterno":"01E",
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

TEST_F(SaleText, SaysWhatItIsWhatIsDoneAndWhatHappened) {
    answer(pending_history);
    answer(pending);
    EXPECT_EQ(asked("/v1/sales/01E/events"), 0);
    EXPECT_THAT(targets, ElementsAre("/v1/sales/01E/events", "/v1/sales/01S")) << "asked for by an idExterno";
    EXPECT_EQ(out,
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

TEST_F(SaleText, NothingOfTheCustomerAndOfTheGoodsIsPrintedForPeople) {
    answer(pending_history);
    answer(pending);
    EXPECT_EQ(asked("/v1/sales/01S/events"), 0);
    for (const auto* secret : {"INSTRUCAO", "PIN", "MSISDN", "URL", "RECEIPT", "UUID", "SECRET"})
        EXPECT_THAT(out, Not(HasSubstr(secret)));
}

TEST_F(SaleText, WhyItWasNotSoldIsSaidInTheProvidersWordsToo) {
    answer(R"({"id":"01S","providerSaid":"… saldo insuficiente"})");
    answer(R"({"id":"01S","outcome":"not_sold","status":"NEGADA","settled":true,"reason":{"code":"refused",
      "detail":"the provider refused the sale",
      "provider":{"status":422,"body":{"mensagem":"Maria da Silva: saldo insuficiente"}}}})");
    EXPECT_EQ(asked("/v1/sales/01S/events"), 0);
    EXPECT_THAT(out, HasSubstr("  reason        refused: the provider refused the sale\n"
                               "  provider said \"… saldo insuficiente\" (HTTP 422)\n"));
    EXPECT_THAT(out, HasSubstr("not sold: NEGADA\n"));
    EXPECT_THAT(out, Not(AnyOf(HasSubstr("Now"), HasSubstr("Maria"))));
}

TEST_F(SaleText, OfASettledSaleNothingIsDoneNow) {
    answer(
        R"({"id":"01S","tries":2,"lastError":{"at":"2026-11-22T20:06:00Z","step":"cancelar","text":"no answer in time"}})");
    answer(R"({"id":"01S","settled":true})");
    EXPECT_EQ(asked("/v1/sales/01S/events"), 0);
    EXPECT_THAT(out, Not(HasSubstr("Now")));
    EXPECT_THAT(out, Not(HasSubstr("no answer in time")));
}

TEST_F(SaleText, IsPortugueseForPeopleWhoReadThat) {
    language = "pt-BR";
    answer(pending_history);
    answer(pending);
    EXPECT_EQ(asked("/v1/sales/01S/events"), 0);
    EXPECT_THAT(out, StartsWith("01S  em andamento: AUTORIZADA  precisa de alguém: O aviso do eSIM não chegou\n"
                                "\n"
                                "  produto       esim, Chip Virtual, de Operadora\n"
                                "  valor         R$ 29,90\n"
                                "  quando        22/11/2026 17:05:03 (-03:00), última mudança 17:05:04\n"
                                "  terminal      caixa-01, operador Ana, estabelecimento 123\n"
                                "  acertada      não: ela precisa de alguém\n"
                                "  idExterno     01E  esperando o aviso do provedor, idTransacao 77\n"
                                "\n"
                                "Precisa de alguém desde 22/11/2026 17:15:03: O aviso do eSIM não chegou\n"
                                "  sabe-se       O eSIM foi pedido, e o aviso do provedor não chegou.\n"
                                "  não se sabe   Se foi vendido.\n"
                                "  a fazer       Procure o idExterno no provedor"));
    EXPECT_THAT(out,
                HasSubstr("\nAgora\n"
                          "  fazendo       Esperando o aviso do provedor sobre o eSIM. Até 22/11/2026 17:20:00. Se "
                          "continuar\n                assim, precisa de você a partir de 22/11/2026 17:25:00.\n"));
    EXPECT_THAT(out, HasSubstr("  último erro   22/11/2026 17:06:00 solicitar: Nenhuma resposta a tempo\n"));
    EXPECT_THAT(out, HasSubstr("\nAvisos do provedor\n  22/11/2026 17:05:09  venda: PENDENTE\n"));
    EXPECT_THAT(out, HasSubstr("\nO que aconteceu\n  22/11/2026 17:05:03  começou → pedida ao provedor\n"));
    for (const auto* word : {"needs", "person", "provider ", "waited", "asked"})
        EXPECT_THAT(out, Not(HasSubstr(word)));
}

TEST_F(SaleText, ShownBeforeADecisionIsWhatItIsAndHowItStands) {
    answer(pending);
    EXPECT_EQ(asked("/v1/sales/01S"), 0);
    EXPECT_THAT(out, HasSubstr("  settled       no: it needs a person\n"));
    EXPECT_THAT(out, Not(HasSubstr("What happened")));
}

TEST_F(SaleText, WhatIsNotThereIsLookedForElsewhere) {
    answer(R"({"code":"not_found","status":404,"detail":"There is no such sale."})", 404);
    EXPECT_EQ(asked("/v1/sales/..%2Fx%20y/events"), 1);
    EXPECT_THAT(out,
                StartsWith("error: the gateway at 127.0.0.1:9090 knows no sale with the id or idExterno ../x y\n"));
    EXPECT_THAT(out, HasSubstr("provider's portal"));
    language = "pt";
    answer(R"({"code":"not_found","status":404,"detail":"There is no such sale."})", 404);
    EXPECT_EQ(asked("/v1/sales/X/events"), 1);
    EXPECT_THAT(out, StartsWith("erro: o gateway em 127.0.0.1:9090 não conhece venda com o id ou idExterno X\n"));
}

constexpr auto sold = R"({"id":"01S","outcome":"sold","status":"EFETIVADA","attention":false})";

TEST_F(SaleText, WhatWasDecidedIsSaid) {
    answer(sold);
    EXPECT_EQ(posted("/v1/sales/01S/resolve"), 0);
    EXPECT_EQ(out, "01S is sold: EFETIVADA; it needs nobody any more.\n");
    answer(R"({"id":"01S","outcome":"not_sold","status":"CANCELADA","attention":true,"mark":"unsettled"})");
    EXPECT_EQ(posted("/v1/sales/01S/resolve"), 0);
    EXPECT_EQ(out, "01S is not sold: CANCELADA; it still needs a person: unsettled.\n");
    language = "pt";
    answer(sold);
    EXPECT_EQ(posted("/v1/sales/01S/resolve"), 0);
    EXPECT_EQ(out, "01S está vendida: EFETIVADA; não precisa mais de ninguém.\n");
}

TEST_F(SaleText, AnEsimThatIsSoldWithoutItsNumberIsWarnedOf) {
    const auto told = [&](std::string_view more) {
        answer(R"({"id":"01S","family":"esim","outcome":"sold","status":"EFETIVADA",)" + std::string(more) + "}");
        EXPECT_EQ(posted("/v1/sales/01S/resolve"), 0);
        return out;
    };
    EXPECT_THAT(told(R"("esim":null)"), HasSubstr("--msisdn and --url"));
    EXPECT_THAT(told(R"("esim":{"msisdn":null,"url":null})"), HasSubstr("--msisdn and --url"));
    EXPECT_THAT(told(R"("esim":{"msisdn":"11987654321","url":null})"), Not(HasSubstr("--msisdn")));
}

TEST_F(SaleText, ARefusalOfADecisionIsExplained) {
    const auto refused = [&](std::string_view code, unsigned status, std::string body) {
        answer(R"({"code":")" + std::string(code) + R"(","status":)" + std::to_string(status) + R"(,"detail":"No."})",
               status);
        EXPECT_EQ(posted("/v1/sales/01S/resolve", std::move(body)), 1);
        return out;
    };
    const std::string as_sold = R"({"status":"EFETIVADA","note":"n"})";
    const std::string noted = R"({"note":"n"})";
    EXPECT_EQ(refused("sale_final", 409, as_sold),
              "error: No.\n"
              "  A final status never changes. --noted with what was done clears the mark of a sale that has one.\n");
    EXPECT_EQ(refused("no_attention", 409, as_sold),
              "error: No.\n"
              "  Nothing of it waits for a person: sales-gateway show tells how it stands.\n");
    EXPECT_EQ(refused("invalid_request", 422, noted),
              "error: No.\n"
              "  A sale that is pending is resolved with --sold or --not-sold.\n");
    answer(sold, 202);
    EXPECT_EQ(posted("/v1/sales/01S/resolve", as_sold), 1);
    EXPECT_THAT(out, HasSubstr("the journal has not taken it yet"));
}

}  // namespace
}  // namespace gateway::test
