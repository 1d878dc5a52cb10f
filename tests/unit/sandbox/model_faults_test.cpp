// Tests fault rules through the model: every behaviour at the steps where it makes sense.
#include "sandbox/model.hpp"
#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

TEST(ModelFaults, EveryBehaviourAtAConfirmDoesWhatItsWordSays) {
    struct Row {
        const char* behaviour;
        int status;    // of the answer to a confirm; 0: none comes
        Status after;  // of the sale
    };
    constexpr auto open = Status::autorizada;
    constexpr auto sold = Status::efetivada;
    constexpr std::array rows{
        Row{"normal", 200, sold},
        Row{"slow", 200, sold},
        Row{"lose_answer", 0, sold},
        Row{"lose_request", 0, open},
        Row{"hold", 0, open},
        Row{"twice", 200, sold},
        Row{"refuse", 422, open},
        Row{"refuse_after", 422, sold},
        Row{"error", 500, open},
        Row{"error_after", 500, sold},
        Row{"not_json", 200, sold},
        Row{"answer", 200, open},
        Row{"answer_after", 200, sold},
        Row{"cancel_instead", 200, Status::cancelada},
        Row{"too_many", 429, open},
        Row{"unauthorized", 401, open},
        Row{"expire_tokens", 401, open},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.behaviour);
        Caller caller;
        caller.ask(Family::egift, "A");
        caller.rule(R"("step":"confirmar","behaviour":")" + std::string(row.behaviour) + "\"");
        const auto answer = caller.confirm("A");
        EXPECT_EQ(answer.drop ? 0 : answer.status, row.status);
        EXPECT_EQ(caller.status("A"), row.after);
        EXPECT_EQ(caller.entry("A").history.back().behaviour, row.behaviour);
    }
}

TEST(ModelFaults, ARuleGoesBeforeTheCents) {
    Caller caller;
    caller.rule(R"("step":"solicitar","behaviour":"normal")");
    EXPECT_EQ(caller.ask(Family::tv, "A", 2).status, 200);
    caller.rule(R"("step":"confirmar","behaviour":"error","status":504)");
    EXPECT_EQ(caller.confirm("A").status, 504);
}

TEST(ModelFaults, ADepartureIsRefusedUnderARuleAndUnderTheCentsToo) {
    Caller caller;
    auto body = caller.order(Family::tv, "A", 2);
    body["extra"] = 1;
    EXPECT_EQ(caller.post("/venda/tv/solicitar", body).status, 400);
    caller.rule(R"("step":"solicitar","behaviour":"error")");
    EXPECT_EQ(caller.post("/venda/tv/solicitar", body).status, 400);
    EXPECT_EQ(caller.departures(), 2U);
}

TEST(ModelFaults, ALostRequestIsNotEvenLookedAt) {
    Caller caller;
    caller.rule(R"("step":"solicitar","behaviour":"lose_request")");
    auto body = caller.order(Family::tv, "A");
    body["extra"] = 1;
    EXPECT_TRUE(caller.post("/venda/tv/solicitar", body).drop);
    EXPECT_EQ(caller.departures(), 0U);
    EXPECT_EQ(caller.entry("A").calls_of(Step::solicitar), 1) << "a test can still see that it was sent";
}

TEST(ModelFaults, AHeldRequestArrivesAfterItsOwnCancel) {
    Caller caller;
    caller.rule(R"("step":"solicitar","behaviour":"hold","delay":"90s")");
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
    EXPECT_EQ(caller.departures(), 0U);
}

TEST(ModelFaults, AnOvertakenRequestArrivesBehindTheAnswerToItsCancelOrWhenItsTimeHasCome) {
    Caller caller;
    caller.rule(R"("step":"solicitar","behaviour":"overtaken","delay":"90s")");
    for (const auto* id : {"A", "B"})
        EXPECT_TRUE(caller.ask(Family::tv, id).drop);
    caller.rule(R"("step":"cancelar","behaviour":"lose_request","times":1)");
    EXPECT_TRUE(caller.cancel("A").drop);
    EXPECT_EQ(caller.status("A"), Status::none) << "that cancel was not answered";
    EXPECT_EQ(caller.cancel("A").status, 404);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
    EXPECT_EQ(caller.status("B"), Status::none) << "nobody cancelled it";
    caller.pass(90s);
    EXPECT_EQ(caller.status("B"), Status::autorizada);
}

