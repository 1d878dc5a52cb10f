#include "sandbox/model.hpp"
#include "sandbox/outcomes.hpp"
#include "unit/sandbox/desk.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::sandbox {
namespace {

// One callback as its receiver sees it.
struct Told {
    Duration after;  // since the sale
    const char* path;
    const char* situacao;
    const char* recarga;  // "" where it is not said

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
        Desk desk;
        const auto start = desk.now;
        EXPECT_EQ(desk.ask(Family::esim, "A", script.cents).delay, Duration(script.cents == 31 ? 3s : 0s));
        EXPECT_EQ(desk.status("A"), Status::autorizada);
        std::size_t told = 0;
        while (desk.model.next_due()) {
            desk.now = *desk.model.next_due();
            for (const auto& delivery : desk.model.advance(desk.now)) {
                ASSERT_LT(told, script.told.size());
                const auto& wanted = script.told.at(told++);
                const auto body = parse_object(delivery.body);
                EXPECT_EQ(desk.now - start, wanted.after);
                EXPECT_TRUE(delivery.url.ends_with(wanted.path)) << delivery.url;
                EXPECT_EQ(text_or_empty(body, "situacaoTransacao"), wanted.situacao);
                EXPECT_EQ(text_or_empty(body, "situacaoRecarga"), wanted.recarga);
                desk.model.callback_answered(delivery.id, 200, desk.now);
            }
        }
        EXPECT_EQ(told, script.told.size());
        EXPECT_EQ(desk.status("A"), script.at_last);
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
    Desk desk;
    desk.ask(Family::esim, "A", 38);
    desk.pass(999ms);
    EXPECT_EQ(desk.status("A"), Status::autorizada);
    desk.pass(1ms);
    EXPECT_EQ(desk.status("A"), Status::pendente);
    desk.pass(1s);
    EXPECT_EQ(desk.status("A"), Status::efetivada);
}

TEST(ModelCallbacks, ASaleMovesEvenWhereNobodyIsListening) {
    Desk desk;
    desk.ask(Family::esim, "A");
    desk.pass(1s, std::nullopt);
    EXPECT_EQ(desk.status("A"), Status::efetivada);
}

TEST(ModelCallbacks, ALostAnswerToTheRequestDoesNotStopTheCallbacks) {
    Desk desk;
    EXPECT_TRUE(desk.ask(Family::esim, "A", 2).drop);
    EXPECT_EQ(desk.pass(10s).size(), 2U);
    EXPECT_EQ(desk.status("A"), Status::efetivada);
}

TEST(ModelCallbacks, ARefusedSaleHasNone) {
    Desk desk;
    desk.ask(Family::esim, "A", 8);
    desk.ask(Family::esim, "B", 1);
    EXPECT_FALSE(desk.model.next_due());
}

TEST(ModelCallbacks, UntilA200ACallbackIsRepeatedWithGrowingWaits) {
    Desk desk;
    desk.ask(Family::esim, "A", 40);
    std::vector<Duration> waits;
    auto before = desk.now;
    for (const std::optional<int> answer : std::vector<std::optional<int>>{500, std::nullopt, 404, 204, 200}) {
        ASSERT_TRUE(desk.model.next_due());
        desk.now = *desk.model.next_due();
        waits.push_back(desk.now - before);
        before = desk.now;
        const auto deliveries = desk.model.advance(desk.now);
        ASSERT_EQ(deliveries.size(), 1U);
        EXPECT_FALSE(desk.model.next_due()) << "one try at a time";
        desk.model.callback_answered(deliveries.at(0).id, answer, desk.now);
    }
    EXPECT_EQ(waits, (std::vector<Duration>{1s, 1s, 2s, 4s, 8s}));
    EXPECT_FALSE(desk.model.next_due()) << "after a 200 there are no more";
    EXPECT_EQ(desk.entry("A").calls_of(Step::callback), 5);
    EXPECT_EQ(desk.entry("A").history.back().answered, 200);
}

TEST(ModelCallbacks, ARepeatIsByteForByteTheSame) {
    Desk desk;
    desk.ask(Family::esim, "A", 40);
    const auto sent = desk.pass(20s, 500);
    ASSERT_GT(sent.size(), 2U);
    for (const auto& delivery : sent)
        EXPECT_EQ(delivery.body, sent.at(0).body);
}

TEST(ModelCallbacks, ACallbackIsGivenUpAfterTheLastTry) {
    Options options;
    options.callback_tries = 3;
    Desk desk(options);
    desk.ask(Family::esim, "A", 40);
    EXPECT_EQ(desk.pass(1h, 500).size(), 3U);
    EXPECT_FALSE(desk.model.next_due());
    EXPECT_TRUE(desk.log.has("sandbox.callback_given_up"));
}

TEST(ModelCallbacks, AtMostAsManyAreHandedOutAsAskedFor) {
    Desk desk;
    for (const auto* id : {"A", "B", "C"})
        desk.ask(Family::esim, id, 40);
    desk.now += 1s;
    EXPECT_EQ(desk.model.advance(desk.now, 2).size(), 2U);
    EXPECT_EQ(desk.model.advance(desk.now, 2).size(), 1U);
}

TEST(ModelCallbacks, AReportAfterAResetIsOfNoConcern) {
    Desk desk;
    desk.ask(Family::esim, "A", 40);
    desk.now += 1s;
    const auto deliveries = desk.model.advance(desk.now);
    desk.model.reset();
    desk.model.callback_answered(deliveries.at(0).id, 200, desk.now);
    EXPECT_FALSE(desk.model.next_due());
}

class CallbackFault : public testing::Test {
  protected:
    void begin(const std::string& members) {
        ASSERT_TRUE(desk.model.faults().replace(R"([{"step":"callback","times":1,)" + members + "}]"));
        desk.ask(Family::esim, "A", 40);
    }
    Desk desk;
};

TEST_F(CallbackFault, ALostCallbackIsTriedAgain) {
    begin(R"("behaviour":"lose_request")");
    EXPECT_TRUE(desk.pass(1s).empty());
    EXPECT_EQ(desk.status("A"), Status::efetivada);
    EXPECT_EQ(desk.pass(1s).size(), 1U);
}

TEST_F(CallbackFault, ACallbackWhoseAnswerIsLostComesAgainAlthoughItWasTaken) {
    begin(R"("behaviour":"lose_answer")");
    EXPECT_EQ(desk.pass(1min).size(), 2U);
    EXPECT_FALSE(desk.model.next_due());
}

TEST_F(CallbackFault, ASlowCallbackIsLate) {
    begin(R"("behaviour":"slow","delay":"45s")");
    EXPECT_TRUE(desk.pass(45s).empty());
    EXPECT_EQ(desk.pass(1s).size(), 1U);
}

TEST_F(CallbackFault, ADoubledCallbackComesTwice) {
    begin(R"("behaviour":"twice","delay":"10s")");
    EXPECT_EQ(desk.pass(1s).size(), 1U);
    EXPECT_EQ(desk.pass(10s).size(), 1U);
    EXPECT_FALSE(desk.model.next_due());
}

TEST_F(CallbackFault, RubbishIsFollowedByTheTruth) {
    begin(R"("behaviour":"not_json")");
    const auto sent = desk.pass(10s, 400);
    ASSERT_GE(sent.size(), 2U);
    EXPECT_TRUE(sent.at(0).body.starts_with("<!doctype html>"));
    EXPECT_EQ(text_or_empty(parse_object(sent.at(1).body), "situacaoTransacao"), "EFETIVADA");
}

}  // namespace
}  // namespace gateway::sandbox
