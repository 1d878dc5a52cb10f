#include "sandbox/orders.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

// Returns the provider's answer to a sale request with one member changed, or removed where `value` is missing. The
// name is a path of members.
Answer ask_with(Caller& caller, Family family, std::string name, const std::optional<json::value>& value) {
    auto body = caller.order(family, "A");
    auto* object = &body;
    for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.')) {
        object = &object->at(name.substr(0, dot)).as_object();
        name.erase(0, dot + 1);
    }
    object->erase(name);
    if (value) (*object)[name] = *value;
    return caller.post(Caller::path(family, Step::solicitar), body);
}

void expect_departure(Caller& caller, const Answer& answer, const std::string& reason) {
    EXPECT_EQ(answer.status, 400) << reason;
    EXPECT_EQ(reason_of(answer), reason);
    EXPECT_EQ(caller.status("A"), Status::none);
    ASSERT_FALSE(caller.model.metrics().latest_departures().empty());
    EXPECT_EQ(caller.model.metrics().latest_departures().back().reason, reason);
    EXPECT_TRUE(caller.log.has("warn sandbox.departure"));
}

class EveryFamily : public testing::TestWithParam<Family> {};

INSTANTIATE_TEST_SUITE_P(Orders, EveryFamily, testing::ValuesIn(families), name_of);

TEST_P(EveryFamily, RefusesAMissingFieldAndOneOfAnotherType) {
    const auto whole = Caller().order(GetParam(), "A");
    for (const auto& pair : whole) {
        const std::string name = pair.key();
        Caller caller;
        const auto answer = ask_with(caller, GetParam(), name, json::value(true));
        EXPECT_EQ(answer.status, 400) << name;
        EXPECT_TRUE(reason_of(answer).starts_with(name + " must be")) << reason_of(answer);
        if ((name == "fornecedor" && GetParam() == Family::tv) || name == "urlRecarga") continue;
        Caller other;
        expect_departure(other, ask_with(other, GetParam(), name, std::nullopt), name + " is missing");
    }
}

TEST_P(EveryFamily, RefusesWhatNoFamilyTakes) {
    const bool health = GetParam() == Family::health;
    struct Row {
        const char* name;
        const char* value;  // JSON
        const char* reason;
    };
    const std::array rows{
        Row{"quantidade", R"("1")", "quantidade is not a field of this request"},
        Row{"estabelecimento", R"("87654321")", "estabelecimento is not known"},
        Row{"valor", "5000", "valor must be a string"},
        health
            ? Row{"dataHoraCliente", R"("2024-05-02T13:11:12.020Z")", "dataHoraCliente must be ISO 8601 without a zone"}
            : Row{"dataHoraCliente", R"("2024-05-02T10:11:12")",
                  "dataHoraCliente must be ISO 8601 in UTC with milliseconds and a Z"},
    };
    for (const auto& row : rows) {
        Caller caller;
        expect_departure(caller, ask_with(caller, GetParam(), row.name, json::parse(row.value)), row.reason);
    }
    for (const auto* body : {"", "nonsense", "[]", R"({"idExterno":"A","idExterno":"A"})"}) {
        Caller caller;
        const Call call{"POST", Caller::path(GetParam(), Step::solicitar), caller.headers(), body};
        expect_departure(caller, caller.model.handle(call, caller.now),
                         "the body is not a JSON object, or repeats a field");
    }
}

TEST(Orders, AnAmountIsAStringOfDigits) {
    for (const auto* valor : {"", "0", "010", "10,99", "10.99", "-1", "+1", "1 ", "1e3", "1234567890123"}) {
        Caller caller;
        expect_departure(caller, ask_with(caller, Family::egift, "valor", valor),
                         *valor == '\0' ? "valor must not be empty"
                                        : "valor must be a string of digits, a whole number of cents above 0");
    }
}

