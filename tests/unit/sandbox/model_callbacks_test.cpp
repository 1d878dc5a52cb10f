#include "sandbox/model.hpp"
#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::sandbox {
namespace {

struct Script {
    int cents;
    const char* told;  // the callbacks in their order: when each came, where, and with which words
    Status at_last;
};

constexpr std::array scripts{
    Script{0, "1s /sale EFETIVADA; 2s /recharge EFETIVADA SUCESSO; ", Status::efetivada},
    Script{31, "0s /sale EFETIVADA; 1s /recharge EFETIVADA SUCESSO; ", Status::efetivada},
    Script{32, "30s /sale EFETIVADA; 31s /recharge EFETIVADA SUCESSO; ", Status::efetivada},
    Script{33, "1s /sale EFETIVADA; 2s /sale EFETIVADA; 3s /recharge EFETIVADA SUCESSO; ", Status::efetivada},
    Script{34, "1s /sale EFETIVADA; 2s /sale CANCELADA; 3s /recharge EFETIVADA SUCESSO; ", Status::efetivada},
    Script{35, "", Status::efetivada},
    Script{36, "1s /sale NEGADA; 2s /recharge NEGADA SEM RECARGA; ", Status::negada},
    Script{37, "1s /sale CANCELADA; 2s /recharge CANCELADA SEM RECARGA; ", Status::cancelada},
    Script{38, "1s /sale PENDENTE; 2s /sale EFETIVADA; 3s /recharge EFETIVADA SUCESSO; ", Status::efetivada},
    Script{39, "1s /sale EFETIVADA; 2s /recharge EFETIVADA FALHA; ", Status::efetivada},
    Script{40, "1s /sale EFETIVADA; ", Status::efetivada},
    Script{41, "1s /recharge EFETIVADA SUCESSO; 31s /sale EFETIVADA; ", Status::efetivada},
};

// Writes a callback as its receiver sees it.
std::string told(const Delivery& delivery, Duration after) {
    const auto body = parse_object(delivery.body);
    auto text = std::to_string(after / 1s) + "s " + delivery.url.substr(delivery.url.rfind('/'));
    for (const auto* name : {"situacaoTransacao", "situacaoRecarga"})
        if (const auto* value = body.if_contains(name)) text += " " + std::string(value->as_string());
    return text + "; ";
}

TEST(ModelCallbacks, EveryScriptIsPlayedAsTheTableSays) {
    for (const auto& script : scripts) {
        SCOPED_TRACE("cents " + std::to_string(script.cents));
        Caller caller;
        const auto start = caller.now;
        EXPECT_EQ(caller.ask(Family::esim, "A", script.cents).delay, Duration(script.cents == 31 ? 3s : 0s));
        EXPECT_EQ(caller.status("A"), Status::autorizada);
        std::string all;
        while (caller.model.next_due()) {
            caller.now = *caller.model.next_due();
            for (const auto& delivery : caller.model.advance(caller.now)) {
                all += told(delivery, caller.now - start);
                caller.model.callback_answered(delivery.id, 200, caller.now);
            }
        }
        EXPECT_EQ(all, script.told);
        EXPECT_EQ(caller.status("A"), script.at_last);
    }
}

TEST(ModelCallbacks, EveryScriptOfTheTableHasItsTest) {
    std::set<int> tested;
    for (const auto& script : scripts)
        tested.insert(script.cents);
    for (const auto& script : callback_scripts())
        EXPECT_TRUE(tested.contains(std::max(script.cents, 0))) << script.cents;
}

TEST(ModelCallbacks, ASaleMovesWhenItsCallbackIsDueEvenWhereNobodyIsListening) {
    Caller caller;
    caller.ask(Family::esim, "A", 38);
    caller.pass(999ms, std::nullopt);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
    caller.pass(1ms, std::nullopt);
    EXPECT_EQ(caller.status("A"), Status::pendente);
    caller.pass(1s, std::nullopt);
    EXPECT_EQ(caller.status("A"), Status::efetivada);
}

TEST(ModelCallbacks, ALostAnswerToTheRequestStopsNoCallbackAndARefusedSaleHasNone) {
    Caller caller;
    EXPECT_TRUE(caller.ask(Family::esim, "A", 2).drop);
    EXPECT_EQ(caller.pass(10s).size(), 2U);
    caller.ask(Family::esim, "B", 8);
    caller.ask(Family::esim, "C", 1);
    EXPECT_FALSE(caller.model.next_due());
}

TEST(ModelCallbacks, ACallbackIsRepeatedUnchangedWithGrowingWaitsUntilItIsAnswered200) {
    Caller caller;
    caller.ask(Family::esim, "A", 40);
    std::vector<Duration> waits;
    std::set<std::string> bodies;
    auto before = caller.now;
    for (const std::optional<int> answer : std::vector<std::optional<int>>{500, std::nullopt, 404, 204, 200}) {
        ASSERT_TRUE(caller.model.next_due());
        caller.now = *caller.model.next_due();
        waits.push_back(caller.now - before);
        before = caller.now;
        const auto deliveries = caller.model.advance(caller.now);
        ASSERT_EQ(deliveries.size(), 1U);
        EXPECT_FALSE(caller.model.next_due()) << "one try at a time";
        bodies.insert(deliveries.at(0).body);
        caller.model.callback_answered(deliveries.at(0).id, answer, caller.now);
    }
    EXPECT_EQ(waits, (std::vector<Duration>{1s, 1s, 2s, 4s, 8s}));
    EXPECT_EQ(bodies.size(), 1U) << "byte for byte the same";
    EXPECT_FALSE(caller.model.next_due()) << "after a 200 there are no more";
    EXPECT_EQ(caller.entry("A").calls_of(Step::callback), 5);
    EXPECT_EQ(caller.entry("A").history.back().answered, 200);
}

TEST(ModelCallbacks, TheWaitDoublesUpToTheLongest) {
    Options options;
    options.callback_retry_most = 5s;
    Caller caller(options);
    caller.ask(Family::esim, "A", 40);
    caller.pass(1s, 500);
    std::vector<Duration> waits;
    for (int tries = 2; tries <= 6; ++tries) {
        ASSERT_TRUE(caller.model.next_due());
        waits.push_back(*caller.model.next_due() - caller.now);
        EXPECT_EQ(caller.pass(waits.back(), 500).size(), 1U);
    }
    EXPECT_EQ(waits, (std::vector<Duration>{1s, 2s, 4s, 5s, 5s}));
}

TEST(ModelCallbacks, ACallbackIsGivenUpAfterTheLastTry) {
    Options options;
    options.callback_tries = 1000;
    options.callback_retry_most = 5s;
    Caller caller(options);
    caller.ask(Family::esim, "A", 40);
    EXPECT_EQ(caller.pass(1s + 1s + 2s + 4s + 996 * 5s, 500).size(), 1000U);
    EXPECT_FALSE(caller.model.next_due());
    EXPECT_TRUE(caller.log.has("sandbox.callback_given_up"));
}

TEST(ModelCallbacks, ACallbackThatAFaultDelaysHasUsedUpNoTry) {
    Options options;
    options.callback_tries = 2;
    Caller caller(options);
    caller.rule(R"("step":"callback","times":1,"behaviour":"slow")");
    caller.ask(Family::esim, "A", 40);
    EXPECT_EQ(caller.pass(1min, 500).size(), 2U);
}

TEST(ModelCallbacks, AdvanceHandsOutAtMostAsManyAsAskedForAndAReportAfterAResetIsIgnored) {
    Caller caller;
    for (const auto* id : {"A", "B", "C"})
        caller.ask(Family::esim, id, 40);
    caller.now += 1s;
    const auto deliveries = caller.model.advance(caller.now, 2);
    EXPECT_EQ(deliveries.size(), 2U);
    EXPECT_EQ(caller.model.advance(caller.now, 2).size(), 1U);
    caller.model.reset();
    caller.model.callback_answered(deliveries.at(0).id, 200, caller.now);
    EXPECT_FALSE(caller.model.next_due());
}

TEST(ModelCallbacks, AFaultForOneCallbackLeavesTheNextOnesAlone) {
    struct Row {
        const char* fault;
        const char*
            told;  // what comes within a minute, where the receiver answers 200 to JSON and 400 to anything else
    };
    constexpr std::array rows{
        Row{R"("behaviour":"lose_request")", "2s /sale EFETIVADA; "},
        Row{R"("behaviour":"lose_answer")", "1s /sale EFETIVADA; 2s /sale EFETIVADA; "},
        Row{R"("behaviour":"slow","delay":"45s")", "46s /sale EFETIVADA; "},
        Row{R"("behaviour":"twice","delay":"10s")", "1s /sale EFETIVADA; 11s /sale EFETIVADA; "},
        Row{R"("behaviour":"not_json")", "1s a page; 2s /sale EFETIVADA; "},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.fault);
        Caller caller;
        caller.rule(R"("step":"callback","times":1,)" + std::string(row.fault));
        const auto start = caller.now;
        caller.ask(Family::esim, "A", 40);
        std::string all;
        while (caller.model.next_due() && *caller.model.next_due() < start + 1min) {
            caller.now = *caller.model.next_due();
            for (const auto& delivery : caller.model.advance(caller.now)) {
                const bool page = delivery.body.starts_with("<!doctype html>");
                const auto after = caller.now - start;
                all += page ? std::to_string(after / 1s) + "s a page; " : told(delivery, after);
                caller.model.callback_answered(delivery.id, page ? 400 : 200, caller.now);
            }
        }
        EXPECT_EQ(all, row.told);
        EXPECT_FALSE(caller.model.next_due());
        EXPECT_EQ(caller.status("A"), Status::efetivada);
    }
}

}  // namespace
}  // namespace gateway::sandbox
