#include "families/request_body.hpp"

#include "unit/families/testing.hpp"

namespace gateway::test {
namespace {

Sale tv_sale() {
    return sale_of(read_sell(Family::tv, json::parse(R"({"valor":1099,"cpf":"52998224725"})"), "TV \"Pré\"").order);
}

TEST(RequestBody, ConfirmNamesTheTransaction) {
    const auto sale = tv_sale();
    EXPECT_EQ(json::parse(request_body(Step::confirmar, sale, sale.current(), "", "")),
              (json::object{{"estabelecimento", "0042"},
                            {"idTransacao", "T-77"},
                            {"produto", "TV \"Pré\""},
                            {"dataHoraCliente", "2024-05-02T13:11:12.500Z"}}));
}

TEST(RequestBody, CancelNamesTheRequest) {
    const auto sale = tv_sale();
    EXPECT_EQ(json::parse(request_body(Step::cancelar, sale, sale.current(), "", "")),
              (json::object{{"estabelecimento", "0042"},
                            {"idExterno", sale.current().id_externo.str()},
                            {"dataHoraCliente", "2024-05-02T13:13:11.480Z"}}));
}

TEST(RequestBody, RepeatsAreByteForByteTheSame) {
    const auto sale = tv_sale();
    for (const auto step : {Step::solicitar, Step::confirmar, Step::cancelar})
        EXPECT_EQ(request_body(step, sale, sale.current(), "u", "f"),
                  request_body(step, sale, sale.current(), "u", "f"));
}

TEST(RequestBody, EachAttemptHasItsOwnIdAndTimes) {
    auto sale = tv_sale();
    SeededRandom random(2);
    sale.attempts.push_back({.id_externo = IdExterno::make(cancelled_at, random), .created_at = cancelled_at});
    const auto first = json::parse(request_body(Step::solicitar, sale, sale.attempts.front(), "", ""));
    const auto second = json::parse(request_body(Step::solicitar, sale, sale.current(), "", ""));
    EXPECT_NE(first.at("idExterno"), second.at("idExterno"));
    EXPECT_EQ(second.at("dataHoraCliente"), "2024-05-02T13:13:11.480Z");
}

TEST(RequestBody, TheFamilysFieldsStandAsTheyAreKept) {
    auto sale = tv_sale();
    sale.request = Secret(R"({"a\"\u00e9":[1,{"b":null}],"c":-1.5})");
    const auto body = request_body(Step::solicitar, sale, sale.current(), "", "");
    EXPECT_TRUE(body.ends_with(R"("2024-05-02T13:11:11.480Z","a\"\u00e9":[1,{"b":null}],"c":-1.5})")) << body;
    sale.request = Secret(" {\n\"a\" : 1 }\n");
    EXPECT_EQ(json::parse(request_body(Step::solicitar, sale, sale.current(), "", "")).at("a"), 1);
}

TEST(RequestBody, FieldsThatAreErasedOrNoObjectAreLeftOut) {
    auto sale = tv_sale();
    for (const auto* kept : {"", "{}", " { } ", "{", "}", "[1]", "null", "\xff{"}) {
        sale.request = Secret(kept);
        const auto body = json::parse(request_body(Step::solicitar, sale, sale.current(), "", ""));
        EXPECT_EQ(body.as_object().size(), 4u) << kept;
    }
}

TEST(RequestBody, OnlyEsimNamesCallbacks) {
    const auto sale = tv_sale();
    EXPECT_EQ(request_body(Step::solicitar, sale, sale.current(), "https://x", "campo").find("callbacks"),
              std::string::npos);
}

TEST(RequestBodyDeathTest, AConfirmOrCancelThatNobodyDecidedIsABug) {
    auto sale = tv_sale();
    sale.attempts.front().confirm_time.reset();
    sale.attempts.front().cancel_time.reset();
    EXPECT_DEATH(request_body(Step::confirmar, sale, sale.current(), "", ""), "confirm_time");
    EXPECT_DEATH(request_body(Step::cancelar, sale, sale.current(), "", ""), "cancel_time");
}

}  // namespace
}  // namespace gateway::test
