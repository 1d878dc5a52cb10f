// Attempts that a restored copy of the journal left open: whether they were confirmed, and what the terminal was told,
// was lost with what followed the copy.
#include "unit/sale/story.hpp"

namespace gateway::test {
namespace {

// As restoring a journal leaves it, and as the next start finds it.
Story restored(Family family) {
    Story story(family);
    auto& attempt = story.attempt(0);
    attempt.state = AttemptState::disputing;
    attempt.cancel_time = story.wall;
    story.sale.status = Status::AUTORIZADA;
    story.sale.attention = Attention::restored;
    story.sale.reason = Reason{.code = ReasonCode::response_lost};
    story.restart();
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA restored!");
    return story;
}

TEST(MachineRestored, TheProvidersWordDecidesWhatTheJournalForgot) {
    auto sold = restored(Family::tv);
    EXPECT_EQ(sold.doing(), "cancelar");
    sold.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(sold.stands(), "sold EFETIVADA settled restored!")
        << "a confirm had got through, and nobody contradicted";

    auto cancelled = restored(Family::transit);
    cancelled.attempt(0).id_transacao = "T1";
    cancelled.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(cancelled.stands(), "cancelled CANCELADA settled restored!");
}

TEST(MachineRestored, WhereAnotherAttemptMayHaveFollowedACancelledOneIsHalfAnAnswer) {
    for (const auto status : {Status::EFETIVADA, Status::CANCELADA}) {
        auto story = restored(Family::tv);
        for (int i = 0; i < 3; ++i) {
            auto answer = story.usual(Step::cancelar, Verdict::cancelled);
            answer.id_transacao = "T1";
            story.answered(Step::cancelar, answer);
            EXPECT_EQ(story.stands(), "disputing AUTORIZADA restored!") << "the terminal is told pending";
            story.pass(1h);
            EXPECT_EQ(story.doing(), "cancelar") << "a request that comes late is caught";
        }
        story.happens(Resolved{.status = status, .note = "in the provider's books"});
        EXPECT_EQ(story.sale.status, status);
        EXPECT_TRUE(story.sale.settled);
    }
}

TEST(MachineRestored, NothingIsConfirmedWhateverTheCancelBrings) {
    for (const auto known : {Verdict::no_such_sale, Verdict::declined, Verdict::unknown, Verdict::unauthorised}) {
        auto story = restored(Family::tv);
        for (int i = 0; i < 5; ++i) {
            story.answered(Step::cancelar, known);
            EXPECT_EQ(story.stands(), "disputing AUTORIZADA restored!");
            story.pass(1h);
            EXPECT_EQ(story.doing(), "cancelar");
        }
    }
}

TEST(MachineRestored, WithoutACancelPathAPersonDecides) {
    auto story = restored(Family::health);
    EXPECT_EQ(story.doing(), "rest");
    story.happens(Resolved{.status = Status::EFETIVADA, .note = "EFETIVADA on the provider's portal"});
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
}

TEST(MachineRestored, GoodsThatOnlyAConfirmWouldBringAreForAPerson) {
    auto story = restored(Family::egift);
    story.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled undeliverable!");
}

TEST(MachineRestored, ThePersonClearsTheMarkOnceItIsFinal) {
    auto story = restored(Family::tv);
    story.attempt(0).id_transacao = "T1";
    story.answered(Step::cancelar, Verdict::cancelled);
    story.happens(Resolved{.note = "no other attempt in the provider's books"});
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

}  // namespace
}  // namespace gateway::test
