// What becomes of an attempt whose request may have left only after another gateway had taken the sale over.
#include "unit/sale/story.hpp"

namespace gateway::test {
namespace {

// Taken over while it was asked for, and cancelled: the provider knows nothing of it, and is cancelled to once more.
Story taken_over(Family family = Family::tv) {
    Story story(family);
    story.happens(Lost{});
    story.answered(Step::cancelar, Verdict::no_such_sale);
    return story;
}

TEST(MachineSentLate, TheWaitForALateArrivalBeginsAnew) {
    auto story = taken_over();
    ASSERT_EQ(story.stands(), "lingering CANCELADA");
    const auto whole = story.doing();
    story.pass(60s);
    ASSERT_NE(story.doing(), whole);
    EXPECT_FALSE(story.happens(SentLate{}).changes_nothing);
    EXPECT_EQ(story.stands(), "lingering CANCELADA");
    EXPECT_EQ(story.doing(), whole);
}

TEST(MachineSentLate, WhatWasOverIsCancelledOnceMore) {
    auto story = taken_over();
    story.pass(2min);
    story.answered(Step::cancelar, Verdict::no_such_sale);
    ASSERT_EQ(story.stands(), "cancelled CANCELADA settled");
    story.pass(1h);
    story.happens(SentLate{});
    EXPECT_EQ(story.stands(), "lingering CANCELADA");
    EXPECT_EQ(story.doing(), "cancelar in 120000 ms");
    story.pass(2min);
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

TEST(MachineSentLate, WhatTheProviderHasSeenIsOver) {
    auto story = authorised();
    story.happens(CancelAsked{});
    story.answered(Step::cancelar, Verdict::cancelled);
    ASSERT_EQ(story.stands(), "cancelled CANCELADA settled");
    EXPECT_TRUE(story.happens(SentLate{}).changes_nothing);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

TEST(MachineSentLate, WhatIsBeingCancelledGoesOn) {
    Story story(Family::tv);
    story.happens(Lost{});
    EXPECT_TRUE(story.happens(SentLate{}).changes_nothing);
    EXPECT_EQ(story.doing(), "cancelar");
}

TEST(MachineSentLate, WhatCannotBeCancelledStaysAPersons) {
    for (const auto family : {Family::health, Family::esim}) {
        Story story(family);
        story.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = false;
        story.happens(Lost{});
        const auto stood = story.stands();
        EXPECT_TRUE(story.happens(SentLate{}).changes_nothing);
        EXPECT_EQ(story.stands(), stood);
    }
}

TEST(MachineSentLate, ASaleThatIsSoldStaysSoldThroughAnEarlierAttemptsWord) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::cancelled);
    ASSERT_EQ(story.sale.attempts.size(), 2u);
    story.answered(Step::solicitar, Verdict::authorised);
    story.answered(Step::confirmar, Verdict::sold);
    ASSERT_EQ(story.sale.status, Status::EFETIVADA);
    story.happens(SentLate{}, 0);
    EXPECT_EQ(story.sale.status, Status::EFETIVADA);
    EXPECT_EQ(story.attempt(0).state, AttemptState::lingering);
    EXPECT_FALSE(story.sale.settled);
}

}  // namespace
}  // namespace gateway::test
