// How a sale stands, asked for by a GET: what some providers have, and the interface document does not.
#include "unit/sandbox/desk.hpp"

namespace gateway::sandbox {
namespace {

Options with_path(std::string path) {
    Options options;
    options.status_path = std::move(path);
    options.status_shape = StatusShape::venda;
    return options;
}

std::string told(const Answer& answer, std::string_view name) {
    const auto body = parse_object(answer.body);
    const auto* venda = body.if_contains("venda");
    if (venda == nullptr) return "";
    const auto& object = name == "idExterno" ? venda->as_object() : venda->at("transacao").as_object();
    const auto* value = object.if_contains(name);
    if (value == nullptr) return "";
    return value->is_string() ? std::string(value->as_string()) : json::serialize(*value);
}

TEST(StatusOfASale, IsTheOneThatItHasNow) {
    Desk desk(with_path("/venda/transacao/{idExterno}"));
    for (const auto family : families) {
        const auto id = "A-" + std::string(to_string(family));
        desk.ask(family, id);
        const auto answer = desk.get("/venda/transacao/" + id);
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(told(answer, "status"), "AUTORIZADA");
        EXPECT_EQ(told(answer, "idTransacao"), desk.entry(id).idTransacao);
        EXPECT_EQ(told(answer, "valor"), std::to_string(desk.entry(id).valor));
        EXPECT_EQ(told(answer, "idExterno"), id);
        EXPECT_EQ(desk.model.metrics().count(Step::status, family).processed, 1u);
    }
    desk.confirm("A-tv");
    EXPECT_EQ(told(desk.get("/venda/transacao/A-tv"), "status"), "EFETIVADA");
    desk.cancel("A-transit", Family::transit);
    EXPECT_EQ(told(desk.get("/venda/transacao/A-transit"), "status"), "CANCELADA");
    EXPECT_EQ(desk.model.metrics().departures(), 0u);
}

TEST(StatusOfASale, IsAskedForByIdTransacaoToo) {
    Desk desk(with_path("/status/{idTransacao}"));
    desk.ask(Family::tv, "A");
    EXPECT_EQ(desk.get("/status/" + desk.entry("A").idTransacao).status, 200);
    EXPECT_EQ(desk.get("/status/A").status, 404);
}

TEST(StatusOfASale, OfWhatNeverCameThereIsNone) {
    Desk desk(with_path("/venda/transacao/{idExterno}"));
    EXPECT_EQ(desk.get("/venda/transacao/A").status, 404);
    desk.cancel("A");
    EXPECT_EQ(desk.get("/venda/transacao/A").status, 404) << "only its cancel came";
    EXPECT_EQ(desk.model.metrics().departures(), 0u);
}

TEST(StatusOfASale, NeedsATokenAndAGet) {
    Desk desk(with_path("/venda/transacao/{idExterno}"));
    desk.ask(Family::tv, "A");
    EXPECT_EQ(desk.model.handle({"GET", "/venda/transacao/A", {{"Accept", "application/json"}}, ""}, desk.now).status,
              401);
    EXPECT_EQ(desk.post("/venda/transacao/A", {}).status, 404);
}

TEST(StatusOfASale, IsNotThereUnlessItIsGivenAPath) {
    Desk desk;
    desk.ask(Family::tv, "A");
    EXPECT_EQ(desk.get("/venda/transacao/A").status, 404);
    EXPECT_EQ(desk.model.metrics().departures(), 1u);
}

TEST(StatusOfASale, MeetsTheFaultsThatOtherCallsMeet) {
    Desk desk(with_path("/venda/transacao/{idExterno}"));
    desk.ask(Family::tv, "A");
    ASSERT_TRUE(desk.model.faults()
                    .replace(R"([{"step":"status","family":"tv","idExterno":"A","behaviour":"error","times":1},
                                 {"step":"status","nth":2,"behaviour":"lose_answer","times":1}])")
                    .has_value());
    EXPECT_EQ(desk.get("/venda/transacao/A").status, 500);
    EXPECT_TRUE(desk.get("/venda/transacao/A").drop);
    EXPECT_EQ(desk.get("/venda/transacao/A").status, 200);
    EXPECT_EQ(desk.entry("A").calls_of(Step::status), 3u);
}

TEST(StatusOfASale, CountsForTheRateLimitAsOtherCallsDo) {
    auto options = with_path("/venda/transacao/{idExterno}");
    options.rate_limit = 3;
    Desk desk(options);
    desk.ask(Family::tv, "A");
    desk.pass(1s);
    for (const auto status : {200, 200, 200, 429})
        EXPECT_EQ(desk.get("/venda/transacao/A").status, status);
}

}  // namespace
}  // namespace gateway::sandbox
