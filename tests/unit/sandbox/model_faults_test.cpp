// Tests fault rules through the model: every behaviour at the steps where it makes sense.
#include "sandbox/model.hpp"
#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

void rule(Caller& caller, const std::string& members) {
    const auto taken = caller.model.faults().replace("[{" + members + "}]");
    ASSERT_TRUE(taken) << taken.error();
}

struct Effected {
    const char* behaviour;
    bool dropped;
    int status;    // of the answer to a confirm
    Status after;  // the sale's status

    friend std::ostream& operator<<(std::ostream& out, const Effected& row) { return out << row.behaviour; }
};

class AtConfirm : public testing::TestWithParam<Effected> {};

TEST_P(AtConfirm, DoesWhatItsWordSays) {
    const auto& row = GetParam();
    Caller caller;
    caller.ask(Family::egift, "A");
    rule(caller, R"("step":"confirmar","behaviour":")" + std::string(row.behaviour) + "\"");
    const auto answer = caller.confirm("A");
    EXPECT_EQ(answer.drop, row.dropped);
    EXPECT_TRUE(row.dropped || answer.status == row.status) << answer.status;
    EXPECT_EQ(caller.status("A"), row.after);
    EXPECT_EQ(caller.entry("A").history.back().behaviour, row.behaviour);
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
    Caller caller;
    rule(caller, R"("step":"solicitar","behaviour":"normal")");
    EXPECT_EQ(caller.ask(Family::tv, "A", 2).status, 200);
    rule(caller, R"("step":"confirmar","behaviour":"error","status":504)");
    EXPECT_EQ(caller.confirm("A").status, 504);
}

TEST(ModelFaults, ARuleCanGiveTheWholeAnswer) {
    Caller caller;
    rule(caller, R"("step":"consulta","behaviour":"answer","status":206,"body":{"valores":[]},)"
                 R"("headers":{"X-A":"b","content-type":"text/json"},"delay":"2s")");
    const auto answer = caller.get("/venda/tv/consulta-dinamica/12345678/TV%20Livre");
    EXPECT_EQ(answer.status, 206);
    EXPECT_EQ(answer.body, R"({"valores":[]})");
    EXPECT_EQ(find_header(answer.headers, "X-A"), "b");
    EXPECT_EQ(find_header(answer.headers, "Content-Type"), "text/json");
    EXPECT_EQ(answer.delay, Duration(2s));
}

TEST(ModelFaults, ADepartureIsRefusedUnderARuleToo) {
    Caller caller;
    rule(caller, R"("step":"solicitar","behaviour":"error")");
    auto body = caller.order(Family::tv, "A");
    body["extra"] = 1;
    EXPECT_EQ(caller.post("/venda/tv/solicitar", body).status, 400);
    EXPECT_EQ(caller.model.metrics().departures(), 1U);
}

TEST(ModelFaults, ALostRequestIsNotEvenLookedAt) {
    Caller caller;
    rule(caller, R"("step":"solicitar","behaviour":"lose_request")");
    auto body = caller.order(Family::tv, "A");
    body["extra"] = 1;
    EXPECT_TRUE(caller.post("/venda/tv/solicitar", body).drop);
    EXPECT_EQ(caller.model.metrics().departures(), 0U);
    EXPECT_EQ(caller.entry("A").calls_of(Step::solicitar), 1) << "a test can still see that it was sent";
}

TEST(ModelFaults, AHeldRequestArrivesAfterItsOwnCancel) {
    Caller caller;
    rule(caller, R"("step":"solicitar","behaviour":"hold","delay":"90s")");
    caller.ask(Family::tv, "A");
    EXPECT_EQ(caller.model.next_due(), caller.now + 90s);
    caller.now += 1s;
    EXPECT_EQ(caller.cancel("A").status, 404);
    caller.pass(88s);
    EXPECT_EQ(caller.status("A"), Status::none);
    caller.pass(1s);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
    EXPECT_EQ(caller.entry("A").history.back().behaviour, "late");
    EXPECT_EQ(caller.entry("A").history.back().answered, 0);
    EXPECT_EQ(answered_status(caller.cancel("A")), "CANCELADA");
    EXPECT_EQ(caller.model.metrics().departures(), 0U);
}

TEST(ModelFaults, AnOvertakenRequestArrivesBehindTheAnswerToItsCancelOrWhenItsTimeHasCome) {
    Caller caller;
    rule(caller, R"("step":"solicitar","behaviour":"overtaken","delay":"90s")");
    for (const auto* id : {"A", "B"})
        EXPECT_TRUE(caller.ask(Family::tv, id).drop);
    rule(caller, R"("step":"cancelar","behaviour":"lose_request","times":1)");
    EXPECT_TRUE(caller.cancel("A").drop);
    EXPECT_EQ(caller.status("A"), Status::none) << "that cancel was not answered";
    EXPECT_EQ(caller.cancel("A").status, 404);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
    EXPECT_EQ(answered_status(caller.cancel("A")), "CANCELADA");
    EXPECT_EQ(caller.status("B"), Status::none) << "nobody cancelled it";
    caller.pass(90s);
    EXPECT_EQ(caller.status("B"), Status::autorizada);
    EXPECT_EQ(caller.model.metrics().departures(), 0U);
}

