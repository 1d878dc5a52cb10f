#include "api/sale_json.hpp"

#include "unit/support/seeded_random.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

namespace json = boost::json;

const WallTime moment{std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + std::chrono::milliseconds(47'471'480)};

Sale sale_with(Status status, AttemptState state) {
    SeededRandom random;
    Attempt attempt{.id_externo = IdExterno::make(moment, random), .state = state, .id_transacao = "T-1"};
    attempt.created_at = moment;
    Sale sale{.id = SaleId::make(moment, random), .terminal = "caixa-01"};
    sale.estabelecimento = "12345678";
    sale.produto = "TV Mensal";
    sale.fornecedor = "Operadora";
    sale.valor = Cents{1099};
    sale.created_at = moment;
    sale.updated_at = moment + Duration(540);
    sale.status = status;
    sale.details.instrucao = Secret(R"({"pin":"77"})");
    sale.details.complemento = Secret("not json");
    sale.attempts.push_back(std::move(attempt));
    return sale;
}

json::object read(const Sale& sale) {
    return json::parse(sale_json(sale)).as_object();
}

std::string text(const json::object& object, const char* name) {
    return json::serialize(object.at(name));
}

TEST(SaleJson, SaysWhatTheSaleIs) {
    const auto object = read(sale_with(Status::EFETIVADA, AttemptState::sold));
    EXPECT_EQ(text(object, "outcome"), R"("sold")");
    EXPECT_EQ(text(object, "status"), R"("EFETIVADA")");
    EXPECT_EQ(text(object, "final"), "true");
    EXPECT_EQ(text(object, "attention"), "false");
    EXPECT_EQ(text(object, "family"), R"("tv")");
    EXPECT_EQ(text(object, "valor"), "1099");
    EXPECT_EQ(text(object, "createdAt"), R"("2024-05-02T13:11:11.480Z")");
    EXPECT_EQ(text(object, "updatedAt"), R"("2024-05-02T13:11:12.020Z")");
}

TEST(SaleJson, HasACashierWhereTheSaleHasOne) {
    auto sale = sale_with(Status::EFETIVADA, AttemptState::sold);
    EXPECT_FALSE(read(sale).contains("cashier"));
    sale.cashier = "Zé \"da\" Padaria";
    EXPECT_EQ(read(sale).at("cashier").as_string(), "Zé \"da\" Padaria");
}

TEST(SaleJson, GoodsAreDecodedOrPlainText) {
    const auto object = read(sale_with(Status::EFETIVADA, AttemptState::sold));
    EXPECT_EQ(text(object, "instrucao"), R"({"pin":"77"})");
    EXPECT_EQ(text(object, "complemento"), R"("not json")");
    EXPECT_TRUE(object.at("receipt").is_array());
}

TEST(SaleJson, GoodsWithANumberThatNobodyCanHoldKeepItsDigits) {
    auto sale = sale_with(Status::EFETIVADA, AttemptState::sold);
    sale.details.instrucao = Secret(R"({"pin":"77","e":1e400})");
    EXPECT_EQ(read(sale).at("instrucao"), json::parse(R"({"pin":"77","e":"1e400"})"));
}

TEST(SaleJson, GoodsThatNeedMoreRoomThanUsualAreWholeAllTheSame) {
    auto sale = sale_with(Status::EFETIVADA, AttemptState::sold);
    const json::value goods{{"pin", std::string(100'000, '7')}, {"list", json::array(2'000, json::value("x"))}};
    sale.details.instrucao = Secret(json::serialize(goods));
    EXPECT_EQ(read(sale).at("instrucao"), goods);
}

TEST(SaleJson, NoGoodsLeaveBeforeTheSaleIsSold) {
    for (const auto& [status, state] :
         {std::pair(Status::PENDENTE, AttemptState::requesting), std::pair(Status::AUTORIZADA, AttemptState::held),
          std::pair(Status::AUTORIZADA, AttemptState::confirming),
          std::pair(Status::CANCELADA, AttemptState::cancelled), std::pair(Status::NEGADA, AttemptState::refused)}) {
        const auto object = read(sale_with(status, state));
        for (const auto* name : {"instrucao", "complemento", "receipt"})
            EXPECT_TRUE(object.at(name).is_null()) << to_string(status) << " " << name;
        EXPECT_EQ(json::serialize(object).find("77"), std::string::npos) << to_string(status);
    }
}

