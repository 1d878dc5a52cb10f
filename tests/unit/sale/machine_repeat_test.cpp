#include "unit/sale/scenario.hpp"

namespace gateway::test {
namespace {

constexpr std::uint32_t most_chance = ~std::uint32_t{0};

// Returns the pauses before the repeats of a cancel that nobody answers, for this chance.
std::vector<Duration> pauses(std::uint32_t chance, int tries) {
    Scenario scenario(Family::tv);
    scenario.chance = chance;
    scenario.answered(Step::solicitar, Verdict::unknown);
    std::vector<Duration> all;
    for (int i = 0; i < tries; ++i) {
        scenario.answered(Step::cancelar, Verdict::unknown);
        all.push_back(std::chrono::duration_cast<Duration>(scenario.act().at - scenario.now));
    }
    return all;
}

TEST(MachineRepeat, LeastChanceGivesTheFloorEveryTime) {
    for (const auto pause : pauses(0, 30))
        EXPECT_EQ(pause, 50ms);
}

TEST(MachineRepeat, MostChanceDoublesUpToItsBound) {
    const auto all = pauses(most_chance, 30);
    const std::vector<Duration> bounds{500ms, 1s, 2s, 4s, 8s, 16s, 30s, 30s};
    for (std::size_t i = 0; i < bounds.size(); ++i)
        EXPECT_EQ(all.at(i), bounds.at(i) - 1ms);
    EXPECT_EQ(all.back(), all.at(7)) << "however often it was tried";
}

TEST(MachineRepeat, ChanceSpreadsEvenlyOverTheWholeRange) {
    const auto half = pauses(1u << 31, 3);
    EXPECT_EQ(half.at(0), 275ms);
    EXPECT_EQ(half.at(2), 1025ms);
    EXPECT_LT(pauses(1u << 30, 3).at(2), half.at(2));
}

TEST(MachineRepeat, OnceAPersonWasAskedTheBoundIsFiveMinutes) {
    Scenario scenario(Family::tv);
    scenario.chance = most_chance;
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.sale.attention = Attention::unsettled;
    for (int i = 0; i < 30; ++i)
        scenario.answered(Step::cancelar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "cancelar in 299999 ms");
}

TEST(MachineRepeat, RetryAfterIsRespectedWhereItIsLonger) {
    auto scenario = authorised();
    scenario.answered(Step::confirmar, asking_for_patience(Verdict::declined, 20s));
    EXPECT_EQ(scenario.doing(), "confirmar in 20000 ms");
    scenario.chance = most_chance;
    scenario.answered(Step::confirmar, asking_for_patience(Verdict::declined, 0s));
    EXPECT_EQ(scenario.doing(), "confirmar in 999 ms");
}

TEST(MachineRepeat, RetryAfterIsBounded) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    for (const auto asked : {std::chrono::seconds(24h), std::chrono::seconds::max()}) {
        scenario.answered(Step::cancelar, asking_for_patience(Verdict::declined, asked));
        EXPECT_EQ(scenario.doing(), "cancelar in 300000 ms");
    }
}

TEST(MachineRepeat, RetryAfterBeyondTheConfirmWindowEndsInTheWindow) {
    auto scenario = authorised();
    scenario.answered(Step::confirmar, asking_for_patience(Verdict::unknown, 300s));
    EXPECT_EQ(scenario.doing(), "wait 120000 ms");
    scenario.wait_it_out();
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
}

TEST(MachineRepeat, RetryAfterDoesNotKeepAPersonFromBeingAsked) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.pass(scenario.rules.attention_after - 10s);
    scenario.answered(Step::cancelar, asking_for_patience(Verdict::declined, 300s));
    EXPECT_EQ(scenario.doing(), "wait 10000 ms");
    auto at_the_same_time = scenario;
    at_the_same_time.answered(Step::cancelar, asking_for_patience(Verdict::declined, 10s));
    EXPECT_EQ(at_the_same_time.doing(), "cancelar in 10000 ms") << "its answer may make the person needless";
    scenario.wait_it_out();
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA unsettled!");
    EXPECT_EQ(scenario.doing(), "cancelar in 290000 ms");
}

TEST(MachineRepeat, NewStateBeginsItsRepeatsAnew) {
    auto scenario = authorised();
    scenario.chance = most_chance;
    for (int i = 0; i < 6; ++i)
        scenario.answered(Step::confirmar, Verdict::unknown);
    scenario.happens(CancelAsked{});
    EXPECT_EQ(scenario.doing(), "cancelar");
    scenario.answered(Step::cancelar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "cancelar in 499 ms");
}

TEST(MachineRepeat, NoExchangeBeginsOnceAWindowIsOver) {
    auto scenario = authorised();
    scenario.pass(scenario.rules.confirm_window);
    EXPECT_EQ(scenario.doing(), "wait");
    scenario.pass(1h);
    EXPECT_EQ(scenario.doing(), "wait") << "the law is told that the time has come first";
}

}  // namespace
}  // namespace gateway::test