TEST(ModelFaults, AHeldRequestThatIsDueArrivesBeforeTheNextOne) {
    Caller caller;
    rule(caller, R"("step":"solicitar","behaviour":"hold","delay":"10s")");
    caller.ask(Family::tv, "A");
    caller.now += 10s;
    EXPECT_EQ(answered_status(caller.cancel("A")), "CANCELADA");
}

TEST(ModelFaults, AHeldRequestCanBeReleased) {
    Caller caller;
    rule(caller, R"("step":"solicitar","behaviour":"hold","delay":"1h")");
    caller.ask(Family::tv, "A");
    caller.ask(Family::tv, "B");
    EXPECT_EQ(caller.model.release("B", caller.now), 1U);
    EXPECT_EQ(caller.status("A"), Status::none);
    EXPECT_EQ(caller.status("B"), Status::autorizada);
    EXPECT_EQ(caller.model.release(std::nullopt, caller.now), 1U);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
    EXPECT_FALSE(caller.model.next_due());
}

TEST(ModelFaults, AHeldRequestWhoseTokenHasExpiredSellsNothing) {
    Caller caller;
    rule(caller, R"("step":"solicitar","behaviour":"hold","delay":"10m")");
    caller.ask(Family::tv, "A");
    caller.pass(10min);
    EXPECT_EQ(caller.status("A"), Status::none);
    EXPECT_EQ(caller.entry("A").history.back().reason, "the access token has expired");
}

TEST(ModelFaults, ADoubledRequestSellsOnceAndIsNotTheClientsFault) {
    Caller caller;
    rule(caller, R"("step":"solicitar","behaviour":"twice","delay":"1s")");
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 200);
    const auto id = caller.entry("A").idTransacao;
    caller.pass(1s);
    EXPECT_EQ(caller.entry("A").history.back().reason, "idExterno was used by an earlier request");
    EXPECT_EQ(caller.entry("A").idTransacao, id);
    EXPECT_EQ(caller.model.metrics().departures(), 0U);
}

TEST(ModelFaults, ADoubledConfirmDoesNotSellASaleThatWasCancelledMeanwhile) {
    Caller caller;
    caller.ask(Family::tv, "A");
    rule(caller, R"("step":"confirmar","behaviour":"hold","delay":"5s")");
    caller.confirm("A");
    caller.cancel("A");
    caller.pass(5s);
    EXPECT_EQ(caller.status("A"), Status::cancelada);
}

TEST(ModelFaults, ALateConfirmSellsASaleThatNobodyCancelled) {
    Caller caller;
    caller.ask(Family::tv, "A");
    rule(caller, R"("step":"confirmar","behaviour":"hold","delay":"5s")");
    caller.confirm("A");
    caller.pass(5s);
    EXPECT_EQ(caller.status("A"), Status::efetivada);
}

TEST(ModelFaults, TheTokenServiceFailsInItsOwnShape) {
    Caller caller;
    const auto ask = [&] { return caller.token_request("grant_type=client_credentials&scope=Envio_SMS"); };
    rule(caller, R"("step":"token","behaviour":"unauthorized")");
    EXPECT_EQ(ask().status, 401);
    EXPECT_EQ(parse_object(ask().body).at("error").as_string(), "invalid_client");
    rule(caller, R"("step":"token","behaviour":"error")");
    EXPECT_EQ(ask().status, 500);
    EXPECT_TRUE(parse_object(ask().body).contains("error_description"));
    rule(caller, R"("step":"token","behaviour":"slow","delay":"7s")");
    EXPECT_EQ(ask().delay, Duration(7s));
    rule(caller, R"("step":"token","behaviour":"lose_answer","times":1)");
    EXPECT_TRUE(ask().drop);
    EXPECT_EQ(ask().status, 200);
}

TEST(ModelFaults, AnExpiredTokenIsReplacedByANewOne) {
    Caller caller;
    rule(caller, R"("step":"solicitar","behaviour":"expire_tokens","times":1)");
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 401);
    EXPECT_EQ(caller.ask(Family::tv, "B").status, 401);
    caller.token = caller.new_token();
    EXPECT_EQ(caller.ask(Family::tv, "C").status, 200);
    EXPECT_EQ(caller.model.metrics().departures(), 0U);
}

}  // namespace
}  // namespace gateway::sandbox