TEST(ModelFaults, AHeldRequestThatIsDueArrivesBeforeTheNextOne) {
    Caller caller;
    caller.rule(R"("step":"solicitar","behaviour":"hold","delay":"10s")");
    caller.ask(Family::tv, "A");
    caller.now += 10s;
    EXPECT_EQ(answered_status(caller.cancel("A")), "CANCELADA");
}

TEST(ModelFaults, AHeldRequestWhoseTokenHasExpiredSellsNothing) {
    Caller caller;
    caller.rule(R"("step":"solicitar","behaviour":"hold","delay":"10m")");
    caller.ask(Family::tv, "A");
    caller.pass(10min);
    EXPECT_EQ(caller.status("A"), Status::none);
    EXPECT_EQ(caller.entry("A").history.back().reason, "the access token has expired");
}

TEST(ModelFaults, ADoubledRequestSellsOnceAndIsNotTheClientsFault) {
    Caller caller;
    caller.rule(R"("step":"solicitar","behaviour":"twice","delay":"1s")");
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 200);
    const auto id = caller.entry("A").idTransacao;
    caller.pass(1s);
    EXPECT_EQ(caller.entry("A").history.back().reason, "idExterno was used by an earlier request");
    EXPECT_EQ(caller.entry("A").idTransacao, id);
    EXPECT_EQ(caller.departures(), 0U);
}

TEST(ModelFaults, ALateConfirmSellsASaleUnlessItWasCancelledMeanwhile) {
    Caller caller;
    for (const auto* id : {"A", "B"})
        caller.ask(Family::tv, id);
    caller.rule(R"("step":"confirmar","behaviour":"hold","delay":"5s")");
    for (const auto* id : {"A", "B"})
        caller.confirm(id);
    caller.cancel("B");
    caller.pass(5s);
    EXPECT_EQ(caller.status("A"), Status::efetivada);
    EXPECT_EQ(caller.status("B"), Status::cancelada);
}

TEST(ModelFaults, TheTokenServiceFailsInItsOwnShape) {
    Caller caller;
    const auto ask = [&] { return caller.token_request("grant_type=client_credentials&scope=Envio_SMS"); };
    caller.rule(R"("step":"token","behaviour":"unauthorized")");
    EXPECT_EQ(ask().status, 401);
    EXPECT_EQ(parse_object(ask().body).at("error").as_string(), "invalid_client");
    caller.rule(R"("step":"token","behaviour":"error")");
    EXPECT_EQ(ask().status, 500);
    EXPECT_TRUE(parse_object(ask().body).contains("error_description"));
    caller.rule(R"("step":"token","behaviour":"slow","delay":"7s")");
    EXPECT_EQ(ask().delay, Duration(7s));
}

TEST(ModelFaults, AnExpiredTokenIsReplacedByANewOne) {
    Caller caller;
    caller.rule(R"("step":"solicitar","behaviour":"expire_tokens","times":1)");
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 401);
    EXPECT_EQ(caller.ask(Family::tv, "B").status, 401);
    caller.token = caller.new_token();
    EXPECT_EQ(caller.ask(Family::tv, "C").status, 200);
    EXPECT_EQ(caller.departures(), 0U);
}

TEST(ModelFaults, AStatusMeetsTheFaultsAndTheLimitThatOtherCallsMeet) {
    Options options;
    options.rate_limit = 3;
    options.status_path = "/status/{idExterno}";
    Caller caller(options);
    caller.ask(Family::tv, "A");
    caller.now += 1s;
    ASSERT_TRUE(caller.model.faults().replace(
        R"([{"step":"status","family":"tv","idExterno":"A","behaviour":"error","times":1},
            {"step":"status","nth":2,"behaviour":"lose_answer","times":1}])"));
    EXPECT_EQ(caller.get("/status/A").status, 500);
    EXPECT_TRUE(caller.get("/status/A").drop);
    EXPECT_EQ(caller.get("/status/A").status, 200);
    EXPECT_EQ(caller.get("/status/A").status, 429);
    EXPECT_EQ(caller.entry("A").calls_of(Step::status), 4);
}

}  // namespace
}  // namespace gateway::sandbox