TEST(Orders, OneWrongValueIsRefused) {
    constexpr const char* no_card_entry =
        "numeroCartao with tipoCredito, tipoProduto and descricao are not those of an entry";
    constexpr const char* no_gift_entry = "chaveProduto and configuracaoId are not those of a catalogue entry";
    constexpr const char* out_of_bounds = "valor is not between valorMinimo and valorMaximo of the catalogue entry";
    struct Row {
        Family family;
        const char* name;
        const char* value;   // JSON; null takes the field away
        const char* reason;  // behind the name, where it begins with a blank
    };
    const std::vector<Row> rows{
        {Family::tv, "tipoProduto", R"("OFFLINE")", " must be ONLINE"},
        {Family::tv, "produto", R"("TV Nada")", " is not in the catalogue"},
        {Family::tv, "cpf", R"("12345678909")", " must be formatted as 000.000.000-00"},
        {Family::tv, "cpf", R"("123.456.789-0x")", " must be formatted as 000.000.000-00"},
        {Family::tv, "id_valor", R"("101;2500")", " is not a field of this request"},
        {Family::egift, "tipoProduto", R"("501")", " must be ONLINE"},
        {Family::egift, "tipoNegocio", R"("1")", " must be a whole number"},
        {Family::egift, "tipoNegocio", "1.0", " must be a whole number"},
        {Family::egift, "chaveProduto", R"("EG-NADA")", no_gift_entry},
        {Family::egift, "configuracaoId", R"("cfg-passe-01")", no_gift_entry},
        {Family::egift, "valor", R"("999")", out_of_bounds},
        {Family::egift, "valor", R"("50001")", out_of_bounds},
        {Family::transit, "tipoProduto", R"("ONLINE")", " must be a string of digits"},
        {Family::transit, "numeroCartao", R"("1000000001")", no_card_entry},
        {Family::transit, "tipoCredito", R"("9")", no_card_entry},
        {Family::transit, "descricao", R"("recarga livre")", no_card_entry},
        {Family::transit, "valor", R"("499")", " is not one that the card's entry allows"},
        {Family::transit, "fornecedor", R"("X")", " is not a field of this request"},
        {Family::health, "produto", R"("Exame")", " is not one of this health partner"},
        {Family::health, "produtoIdParceiro", R"("7002")", " is not the one of the value query"},
        {Family::health, "valor", R"("5991")", " is not the one of the value query"},
        {Family::health, "tipoProduto", R"("ONLINE")", " is not a field of this request"},
        {Family::esim, "produto", R"("Chip")", " is not in the catalogue"},
        {Family::esim, "servicoId", R"("999")", " is not one of the plan query"},
        {Family::esim, "valorRecarga", "3001", " is not the one of the plan query"},
        {Family::esim, "the service", R"("ftp://x/y")", " must be an http or https address"},
        {Family::esim, "urlRecarga", R"("")", " must not be empty"},
        {Family::esim, "fornecedor", R"("X")", " is not a field of this request"},
        {Family::esim, "consumidor", "[]", " must be an object"},
        {Family::esim, "consumidor.cpf", R"("1234")", " must be eleven digits, formatted or not"},
        {Family::esim, "consumidor.nome", "null", " is missing"},
        {Family::esim, "consumidor.email", "null", " is missing"},
        {Family::esim, "consumidor.nascimento", R"("1996-02-29")", " must be eight digits, day, month and year"},
        {Family::esim, "consumidor.telefone", R"("11999990000")", " must be a whole number"},
        {Family::esim, "consumidor.apelido", R"("M")", " is not a field of this request"},
        {Family::esim, "consumidor.endereco", "null", " is missing"},
        {Family::esim, "consumidor.endereco.cep", "null", " is missing"},
        {Family::esim, "consumidor.endereco.pais", R"("BR")", " is not a field of this request"},
        {Family::esim, "endereco.tipoEnderecoId", R"("1")", " must be a whole number"},
        {Family::esim, "endereco.numeroLogradouro", R"("7")", " must be a whole number"},
        {Family::esim, "endereco.tipoLogradouroId", "null", " is missing"},
        {Family::esim, "endereco.uf", "1", " must be a string"},
        {Family::esim, "endereco.complemento", "null", " is missing"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(std::string(row.name) + " = " + row.value);
        Caller caller;
        const auto value = json::parse(row.value);
        const auto answer =
            ask_with(caller, row.family, row.name, value.is_null() ? std::nullopt : std::optional(value));
        expect_departure(caller, answer, *row.reason == ' ' ? row.name + std::string(row.reason) : row.reason);
    }
}

TEST(Orders, TheDynamicTvProductIsSoldByItsValueAndNothingElse) {
    const auto ask = [](Caller& caller, const json::object& more, bool plain) {
        auto body = caller.order(Family::tv, "A");
        body["produto"] = "TV Livre";
        for (const auto& pair : more)
            body[pair.key()] = pair.value();
        for (const auto* name : {"valor", "cpf"})
            if (plain) body.erase(name);
        return caller.post("/venda/tv/solicitar", body);
    };
    Caller caller;
    EXPECT_EQ(ask(caller, {{"id_valor", "101;2500"}}, true).status, 200);
    EXPECT_EQ(caller.entry("A").valor, 2500);
    Caller by_cents;
    EXPECT_TRUE(ask(by_cents, {{"id_valor", "902;3002"}}, true).drop) << "its value chooses the outcome";
    Caller other;
    expect_departure(other, ask(other, {}, true), "id_valor is missing");
    expect_departure(other, ask(other, {{"id_valor", "101;2501"}}, true), "id_valor is not a value of the value query");
    EXPECT_EQ(ask(other, {{"id_valor", "101;2500"}}, false).status, 400) << "valor and cpf belong to the others";
}

TEST(Orders, WhatMayBeLeftOutMayBeLeftOut) {
    Caller caller;
    EXPECT_EQ(ask_with(caller, Family::tv, "fornecedor", std::nullopt).status, 200);
    Caller esim;
    EXPECT_EQ(ask_with(esim, Family::esim, "urlRecarga", std::nullopt).status, 200);
    for (const auto& delivery : esim.pass(1min))
        EXPECT_EQ(delivery.url, "http://127.0.0.1:1/sale") << "it serves for both";
}

TEST(Orders, AnUnknownTransitOperatorSellsNothing) {
    Caller caller;
    EXPECT_EQ(caller.post("/venda/transporte/nada/solicitar", caller.order(Family::transit, "A")).status, 404);
}

TEST(Orders, AReasonNeverQuotesWhatWasSent) {
    Caller caller;
    ask_with(caller, Family::tv, "cpf", json::value("SECRET-CPF"));
    ask_with(caller, Family::transit, "numeroCartao", json::value("SECRET-CARD"));
    EXPECT_FALSE(caller.log.has("SECRET"));
}

}  // namespace
}  // namespace gateway::sandbox
