// Tests what becomes of an attempt whose request may have left only after another gateway had taken the sale over.
#include "unit/sale/scenario.hpp"

namespace gateway::test {
namespace {

// The sale was taken over during its request, and cancelled. The provider does not know it, and is sent the cancel
// again.
Scenario taken_over(Family family = Family::tv) {
    Scenario scenario(family);
    scenario.happens(Lost{});
    scenario.answered(Step::cancelar, Verdict::no_such_sale);
    return scenario;
}

TEST(MachineSentLate, TheWaitForALateArrivalBeginsAnew) {
    auto scenario = taken_over();
    ASSERT_EQ(scenario.stands(), "lingering CANCELADA");
    const auto whole = scenario.doing();
    scenario.pass(60s);
    ASSERT_NE(scenario.doing(), whole);
    EXPECT_FALSE(scenario.happens(SentLate{}).changes_nothing);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
    EXPECT_EQ(scenario.doing(), whole);
}

TEST(MachineSentLate, WhatWasOverIsCancelledOnceMore) {
    auto scenario = taken_over();
    scenario.pass(2min);
    scenario.answered(Step::cancelar, Verdict::no_such_sale);
    ASSERT_EQ(scenario.stands(), "cancelled CANCELADA settled");
    scenario.pass(1h);
    scenario.happens(SentLate{});
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
    EXPECT_EQ(scenario.doing(), "cancelar in 120000 ms");
    scenario.pass(2min);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

TEST(MachineSentLate, WhatTheProviderHasSeenIsOver) {
    auto scenario = authorised();
    scenario.happens(CancelAsked{});
    scenario.answered(Step::cancelar, Verdict::cancelled);
    ASSERT_EQ(scenario.stands(), "cancelled CANCELADA settled");
    EXPECT_TRUE(scenario.happens(SentLate{}).changes_nothing);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

TEST(MachineSentLate, WhatIsBeingCancelledGoesOn) {
    Scenario scenario(Family::tv);
    scenario.happens(Lost{});
    EXPECT_TRUE(scenario.happens(SentLate{}).changes_nothing);
    EXPECT_EQ(scenario.doing(), "cancelar");
}

TEST(MachineSentLate, WhatCannotBeCancelledStaysAPersons) {
    for (const auto family : {Family::health, Family::esim}) {
        Scenario scenario(family);
        scenario.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = false;
        scenario.happens(Lost{});
        const auto stood = scenario.stands();
        EXPECT_TRUE(scenario.happens(SentLate{}).changes_nothing);
        EXPECT_EQ(scenario.stands(), stood);
    }
}

TEST(MachineSentLate, ASaleThatIsSoldStaysSoldThroughAnEarlierAttemptsWord) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    ASSERT_EQ(scenario.sale.attempts.size(), 2u);
    scenario.answered(Step::solicitar, Verdict::authorised);
    scenario.answered(Step::confirmar, Verdict::sold);
    ASSERT_EQ(scenario.sale.status, Status::EFETIVADA);
    scenario.happens(SentLate{}, 0);
    EXPECT_EQ(scenario.sale.status, Status::EFETIVADA);
    EXPECT_EQ(scenario.attempt(0).state, AttemptState::lingering);
    EXPECT_FALSE(scenario.sale.settled);
}

}  // namespace
}  // namespace gateway::test
