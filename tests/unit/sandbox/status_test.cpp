// Tests asking for the status of a sale by a GET, which some providers have, although the interface document does not.
#include "unit/sandbox/caller.hpp"

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
    Caller caller(with_path("/venda/transacao/{idExterno}"));
    for (const auto family : families) {
        const auto id = "A-" + std::string(to_string(family));
        caller.ask(family, id);
        const auto answer = caller.get("/venda/transacao/" + id);
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(told(answer, "status"), "AUTORIZADA");
        EXPECT_EQ(told(answer, "idTransacao"), caller.entry(id).idTransacao);
        EXPECT_EQ(told(answer, "valor"), std::to_string(caller.entry(id).valor));
        EXPECT_EQ(told(answer, "idExterno"), id);
        EXPECT_EQ(caller.model.metrics().count(Step::status, family).processed, 1u);
    }
    caller.confirm("A-tv");
    EXPECT_EQ(told(caller.get("/venda/transacao/A-tv"), "status"), "EFETIVADA");
    caller.cancel("A-transit", Family::transit);
    EXPECT_EQ(told(caller.get("/venda/transacao/A-transit"), "status"), "CANCELADA");
    EXPECT_EQ(caller.model.metrics().departures(), 0u);
}

TEST(StatusOfASale, IsAskedForByIdTransacaoToo) {
    Caller caller(with_path("/status/{idTransacao}"));
    caller.ask(Family::tv, "A");
    EXPECT_EQ(caller.get("/status/" + caller.entry("A").idTransacao).status, 200);
    EXPECT_EQ(caller.get("/status/A").status, 404);
}

TEST(StatusOfASale, OfWhatNeverCameThereIsNone) {
    Caller caller(with_path("/venda/transacao/{idExterno}"));
    EXPECT_EQ(caller.get("/venda/transacao/A").status, 404);
    caller.cancel("A");
    EXPECT_EQ(caller.get("/venda/transacao/A").status, 404) << "only its cancel came";
    EXPECT_EQ(caller.model.metrics().departures(), 0u);
}

TEST(StatusOfASale, NeedsATokenAndAGet) {
    Caller caller(with_path("/venda/transacao/{idExterno}"));
    caller.ask(Family::tv, "A");
    EXPECT_EQ(
        caller.model.handle({"GET", "/venda/transacao/A", {{"Accept", "application/json"}}, ""}, caller.now).status,
        401);
    EXPECT_EQ(caller.post("/venda/transacao/A", {}).status, 404);
}

TEST(StatusOfASale, IsNotThereUnlessItIsGivenAPath) {
    Caller caller;
    caller.ask(Family::tv, "A");
    EXPECT_EQ(caller.get("/venda/transacao/A").status, 404);
    EXPECT_EQ(caller.model.metrics().departures(), 1u);
}

TEST(StatusOfASale, MeetsTheFaultsThatOtherCallsMeet) {
    Caller caller(with_path("/venda/transacao/{idExterno}"));
    caller.ask(Family::tv, "A");
    ASSERT_TRUE(caller.model.faults()
                    .replace(R"([{"step":"status","family":"tv","idExterno":"A","behaviour":"error","times":1},
                                 {"step":"status","nth":2,"behaviour":"lose_answer","times":1}])")
                    .has_value());
    EXPECT_EQ(caller.get("/venda/transacao/A").status, 500);
    EXPECT_TRUE(caller.get("/venda/transacao/A").drop);
    EXPECT_EQ(caller.get("/venda/transacao/A").status, 200);
    EXPECT_EQ(caller.entry("A").calls_of(Step::status), 3u);
}

TEST(StatusOfASale, CountsForTheRateLimitAsOtherCallsDo) {
    auto options = with_path("/venda/transacao/{idExterno}");
    options.rate_limit = 3;
    Caller caller(options);
    caller.ask(Family::tv, "A");
    caller.pass(1s);
    for (const auto status : {200, 200, 200, 429})
        EXPECT_EQ(caller.get("/venda/transacao/A").status, status);
}

}  // namespace
}  // namespace gateway::sandbox
