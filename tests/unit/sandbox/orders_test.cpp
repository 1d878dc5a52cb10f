#include "sandbox/orders.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

// Returns the provider's answer to a sale request with one member changed, or removed where `value` is missing.
Answer ask_with(Caller& caller, Family family, const std::string& name, const std::optional<json::value>& value) {
    auto body = caller.order(family, "A");
    if (value) {
        body[name] = *value;
    } else {
        body.erase(name);
    }
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

INSTANTIATE_TEST_SUITE_P(Orders, EveryFamily, testing::ValuesIn(families),
                         [](const auto& family) { return std::string(to_string(family.param)); });

TEST_P(EveryFamily, SellsWhatIsInOrder) {
    Caller caller;
    const auto answer = caller.ask(GetParam(), "A");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answered_status(answer), "AUTORIZADA");
    EXPECT_EQ(caller.model.metrics().departures(), 0U);
}

TEST_P(EveryFamily, RefusesAMissingField) {
    const auto whole = Caller().order(GetParam(), "A");
    for (const auto& pair : whole) {
        const std::string name = pair.key();
        if (name == "fornecedor" && GetParam() == Family::tv) continue;
        if (name == "urlRecarga") continue;
        Caller caller;
        const auto answer = ask_with(caller, GetParam(), name, std::nullopt);
        expect_departure(caller, answer, name + " is missing");
    }
}

TEST_P(EveryFamily, RefusesAFieldOfAnotherType) {
    const auto whole = Caller().order(GetParam(), "A");
    for (const auto& pair : whole) {
        Caller caller;
        const auto answer = ask_with(caller, GetParam(), pair.key(), json::value(true));
        EXPECT_EQ(answer.status, 400) << pair.key();
        EXPECT_TRUE(reason_of(answer).starts_with(std::string(pair.key()) + " must be")) << reason_of(answer);
    }
}

TEST_P(EveryFamily, RefusesAFieldTooMany) {
    Caller caller;
    expect_departure(caller, ask_with(caller, GetParam(), "quantidade", json::value("1")),
                     "quantidade is not a field of this request");
}

TEST_P(EveryFamily, RefusesAnUnknownEstablishment) {
    Caller caller;
    expect_departure(caller, ask_with(caller, GetParam(), "estabelecimento", json::value("87654321")),
                     "estabelecimento is not known");
}

TEST_P(EveryFamily, RefusesATimeInTheOtherForm) {
    Caller caller;
    const bool health = GetParam() == Family::health;
    expect_departure(caller,
                     ask_with(caller, GetParam(), "dataHoraCliente", json::value(health ? client_time : health_time)),
                     health ? "dataHoraCliente must be ISO 8601 without a zone"
                            : "dataHoraCliente must be ISO 8601 in UTC with milliseconds and a Z");
}

TEST_P(EveryFamily, RefusesAnAmountAsANumber) {
    Caller caller;
    expect_departure(caller, ask_with(caller, GetParam(), "valor", json::value(5000)), "valor must be a string");
}

TEST_P(EveryFamily, RefusesABodyThatIsNoObjectOrRepeatsAField) {
    Caller caller;
    for (const auto* body : {"", "nonsense", "[]", R"({"idExterno":"A","idExterno":"A"})"}) {
        const auto answer = caller.model.handle(
            {"POST", Caller::path(GetParam(), Step::solicitar), caller.headers(), body}, caller.now);
        EXPECT_EQ(answer.status, 400) << body;
        EXPECT_EQ(reason_of(answer), "the body is not a JSON object, or repeats a field");
    }
}

struct Departed {
    Family family;
    const char* field;
    const char* value;  // JSON
    const char* reason;

    friend std::ostream& operator<<(std::ostream& out, const Departed& row) {
        return out << row.field << "=" << row.value;
    }
};

class OneWrongValue : public testing::TestWithParam<Departed> {};

TEST_P(OneWrongValue, IsRefused) {
    const auto& row = GetParam();
    Caller caller;
    expect_departure(caller, ask_with(caller, row.family, row.field, json::parse(row.value)), row.reason);
}

constexpr const char* no_card_entry =
    "numeroCartao with tipoCredito, tipoProduto and descricao are not those of an entry";
constexpr const char* no_gift_entry = "chaveProduto and configuracaoId are not those of a catalogue entry";
constexpr const char* out_of_bounds = "valor is not between valorMinimo and valorMaximo of the catalogue entry";

