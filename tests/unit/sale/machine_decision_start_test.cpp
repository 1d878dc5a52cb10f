// Tests what a start makes of attempts that it finds, and when a person is asked then.
#include "unit/sale/scenario.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

Scenario cancelling_one(Family family = Family::tv) {
    Scenario scenario(family);
    scenario.answered(Step::solicitar, Verdict::unknown);
    return scenario;
}

TEST(MachineDecisionStart, GivesTheProviderAMinuteWhereAPersonIsDue) {
    for (const auto off : {10min, 11min}) {
        auto scenario = cancelling_one();
        scenario.restart(off);
        EXPECT_EQ(scenario.sale.current().attention_at, scenario.now + 1min);
    }
    auto before = cancelling_one();
    const auto due = before.sale.current().attention_at;
    before.restart(9min);
    EXPECT_EQ(before.sale.current().attention_at, due) << "a time that has not passed yet stays";
    Scenario retracting(Family::tv);
    retracting.patient_for(1h);
    retracting.answered(Step::solicitar, Verdict::unknown);
    retracting.restart(11min);
    EXPECT_EQ(retracting.sale.current().attention_at, retracting.now + 1min);
}

TEST(MachineDecisionStart, AsksAPersonAtOnceWhereTheProviderCannotBeAsked) {
    auto scenario = authorised(Family::health);
    scenario.pass(scenario.rules.confirm_window);
    scenario.happens(Elapsed{});
    scenario.attempt(0).confirm_time.reset();
    scenario.restart(11min);
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA unsettled!");
}

TEST(MachineDecisionStart, LeavesTheTimeOfACallbackAsItIs) {
    auto scenario = authorised(Family::esim);
    scenario.rules.can_ask = true;
    const auto due = scenario.sale.current().attention_at;
    scenario.restart(11min);
    EXPECT_EQ(scenario.sale.current().attention_at, due);
}

TEST(MachineDecisionStart, AsksAPersonOnceAboutACancelThatThereIsNot) {
    auto scenario = cancelling_one(Family::health);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA no_cancel_path!");
    EXPECT_TRUE(scenario.happens(Lost{}).changes_nothing);
    scenario.sale.attention = Attention::none;
    scenario.happens(Lost{});
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA no_cancel_path!");
}

}  // namespace
}  // namespace gateway::test
