#include "families/request_body.hpp"
#include "unit/families/testing.hpp"

namespace gateway::test {
namespace {

const json::value sell = json::parse(R"({
    "consumidor":{"cpf":"52998224725","nome":"Maria José","email":"maria@exemplo.com.br","nascimento":"29022000",
                  "telefone":5511987654321},
    "endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista",
                "tipoLogradouroId":2,"logradouro":"Paulista","numeroLogradouro":1000,"complemento":"ap 7"},
    "servicoId":"S-1","valorRecarga":3000,"valor":4990})");

const OptionsQuestion question{.family = Family::esim, .produto = "Chip"};

Pointers errors_with(std::string_view pointer, json::value value) {
    return pointers(read_sell(Family::esim, with(sell, pointer, std::move(value))).errors);
}

Result<Options> options_of(std::string_view body) {
    return rules_of(Family::esim).read_options(question, body);
}

std::vector<Option> option_of(std::string_view chave, std::string_view valor) {
    const json::object entry{{"chave", chave}, {"valor", valor}};
    return options_of(json::serialize(json::object{{"valores", json::array{entry}}}))->options;
}

TEST(EsimSell, CarriesTheCustomerAndTheAddressInBothPlaces) {
    const auto [order, errors, rest] = read_sell(Family::esim, sell);
    EXPECT_EQ(errors, FieldErrors{});
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(order.valor, Cents{4990});
    const auto expected = with(with(sell, "/consumidor/endereco", sell.at("endereco")), "/valor", "4990");
    EXPECT_EQ(order.fields, expected);
}

TEST(EsimSell, SolicitarIsTheDocumentedBody) {
    const auto sale = sale_of(read_sell(Family::esim, sell, "Chip").order);
    json::object expected{{"estabelecimento", "0042"},
                          {"produto", "Chip"},
                          {"idExterno", sale.current().id_externo.str()},
                          {"consumidor", sell.at("consumidor")},
                          {"endereco", sell.at("endereco")},
                          {"servicoId", "S-1"},
                          {"valorRecarga", 3000},
                          {"the service", "https://loja.exemplo/gw/callbacks/esim/segredo/sale"},
                          {"urlRecarga", "https://loja.exemplo/gw/callbacks/esim/segredo/recharge"},
                          {"dataHoraCliente", "2024-05-02T13:11:11.480Z"},
                          {"valor", "4990"}};
    expected["consumidor"].as_object()["endereco"] = sell.at("endereco");
    for (const auto* url : {"https://loja.exemplo/gw", "https://loja.exemplo/gw/", "https://loja.exemplo/gw//"})
        EXPECT_EQ(json::parse(request_body(Step::solicitar, sale, sale.current(), url, "the service")), expected);
    const auto renamed =
        json::parse(request_body(Step::solicitar, sale, sale.current(), "https://x", "urlNotificacao"));
    EXPECT_EQ(renamed.at("urlNotificacao"), "https://x/callbacks/esim/segredo/sale");
    EXPECT_FALSE(renamed.as_object().contains("the service"));
}

TEST(EsimSell, TheCustomersOwnAddressIsSentAsItIs) {
    const auto own = with(sell.at("endereco"), "/uf", "RJ");
    const auto order = read_sell(Family::esim, with(sell, "/consumidor/endereco", own)).order;
    EXPECT_EQ(order.fields.at("consumidor").at("endereco").at("uf"), "RJ");
    EXPECT_EQ(order.fields.at("endereco").at("uf"), "SP");
    EXPECT_EQ(errors_with("/consumidor/endereco", with(own, "/uf", "XX")), Pointers{"/consumidor/endereco/uf"});
    EXPECT_EQ(errors_with("/consumidor/endereco", "rua"), Pointers{"/consumidor/endereco"});
}