INSTANTIATE_TEST_SUITE_P(
    Orders, OneWrongValue,
    testing::Values(
        Departed{Family::tv, "tipoProduto", R"("OFFLINE")", "tipoProduto must be ONLINE"},
        Departed{Family::tv, "produto", R"("TV Nada")", "produto is not in the catalogue"},
        Departed{Family::tv, "cpf", R"("12345678909")", "cpf must be formatted as 000.000.000-00"},
        Departed{Family::tv, "cpf", R"("123.456.789-0x")", "cpf must be formatted as 000.000.000-00"},
        Departed{Family::tv, "id_valor", R"("101;2500")", "id_valor is not a field of this request"},
        Departed{Family::egift, "tipoProduto", R"("501")", "tipoProduto must be ONLINE"},
        Departed{Family::egift, "tipoNegocio", R"("1")", "tipoNegocio must be a whole number"},
        Departed{Family::egift, "chaveProduto", R"("EG-NADA")", no_gift_entry},
        Departed{Family::egift, "configuracaoId", R"("cfg-passe-01")", no_gift_entry},
        Departed{Family::egift, "valor", R"("999")", out_of_bounds},
        Departed{Family::egift, "valor", R"("50001")", out_of_bounds},
        Departed{Family::transit, "tipoProduto", R"("ONLINE")", "tipoProduto must be a string of digits"},
        Departed{Family::transit, "numeroCartao", R"("1000000001")", no_card_entry},
        Departed{Family::transit, "tipoCredito", R"("9")", no_card_entry},
        Departed{Family::transit, "descricao", R"("recarga livre")", no_card_entry},
        Departed{Family::transit, "valor", R"("499")", "valor is not one that the card's entry allows"},
        Departed{Family::transit, "fornecedor", R"("X")", "fornecedor is not a field of this request"},
        Departed{Family::health, "produto", R"("Exame")", "produto is not one of this health partner"},
        Departed{Family::health, "produtoIdParceiro", R"("7002")",
                 "produtoIdParceiro is not the one of the value query"},
        Departed{Family::health, "valor", R"("5991")", "valor is not the one of the value query"},
        Departed{Family::health, "tipoProduto", R"("ONLINE")", "tipoProduto is not a field of this request"},
        Departed{Family::esim, "produto", R"("Chip")", "produto is not in the catalogue"},
        Departed{Family::esim, "servicoId", R"("999")", "servicoId is not one of the plan query"},
        Departed{Family::esim, "valorRecarga", "3001", "valorRecarga is not the one of the plan query"},
        Departed{Family::esim, "valorRecarga", R"("3000")", "valorRecarga must be a whole number"},
        Departed{Family::esim, "the service", R"("ftp://x/y")", "the service must be an http or https address"},
        Departed{Family::esim, "urlRecarga", R"("")", "urlRecarga must not be empty"},
        Departed{Family::esim, "fornecedor", R"("X")", "fornecedor is not a field of this request"}));

struct InnerDeparture {
    const char* object;  // a path of one or two names
    const char* field;
    const char* value;  // JSON; null removes the field
    const char* reason;

    friend std::ostream& operator<<(std::ostream& out, const InnerDeparture& row) {
        return out << row.object << "." << row.field << "=" << row.value;
    }
};

class EsimPart : public testing::TestWithParam<InnerDeparture> {};

TEST_P(EsimPart, IsReadFieldByField) {
    const auto& row = GetParam();
    Caller caller;
    auto body = caller.order(Family::esim, "A");
    auto* object = &body;
    if (std::string_view(row.object) == "consumidor.endereco") {
        object = &body["consumidor"].as_object()["endereco"].as_object();
    } else {
        object = &body[row.object].as_object();
    }
    const auto value = json::parse(row.value);
    if (value.is_null()) {
        object->erase(row.field);
    } else {
        (*object)[row.field] = value;
    }
    expect_departure(caller, caller.post("/venda/esim/solicitar", body), row.reason);
}

INSTANTIATE_TEST_SUITE_P(
    Orders, EsimPart,
    testing::Values(
        InnerDeparture{"consumidor", "cpf", R"("1234")", "consumidor.cpf must be eleven digits, formatted or not"},
        InnerDeparture{"consumidor", "nome", "null", "consumidor.nome is missing"},
        InnerDeparture{"consumidor", "email", "null", "consumidor.email is missing"},
        InnerDeparture{"consumidor", "nascimento", R"("1996-02-29")",
                       "consumidor.nascimento must be eight digits, day, month and year"},
        InnerDeparture{"consumidor", "telefone", R"("11999990000")", "consumidor.telefone must be a whole number"},
        InnerDeparture{"consumidor", "apelido", R"("M")", "consumidor.apelido is not a field of this request"},
        InnerDeparture{"consumidor", "endereco", "null", "consumidor.endereco is missing"},
        InnerDeparture{"consumidor.endereco", "cep", "null", "consumidor.endereco.cep is missing"},
        InnerDeparture{"consumidor.endereco", "pais", R"("BR")",
                       "consumidor.endereco.pais is not a field of this request"},
        InnerDeparture{"endereco", "tipoEnderecoId", R"("1")", "endereco.tipoEnderecoId must be a whole number"},
        InnerDeparture{"endereco", "numeroLogradouro", R"("7")", "endereco.numeroLogradouro must be a whole number"},
        InnerDeparture{"endereco", "tipoLogradouroId", "null", "endereco.tipoLogradouroId is missing"},
        InnerDeparture{"endereco", "uf", "1", "endereco.uf must be a string"},
        InnerDeparture{"endereco", "complemento", "null", "endereco.complemento is missing"}));

TEST(Orders, TheDynamicTvProductIsSoldByItsValueAndNothingElse) {
    Caller caller;
    auto body = caller.order(Family::tv, "A");
    body["produto"] = "TV Livre";
    EXPECT_EQ(reason_of(caller.post("/venda/tv/solicitar", body)), "id_valor is missing");
    body["idExterno"] = "B";
    body["id_valor"] = "101;2500";
    EXPECT_NE(caller.post("/venda/tv/solicitar", body).status, 200) << "valor and cpf belong to the other products";
    body["idExterno"] = "C";
    body.erase("valor");
    body.erase("cpf");
    EXPECT_EQ(caller.post("/venda/tv/solicitar", body).status, 200);
    EXPECT_EQ(caller.entry("C").valor, 2500);
    body["idExterno"] = "D";
    body["id_valor"] = "101;2501";
    EXPECT_EQ(reason_of(caller.post("/venda/tv/solicitar", body)), "id_valor is not a value of the value query");
}

TEST(Orders, TvWithoutASupplierIsSold) {
    Caller caller;
    EXPECT_EQ(ask_with(caller, Family::tv, "fornecedor", std::nullopt).status, 200);
}

TEST(Orders, AUnitCardIsSoldByMultiplesOfItsUnit) {
    Caller caller;
    auto body = caller.order(Family::transit, "A");
    body["numeroCartao"] = "1000000001";
    body["tipoCredito"] = "1";
    body["tipoProduto"] = "501";
    body["descricao"] = "Bilhete unitario";
    body["valor"] = "880";
    EXPECT_EQ(caller.post("/venda/transporte/bilhete/solicitar", body).status, 200);
    body["idExterno"] = "B";
    body["valor"] = "881";
    EXPECT_EQ(caller.post("/venda/transporte/bilhete/solicitar", body).status, 400);
}

TEST(Orders, AnUnknownTransitOperatorSellsNothing) {
    Caller caller;
    EXPECT_EQ(caller.post("/venda/transporte/nada/solicitar", caller.order(Family::transit, "A")).status, 404);
}

TEST(Orders, WithoutARechargeAddressTheSalesAddressServesForBoth) {
    const Options options;
    Caller caller;
    auto body = caller.order(Family::esim, "A");
    body.erase("urlRecarga");
    Route route;
    route.step = Step::solicitar;
    route.family = Family::esim;
    const auto read = read_order(route, body, options);
    EXPECT_EQ(read.departure, "");
    EXPECT_EQ(read.body.recharge_url, "http://127.0.0.1:1/sale");
}

TEST(Orders, TheNotificationFieldsNameIsAnOption) {
    Options options;
    options.callback_field = "urlNotificacao";
    Caller caller(options);
    EXPECT_EQ(reason_of(caller.ask(Family::esim, "A")), "urlNotificacao is missing");
    auto body = caller.order(Family::esim, "B");
    body["urlNotificacao"] = body["the service"];
    body.erase("the service");
    EXPECT_EQ(caller.post("/venda/esim/solicitar", body).status, 200);
}

TEST(Orders, AReasonNeverQuotesWhatWasSent) {
    Caller caller;
    ask_with(caller, Family::tv, "cpf", json::value("SECRET-CPF"));
    ask_with(caller, Family::transit, "numeroCartao", json::value("SECRET-CARD"));
    EXPECT_FALSE(caller.log.has("SECRET"));
}

}  // namespace
}  // namespace gateway::sandbox
