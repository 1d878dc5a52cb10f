#include "sandbox/model.hpp"
#include "sandbox/outcomes.hpp"
#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::sandbox {
namespace {

// This is a callback as its receiver sees it.
struct Told {
    Duration after;  // the time since the sale
    const char* path;
    const char* situacao;
    const char* recarga;  // "" where it is not given

    friend bool operator==(const Told&, const Told&) = default;
};

struct Script {
    int cents;
    std::vector<Told> told;
    Status at_last;
};

const std::vector<Script>& scripts() {
    static const Told sold{1s, "/sale", "EFETIVADA", ""};
    static const std::vector<Script> all{
        {0, {sold, {2s, "/recharge", "EFETIVADA", "SUCESSO"}}, Status::efetivada},
        {31, {{0s, "/sale", "EFETIVADA", ""}, {1s, "/recharge", "EFETIVADA", "SUCESSO"}}, Status::efetivada},
        {32, {{30s, "/sale", "EFETIVADA", ""}, {31s, "/recharge", "EFETIVADA", "SUCESSO"}}, Status::efetivada},
        {33, {sold, {2s, "/sale", "EFETIVADA", ""}, {3s, "/recharge", "EFETIVADA", "SUCESSO"}}, Status::efetivada},
        {34, {sold, {2s, "/sale", "CANCELADA", ""}, {3s, "/recharge", "EFETIVADA", "SUCESSO"}}, Status::efetivada},
        {35, {}, Status::efetivada},
        {36, {{1s, "/sale", "NEGADA", ""}, {2s, "/recharge", "NEGADA", "SEM RECARGA"}}, Status::negada},
        {37, {{1s, "/sale", "CANCELADA", ""}, {2s, "/recharge", "CANCELADA", "SEM RECARGA"}}, Status::cancelada},
        {38,
         {{1s, "/sale", "PENDENTE", ""}, {2s, "/sale", "EFETIVADA", ""}, {3s, "/recharge", "EFETIVADA", "SUCESSO"}},
         Status::efetivada},
        {39, {sold, {2s, "/recharge", "EFETIVADA", "FALHA"}}, Status::efetivada},
        {40, {sold}, Status::efetivada},
        {41, {{1s, "/recharge", "EFETIVADA", "SUCESSO"}, {31s, "/sale", "EFETIVADA", ""}}, Status::efetivada},
    };
    return all;
}

std::string text_or_empty(const json::object& body, std::string_view name) {
    const auto* value = body.if_contains(name);
    return value == nullptr ? "" : std::string(value->as_string());
}

TEST(ModelCallbacks, EveryScriptIsPlayedAsTheTableSays) {
    for (const auto& script : scripts()) {
        SCOPED_TRACE("cents " + std::to_string(script.cents));
        Caller caller;
        const auto start = caller.now;
        EXPECT_EQ(caller.ask(Family::esim, "A", script.cents).delay, Duration(script.cents == 31 ? 3s : 0s));
        EXPECT_EQ(caller.status("A"), Status::autorizada);
        std::size_t told = 0;
        while (caller.model.next_due()) {
            caller.now = *caller.model.next_due();
            for (const auto& delivery : caller.model.advance(caller.now)) {
                ASSERT_LT(told, script.told.size());
                const auto& wanted = script.told.at(told++);
                const auto body = parse_object(delivery.body);
                EXPECT_EQ(caller.now - start, wanted.after);
                EXPECT_TRUE(delivery.url.ends_with(wanted.path)) << delivery.url;
                EXPECT_EQ(text_or_empty(body, "situacaoTransacao"), wanted.situacao);
                EXPECT_EQ(text_or_empty(body, "situacaoRecarga"), wanted.recarga);
                caller.model.callback_answered(delivery.id, 200, caller.now);
            }
        }
        EXPECT_EQ(told, script.told.size());
        EXPECT_EQ(caller.status("A"), script.at_last);
    }
}

TEST(ModelCallbacks, EveryScriptOfTheTableHasItsTest) {
    std::set<int> told;
    for (const auto& script : scripts())
        told.insert(script.cents);
    for (const auto& script : callback_scripts())
        EXPECT_TRUE(told.contains(script.cents < 0 ? 0 : script.cents)) << script.cents;
}

TEST(ModelCallbacks, ASaleMovesWhenItsCallbackIsDueAndNotBefore) {
    Caller caller;
    caller.ask(Family::esim, "A", 38);
    caller.pass(999ms);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
    caller.pass(1ms);
    EXPECT_EQ(caller.status("A"), Status::pendente);
    caller.pass(1s);
    EXPECT_EQ(caller.status("A"), Status::efetivada);
}

TEST(ModelCallbacks, ASaleMovesEvenWhereNobodyIsListening) {
    Caller caller;
    caller.ask(Family::esim, "A");
    caller.pass(1s, std::nullopt);
    EXPECT_EQ(caller.status("A"), Status::efetivada);
}

TEST(ModelCallbacks, ALostAnswerToTheRequestDoesNotStopTheCallbacks) {
    Caller caller;
    EXPECT_TRUE(caller.ask(Family::esim, "A", 2).drop);
    EXPECT_EQ(caller.pass(10s).size(), 2U);
    EXPECT_EQ(caller.status("A"), Status::efetivada);
}

TEST(ModelCallbacks, ARefusedSaleHasNone) {
    Caller caller;
    caller.ask(Family::esim, "A", 8);
    caller.ask(Family::esim, "B", 1);
    EXPECT_FALSE(caller.model.next_due());
}

TEST(ModelCallbacks, UntilA200ACallbackIsRepeatedWithGrowingWaits) {
    Caller caller;
    caller.ask(Family::esim, "A", 40);
    std::vector<Duration> waits;
    auto before = caller.now;
    for (const std::optional<int> answer : std::vector<std::optional<int>>{500, std::nullopt, 404, 204, 200}) {
        ASSERT_TRUE(caller.model.next_due());
        caller.now = *caller.model.next_due();
        waits.push_back(caller.now - before);
        before = caller.now;
        const auto deliveries = caller.model.advance(caller.now);
        ASSERT_EQ(deliveries.size(), 1U);
        EXPECT_FALSE(caller.model.next_due()) << "one try at a time";
        caller.model.callback_answered(deliveries.at(0).id, answer, caller.now);
    }
    EXPECT_EQ(waits, (std::vector<Duration>{1s, 1s, 2s, 4s, 8s}));
    EXPECT_FALSE(caller.model.next_due()) << "after a 200 there are no more";
    EXPECT_EQ(caller.entry("A").calls_of(Step::callback), 5);
    EXPECT_EQ(caller.entry("A").history.back().answered, 200);
}

TEST(ModelCallbacks, ARepeatIsByteForByteTheSame) {
    Caller caller;
    caller.ask(Family::esim, "A", 40);
    const auto sent = caller.pass(20s, 500);
    ASSERT_GT(sent.size(), 2U);
    for (const auto& delivery : sent)
        EXPECT_EQ(delivery.body, sent.at(0).body);
}

TEST(ModelCallbacks, ACallbackIsGivenUpAfterTheLastTry) {
    Options options;
    options.callback_tries = 3;
    Caller caller(options);
    caller.ask(Family::esim, "A", 40);
    EXPECT_EQ(caller.pass(1h, 500).size(), 3U);
    EXPECT_FALSE(caller.model.next_due());
    EXPECT_TRUE(caller.log.has("sandbox.callback_given_up"));
}

TEST(ModelCallbacks, AtMostAsManyAreHandedOutAsAskedFor) {
    Caller caller;
    for (const auto* id : {"A", "B", "C"})
        caller.ask(Family::esim, id, 40);
    caller.now += 1s;
    EXPECT_EQ(caller.model.advance(caller.now, 2).size(), 2U);
    EXPECT_EQ(caller.model.advance(caller.now, 2).size(), 1U);
}

TEST(ModelCallbacks, AReportAfterAResetIsOfNoConcern) {
    Caller caller;
    caller.ask(Family::esim, "A", 40);
    caller.now += 1s;
    const auto deliveries = caller.model.advance(caller.now);
    caller.model.reset();
    caller.model.callback_answered(deliveries.at(0).id, 200, caller.now);
    EXPECT_FALSE(caller.model.next_due());
}

class CallbackFault : public testing::Test {
  protected:
    void begin(const std::string& members) {
        ASSERT_TRUE(caller.model.faults().replace(R"([{"step":"callback","times":1,)" + members + "}]"));
        caller.ask(Family::esim, "A", 40);
    }
    Caller caller;
};

TEST_F(CallbackFault, ALostCallbackIsTriedAgain) {
    begin(R"("behaviour":"lose_request")");
    EXPECT_TRUE(caller.pass(1s).empty());
    EXPECT_EQ(caller.status("A"), Status::efetivada);
    EXPECT_EQ(caller.pass(1s).size(), 1U);
}

TEST_F(CallbackFault, ACallbackWhoseAnswerIsLostComesAgainAlthoughItWasTaken) {
    begin(R"("behaviour":"lose_answer")");
    EXPECT_EQ(caller.pass(1min).size(), 2U);
    EXPECT_FALSE(caller.model.next_due());
}

TEST_F(CallbackFault, ASlowCallbackIsLate) {
    begin(R"("behaviour":"slow","delay":"45s")");
    EXPECT_TRUE(caller.pass(45s).empty());
    EXPECT_EQ(caller.pass(1s).size(), 1U);
}

TEST_F(CallbackFault, ADoubledCallbackComesTwice) {
    begin(R"("behaviour":"twice","delay":"10s")");
    EXPECT_EQ(caller.pass(1s).size(), 1U);
    EXPECT_EQ(caller.pass(10s).size(), 1U);
    EXPECT_FALSE(caller.model.next_due());
}

TEST_F(CallbackFault, RubbishIsFollowedByTheTruth) {
    begin(R"("behaviour":"not_json")");
    const auto sent = caller.pass(10s, 400);
    ASSERT_GE(sent.size(), 2U);
    EXPECT_TRUE(sent.at(0).body.starts_with("<!doctype html>"));
    EXPECT_EQ(text_or_empty(parse_object(sent.at(1).body), "situacaoTransacao"), "EFETIVADA");
}

}  // namespace
}  // namespace gateway::sandbox