TEST(EsimSell, EveryFieldIsRequiredButTheComplement) {
    const auto empty = with(with(sell, "/consumidor", json::object{}), "/endereco", json::object{});
    EXPECT_EQ(
        pointers(read_sell(Family::esim, empty).errors),
        (Pointers{"/endereco/tipoEnderecoId", "/endereco/cep", "/endereco/uf", "/endereco/cidade", "/endereco/bairro",
                  "/endereco/tipoLogradouroId", "/endereco/logradouro", "/endereco/numeroLogradouro", "/consumidor/cpf",
                  "/consumidor/nome", "/consumidor/email", "/consumidor/nascimento", "/consumidor/telefone"}));
    const auto plain = read_sell(Family::esim, without(sell, "/endereco/complemento"));
    EXPECT_EQ(plain.errors, FieldErrors{});
    EXPECT_EQ(plain.order.fields.at("endereco").at("complemento"), "");
    EXPECT_EQ(errors_with("/endereco/complemento", ""), Pointers{});
}

TEST(EsimSell, AComplementAndAnObjectRefuseRubbish) {
    for (const json::value& value :
         {json::value(1), json::value("a\nb"), json::value(nullptr), json::value(json::array{})})
        EXPECT_EQ(errors_with("/endereco/complemento", value), Pointers{"/endereco/complemento"});
    for (const auto* pointer : {"/consumidor", "/endereco"})
        for (const json::value& value :
             {json::value(nullptr), json::value(json::array{}), json::value("x"), json::value(1)})
            EXPECT_EQ(errors_with(pointer, value), Pointers{pointer});
}

TEST(EsimSell, ANestedFieldThatDoesNotExistIsAnError) {
    EXPECT_EQ(errors_with("/consumidor/idade", 30), Pointers{"/consumidor/idade"});
    EXPECT_EQ(errors_with("/endereco/pais", "BR"), Pointers{"/endereco/pais"});
    const auto own = with(sell.at("endereco"), "/pais", "BR");
    EXPECT_EQ(errors_with("/consumidor/endereco", own), Pointers{"/consumidor/endereco/pais"});
}

TEST(EsimSell, TheCpfHasRightCheckDigitsAndGoesAsItCame) {
    EXPECT_EQ(errors_with("/consumidor/cpf", "52998224724"), Pointers{"/consumidor/cpf"});
    EXPECT_EQ(errors_with("/consumidor/cpf", "11111111111"), Pointers{"/consumidor/cpf"});
    EXPECT_EQ(errors_with("/consumidor/cpf", 52998224725), Pointers{"/consumidor/cpf"});
    const auto order = read_sell(Family::esim, with(sell, "/consumidor/cpf", "529.982.247-25")).order;
    EXPECT_EQ(order.fields.at("consumidor").at("cpf"), "529.982.247-25");
}

TEST(EsimSell, ABirthDateIsADayOfTheCalendar) {
    for (const auto* date : {"01011900", "31122099", "29022000", "29022024", "30041985"})
        EXPECT_EQ(errors_with("/consumidor/nascimento", date), Pointers{}) << date;
    for (const auto* date : {"29022023", "29021900", "31042000", "00012000", "01002000", "32012000", "01132000",
                             "20000229", "01011899", "290220", "29/02/2000", "2902200O", "31122101"})
        EXPECT_EQ(errors_with("/consumidor/nascimento", date), Pointers{"/consumidor/nascimento"}) << date;
}