TEST(SaleJson, WhatIsNotKnownIsNullAndNeverAbsent) {
    auto sale = sale_with(Status::PENDENTE, AttemptState::requesting);
    sale.attempts.back().id_transacao.clear();
    sale.fornecedor.clear();
    const auto object = read(sale);
    for (const auto* name : {"fornecedor", "idTransacao", "dataHora", "reason", "estabelecimentoNome", "cnpjCpf",
                             "esim", "instrucao", "complemento", "receipt"})
        EXPECT_TRUE(object.at(name).is_null()) << name;
    EXPECT_FALSE(object.contains("attempts"));
}

TEST(SaleJson, TheProvidersWordOnTheSupplierGoesBeforeTheTerminals) {
    auto sale = sale_with(Status::EFETIVADA, AttemptState::sold);
    EXPECT_EQ(text(read(sale), "fornecedor"), R"("Operadora")");
    sale.details.fornecedor = "Operadora Norte";
    EXPECT_EQ(text(read(sale), "fornecedor"), R"("Operadora Norte")");
}

TEST(SaleJson, OnlyARefusalCarriesTheProvidersAnswer) {
    auto sale = sale_with(Status::NEGADA, AttemptState::refused);
    sale.reason = Reason{.code = ReasonCode::refused, .detail = "no"};
    sale.reason->provider_status = 422;
    sale.reason->provider_body = Secret(R"({"mensagem":"saldo"})");
    EXPECT_EQ(text(read(sale), "reason"),
              R"({"code":"refused","detail":"no","provider":{"status":422,"body":{"mensagem":"saldo"}}})");
    sale.reason->provider_body = Secret("<html>");
    EXPECT_EQ(read(sale).at("reason").at("provider").at("body"), "<html>");
    sale.reason->code = ReasonCode::provider_error;
    EXPECT_FALSE(read(sale).at("reason").as_object().contains("provider"));
}

TEST(SaleJson, AnOperatorsDecisionIsCalledOperator) {
    auto sale = sale_with(Status::CANCELADA, AttemptState::cancelled);
    sale.reason = Reason{.code = ReasonCode::by_operator, .detail = "looked it up"};
    EXPECT_EQ(read(sale).at("reason").at("code"), "operator");
}

TEST(SaleJson, EveryAttemptIsListedOldestFirst) {
    auto sale = sale_with(Status::EFETIVADA, AttemptState::sold);
    auto first = sale.attempts.front();
    first.state = AttemptState::unsent;
    first.id_transacao.clear();
    sale.attempts.insert(sale.attempts.begin(), first);
    const auto object = json::parse(sale_with_attempts_json(sale)).as_object();
    const auto& attempts = object.at("attempts").as_array();
    ASSERT_EQ(attempts.size(), 2u);
    EXPECT_EQ(attempts[0].at("state"), "unsent");
    EXPECT_TRUE(attempts[0].at("idTransacao").is_null());
    EXPECT_EQ(attempts[1].at("idTransacao"), "T-1");
    EXPECT_EQ(attempts[1].at("at"), "2024-05-02T13:11:11.480Z");
}

TEST(SaleJson, AnEsimsFactsAreWhatItsCallbackTold) {
    auto sale = sale_with(Status::EFETIVADA, AttemptState::sold);
    sale.family = Family::esim;
    sale.esim = EsimDetails{.uuid = "u", .msisdn = Secret("55119"), .url = Secret("https://x.example")};
    EXPECT_EQ(text(read(sale), "esim"),
              R"({"uuid":"u","msisdn":"55119","url":"https://x.example","promocaoAtivada":null,)"
              R"("situacaoRecarga":null,"nsuRecarga":null})");
}

}  // namespace
}  // namespace gateway::test
