// Fault rules, played through the model: every behaviour at the steps where it makes sense.
#include "sandbox/model.hpp"
#include "unit/sandbox/desk.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

void rule(Desk& desk, const std::string& members) {
    const auto taken = desk.model.faults().replace("[{" + members + "}]");
    ASSERT_TRUE(taken) << taken.error();
}

struct Effected {
    const char* behaviour;
    bool dropped;
    int status;    // of the answer to a confirm
    Status after;  // of the sale

    friend std::ostream& operator<<(std::ostream& out, const Effected& row) { return out << row.behaviour; }
};

class AtConfirm : public testing::TestWithParam<Effected> {};

TEST_P(AtConfirm, DoesWhatItsWordSays) {
    const auto& row = GetParam();
    Desk desk;
    desk.ask(Family::egift, "A");
    rule(desk, R"("step":"confirmar","behaviour":")" + std::string(row.behaviour) + "\"");
    const auto answer = desk.confirm("A");
    EXPECT_EQ(answer.drop, row.dropped);
    EXPECT_TRUE(row.dropped || answer.status == row.status) << answer.status;
    EXPECT_EQ(desk.status("A"), row.after);
    EXPECT_EQ(desk.entry("A").history.back().behaviour, row.behaviour);
}

INSTANTIATE_TEST_SUITE_P(
    Model, AtConfirm,
    testing::Values(
        Effected{"normal", false, 200, Status::efetivada}, Effected{"slow", false, 200, Status::efetivada},
        Effected{"lose_answer", true, 0, Status::efetivada}, Effected{"lose_request", true, 0, Status::autorizada},
        Effected{"hold", true, 0, Status::autorizada}, Effected{"twice", false, 200, Status::efetivada},
        Effected{"refuse", false, 422, Status::autorizada}, Effected{"refuse_after", false, 422, Status::efetivada},
        Effected{"error", false, 500, Status::autorizada}, Effected{"error_after", false, 500, Status::efetivada},
        Effected{"not_json", false, 200, Status::efetivada}, Effected{"answer", false, 200, Status::autorizada},
        Effected{"answer_after", false, 200, Status::efetivada},
        Effected{"cancel_instead", false, 200, Status::cancelada}, Effected{"too_many", false, 429, Status::autorizada},
        Effected{"unauthorized", false, 401, Status::autorizada},
        Effected{"expire_tokens", false, 401, Status::autorizada}),
    [](const auto& row) { return std::string(row.param.behaviour); });

TEST(ModelFaults, ARuleGoesBeforeTheCents) {
    Desk desk;
    rule(desk, R"("step":"solicitar","behaviour":"normal")");
    EXPECT_EQ(desk.ask(Family::tv, "A", 2).status, 200);
    rule(desk, R"("step":"confirmar","behaviour":"error","status":504)");
    EXPECT_EQ(desk.confirm("A").status, 504);
}

TEST(ModelFaults, ARuleCanGiveTheWholeAnswer) {
    Desk desk;
    rule(desk, R"("step":"consulta","behaviour":"answer","status":206,"body":{"valores":[]},)"
               R"("headers":{"X-A":"b","content-type":"text/json"},"delay":"2s")");
    const auto answer = desk.get("/venda/tv/consulta-dinamica/12345678/TV%20Livre");
    EXPECT_EQ(answer.status, 206);
    EXPECT_EQ(answer.body, R"({"valores":[]})");
    EXPECT_EQ(find_header(answer.headers, "X-A"), "b");
    EXPECT_EQ(find_header(answer.headers, "Content-Type"), "text/json");
    EXPECT_EQ(answer.delay, Duration(2s));
}

TEST(ModelFaults, ADepartureIsRefusedUnderARuleToo) {
    Desk desk;
    rule(desk, R"("step":"solicitar","behaviour":"error")");
    auto body = desk.order(Family::tv, "A");
    body["extra"] = 1;
    EXPECT_EQ(desk.post("/venda/tv/solicitar", body).status, 400);
    EXPECT_EQ(desk.model.metrics().departures(), 1U);
}

TEST(ModelFaults, ALostRequestIsNotEvenLookedAt) {
    Desk desk;
    rule(desk, R"("step":"solicitar","behaviour":"lose_request")");
    auto body = desk.order(Family::tv, "A");
    body["extra"] = 1;
    EXPECT_TRUE(desk.post("/venda/tv/solicitar", body).drop);
    EXPECT_EQ(desk.model.metrics().departures(), 0U);
    EXPECT_EQ(desk.entry("A").calls_of(Step::solicitar), 1) << "a test can still see that it was sent";
}

TEST(ModelFaults, AHeldRequestArrivesAfterItsOwnCancel) {
    Desk desk;
    rule(desk, R"("step":"solicitar","behaviour":"hold","delay":"90s")");
    desk.ask(Family::tv, "A");
    EXPECT_EQ(desk.model.next_due(), desk.now + 90s);
    desk.now += 1s;
    EXPECT_EQ(desk.cancel("A").status, 404);
    desk.pass(88s);
    EXPECT_EQ(desk.status("A"), Status::none);
    desk.pass(1s);
    EXPECT_EQ(desk.status("A"), Status::autorizada);
    EXPECT_EQ(desk.entry("A").history.back().behaviour, "late");
    EXPECT_EQ(desk.entry("A").history.back().answered, 0);
    EXPECT_EQ(answered_status(desk.cancel("A")), "CANCELADA");
    EXPECT_EQ(desk.model.metrics().departures(), 0U);
}