TEST(EsimSell, ATelephoneIsANumberBeyond32Bits) {
    EXPECT_EQ(read_sell(Family::esim, sell).order.fields.at("consumidor").at("telefone"), 5'511'987'654'321);
    for (const json::value& value :
         {json::value(11'987'654'321), json::value(10'000'000), json::value(999'999'999'999'999)})
        EXPECT_EQ(errors_with("/consumidor/telefone", value), Pointers{}) << value;
    for (const json::value& value : {json::value("11987654321"), json::value(11'987'654'321.0), json::value(9'999'999),
                                     json::value(1'000'000'000'000'000), json::value(-11'987'654'321)})
        EXPECT_EQ(errors_with("/consumidor/telefone", value), Pointers{"/consumidor/telefone"}) << value;
}

TEST(EsimSell, AnEmailLooksLikeOne) {
    for (const auto* email : {"a@b.c", "maria.jose+x@mail.exemplo.com.br", "ü@exemplo.com"})
        EXPECT_EQ(errors_with("/consumidor/email", email), Pointers{}) << email;
    for (const auto* email :
         {"a", "@b.c", "a@", "a@b", "a@b.", "a@.b", "a@b..c", "a b@c.d", "a@b@c.d", "a@b c.d", "a@.b.c"})
        EXPECT_EQ(errors_with("/consumidor/email", email), Pointers{"/consumidor/email"}) << email;
    EXPECT_EQ(errors_with("/consumidor/email", json::string(std::string(65, 'a') + "@b.c")),
              Pointers{"/consumidor/email"});
}

TEST(EsimSell, ACepAndAStateAreBrazils) {
    for (const auto* cep : {"01310100", "01310-100"})
        EXPECT_EQ(errors_with("/endereco/cep", cep), Pointers{}) << cep;
    for (const auto* cep : {"0131010", "013101000", "0131-0100", "01310 100", "01310-10", "0131010a", "01310-10a"})
        EXPECT_EQ(errors_with("/endereco/cep", cep), Pointers{"/endereco/cep"}) << cep;
    for (const auto* uf : {"AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA",
                           "PB", "PE", "PI", "PR", "RJ", "RN", "RO", "RR", "RS", "SC", "SE", "SP", "TO"})
        EXPECT_EQ(errors_with("/endereco/uf", uf), Pointers{}) << uf;
    for (const auto* uf : {"sp", "XX", "S", "SPP"})
        EXPECT_EQ(errors_with("/endereco/uf", uf), Pointers{"/endereco/uf"}) << uf;
}

TEST(EsimSell, NumbersOfAnAddressStartAtNothing) {
    for (const auto* pointer :
         {"/endereco/tipoEnderecoId", "/endereco/tipoLogradouroId", "/endereco/numeroLogradouro"}) {
        EXPECT_EQ(errors_with(pointer, 0), Pointers{});
        EXPECT_EQ(errors_with(pointer, 2'147'483'647), Pointers{});
        EXPECT_EQ(errors_with(pointer, 2'147'483'648), Pointers{pointer});
        EXPECT_EQ(errors_with(pointer, "12"), Pointers{pointer});
    }
}

TEST(EsimSell, ARechargeIsCentsAndMayBeNothing) {
    EXPECT_EQ(errors_with("/valorRecarga", 0), Pointers{});
    EXPECT_EQ(errors_with("/valorRecarga", 99'999'999), Pointers{});
    for (const json::value& value : {json::value("3000"), json::value(3000.0), json::value(100'000'000)})
        EXPECT_EQ(errors_with("/valorRecarga", value), Pointers{"/valorRecarga"});
}

TEST(EsimSell, NoErrorQuotesTheCustomer) {
    const auto bad =
        with(with(with(sell, "/consumidor/cpf", "4711"), "/consumidor/nome", "4711\n"), "/endereco/cep", "4711");
    const auto errors = read_sell(Family::esim, bad).errors;
    EXPECT_EQ(errors.size(), 3U);
    for (const auto& error : errors)
        EXPECT_EQ(error.detail.find("4711"), std::string::npos);
}

TEST(EsimPaths, ThereIsNoSecondStep) {
    const auto& rules = rules_of(Family::esim);
    EXPECT_EQ(rules.path(Step::solicitar, ""), "/venda/esim/solicitar");
    EXPECT_EQ(rules.path(Step::confirmar, ""), "");
    EXPECT_EQ(rules.path(Step::cancelar, ""), "");
}

TEST(EsimOptions, TheQuestionIsAboutAProduct) {
    FieldErrors errors;
    auto asked = rules_of(Family::esim).question(query_of({{"produto", "Chip"}}), errors);
    EXPECT_EQ(asked, question);
    asked.estabelecimento = "42";
    EXPECT_EQ(rules_of(Family::esim).query_path(asked), "/venda/esim/consulta-planos/42/Chip");
    rules_of(Family::esim).question(query_of({}), errors);
    EXPECT_EQ(pointers(errors), Pointers{"/produto"});
}

TEST(EsimOptions, AreThePlansWithTheirRecharge) {
    const auto options =
        options_of(R"({"tipoValor":2,"valores":[{"chave":"Plano A - 10 GB - R$ 49,90","valor":"S-1;4990;3000"}]})");
    ASSERT_TRUE(options);
    ASSERT_EQ(options->options.size(), 1U);
    EXPECT_EQ(options->options[0].label, "Plano A - 10 GB - R$ 49,90");
    EXPECT_EQ(std::get<Option::Fixed>(options->options[0].valor).valor, Cents{4990});
    EXPECT_EQ(options->options[0].sell,
              (json::object{{"produto", "Chip"}, {"servicoId", "S-1"}, {"valorRecarga", 3000}, {"valor", 4990}}));
    EXPECT_EQ(options->details, (json::object{{"tipoValor", 2}}));
    EXPECT_TRUE(options->left_out.empty());
}

TEST(EsimOptions, APriceWithACommaIsADecimal) {
    const auto options = option_of("x", "S;49,90;0,00");
    ASSERT_EQ(options.size(), 1U);
    EXPECT_EQ(options[0].sell.at("valor"), 4990);
    EXPECT_EQ(options[0].sell.at("valorRecarga"), 0);
}

TEST(EsimOptions, DigitsThatTheLabelShowsAsWholeReaisAreNotTakenForCents) {
    EXPECT_TRUE(option_of("Plano - 5 GB - R$ 49,00", "S;49;20").empty());
    EXPECT_TRUE(option_of("Plano - 5 GB - 49", "S;49;20").empty());
    EXPECT_EQ(option_of("Plano - 5 GB - R$ 49,00", "S;4900;2000").size(), 1U);
    EXPECT_EQ(option_of("Plano - 5 GB - R$ 0,49", "S;49;20").size(), 1U);
    EXPECT_EQ(option_of("Plano sem preço", "S;49;20").size(), 1U);
    EXPECT_EQ(option_of("Plano - 5 GB - de graça", "S;49;20").size(), 1U);
}

TEST(EsimOptions, ADecimalPriceBesideARechargeInDigitsIsNotPlain) {
    EXPECT_TRUE(option_of("x", "S;49,90;30").empty());
    EXPECT_TRUE(option_of("x", "S;4990;30,00").empty());
    EXPECT_EQ(option_of("x", "S;49,90;0").size(), 1U);
    EXPECT_EQ(option_of("x", "S;49,90;30,5").at(0).sell.at("valorRecarga"), 3050);
}

TEST(EsimOptions, APlanThatIsNotPlainlyOneIsLeftOut) {
    for (const auto* valor :
         {"", "S", "S;4990", ";4990;3000", "S;;3000", "S;4990;", "S;0;3000", "S;49.90;30.00", "S;-1;1", "S;4990;3000;1",
          "S;R$ 49,90;1", "S;100000000;1", "S;4990;1e3", "a\tb;4990;3000", "S;4990; 3000"})
        EXPECT_TRUE(option_of("x", valor).empty()) << valor;
    EXPECT_EQ(options_of(R"({"valores":[{"chave":"x","valor":4990},7]})")->left_out,
              (std::vector<std::string>{"valores[0]: valor is not <servicoId>;<price>;<recharge>",
                                        "valores[1]: is not an object"}));
}

TEST(EsimBounds, AreNotAskedForBecauseThereAreNone) {
    const auto order = read_sell(Family::esim, sell).order;
    EXPECT_EQ(rules_of(Family::esim).question_for(order), std::nullopt);
    EXPECT_EQ(rules_of(Family::esim).check_bounds(order, {}), FieldErrors{});
}

}  // namespace
}  // namespace gateway::test