TEST(ModelFaults, AnOvertakenRequestArrivesBehindTheAnswerToItsCancelOrWhenItsTimeHasCome) {
    Desk desk;
    rule(desk, R"("step":"solicitar","behaviour":"overtaken","delay":"90s")");
    for (const auto* id : {"A", "B"})
        EXPECT_TRUE(desk.ask(Family::tv, id).drop);
    rule(desk, R"("step":"cancelar","behaviour":"lose_request","times":1)");
    EXPECT_TRUE(desk.cancel("A").drop);
    EXPECT_EQ(desk.status("A"), Status::none) << "that cancel was not answered";
    EXPECT_EQ(desk.cancel("A").status, 404);
    EXPECT_EQ(desk.status("A"), Status::autorizada);
    EXPECT_EQ(answered_status(desk.cancel("A")), "CANCELADA");
    EXPECT_EQ(desk.status("B"), Status::none) << "nobody cancelled it";
    desk.pass(90s);
    EXPECT_EQ(desk.status("B"), Status::autorizada);
    EXPECT_EQ(desk.model.metrics().departures(), 0U);
}

TEST(ModelFaults, AHeldRequestThatIsDueArrivesBeforeTheNextOne) {
    Desk desk;
    rule(desk, R"("step":"solicitar","behaviour":"hold","delay":"10s")");
    desk.ask(Family::tv, "A");
    desk.now += 10s;
    EXPECT_EQ(answered_status(desk.cancel("A")), "CANCELADA");
}

TEST(ModelFaults, AHeldRequestCanBeReleased) {
    Desk desk;
    rule(desk, R"("step":"solicitar","behaviour":"hold","delay":"1h")");
    desk.ask(Family::tv, "A");
    desk.ask(Family::tv, "B");
    EXPECT_EQ(desk.model.release("B", desk.now), 1U);
    EXPECT_EQ(desk.status("A"), Status::none);
    EXPECT_EQ(desk.status("B"), Status::autorizada);
    EXPECT_EQ(desk.model.release(std::nullopt, desk.now), 1U);
    EXPECT_EQ(desk.status("A"), Status::autorizada);
    EXPECT_FALSE(desk.model.next_due());
}

TEST(ModelFaults, AHeldRequestWhoseTokenHasExpiredSellsNothing) {
    Desk desk;
    rule(desk, R"("step":"solicitar","behaviour":"hold","delay":"10m")");
    desk.ask(Family::tv, "A");
    desk.pass(10min);
    EXPECT_EQ(desk.status("A"), Status::none);
    EXPECT_EQ(desk.entry("A").history.back().reason, "the access token has expired");
}

TEST(ModelFaults, ADoubledRequestSellsOnceAndIsNotTheClientsFault) {
    Desk desk;
    rule(desk, R"("step":"solicitar","behaviour":"twice","delay":"1s")");
    EXPECT_EQ(desk.ask(Family::tv, "A").status, 200);
    const auto id = desk.entry("A").idTransacao;
    desk.pass(1s);
    EXPECT_EQ(desk.entry("A").history.back().reason, "idExterno was used by an earlier request");
    EXPECT_EQ(desk.entry("A").idTransacao, id);
    EXPECT_EQ(desk.model.metrics().departures(), 0U);
}

TEST(ModelFaults, ADoubledConfirmDoesNotSellASaleThatWasCancelledMeanwhile) {
    Desk desk;
    desk.ask(Family::tv, "A");
    rule(desk, R"("step":"confirmar","behaviour":"hold","delay":"5s")");
    desk.confirm("A");
    desk.cancel("A");
    desk.pass(5s);
    EXPECT_EQ(desk.status("A"), Status::cancelada);
}

TEST(ModelFaults, ALateConfirmSellsASaleThatNobodyCancelled) {
    Desk desk;
    desk.ask(Family::tv, "A");
    rule(desk, R"("step":"confirmar","behaviour":"hold","delay":"5s")");
    desk.confirm("A");
    desk.pass(5s);
    EXPECT_EQ(desk.status("A"), Status::efetivada);
}

TEST(ModelFaults, TheTokenServiceFailsInItsOwnShape) {
    Desk desk;
    const auto ask = [&] { return desk.token_request("grant_type=client_credentials&scope=Envio_SMS"); };
    rule(desk, R"("step":"token","behaviour":"unauthorized")");
    EXPECT_EQ(ask().status, 401);
    EXPECT_EQ(parse_object(ask().body).at("error").as_string(), "invalid_client");
    rule(desk, R"("step":"token","behaviour":"error")");
    EXPECT_EQ(ask().status, 500);
    EXPECT_TRUE(parse_object(ask().body).contains("error_description"));
    rule(desk, R"("step":"token","behaviour":"slow","delay":"7s")");
    EXPECT_EQ(ask().delay, Duration(7s));
    rule(desk, R"("step":"token","behaviour":"lose_answer","times":1)");
    EXPECT_TRUE(ask().drop);
    EXPECT_EQ(ask().status, 200);
}

TEST(ModelFaults, AnExpiredTokenIsReplacedByANewOne) {
    Desk desk;
    rule(desk, R"("step":"solicitar","behaviour":"expire_tokens","times":1)");
    EXPECT_EQ(desk.ask(Family::tv, "A").status, 401);
    EXPECT_EQ(desk.ask(Family::tv, "B").status, 401);
    desk.token = desk.new_token();
    EXPECT_EQ(desk.ask(Family::tv, "C").status, 200);
    EXPECT_EQ(desk.model.metrics().departures(), 0U);
}

}  // namespace
}  // namespace gateway::sandbox
