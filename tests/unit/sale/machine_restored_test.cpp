// Tests attempts that a restored copy of the journal left open. Whether they were confirmed, and what the terminal was
// told, was lost with what happened after the copy.
#include "unit/sale/scenario.hpp"

namespace gateway::test {
namespace {

// Makes a sale as the restoring of a journal leaves it, and as the next start finds it.
Scenario restored(Family family) {
    Scenario scenario(family);
    auto& attempt = scenario.attempt(0);
    attempt.state = AttemptState::disputing;
    attempt.cancel_time = scenario.wall;
    scenario.sale.status = Status::AUTORIZADA;
    scenario.sale.attention = Attention::restored;
    scenario.sale.reason = Reason{.code = ReasonCode::response_lost};
    scenario.restart();
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA restored!");
    return scenario;
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
        auto scenario = restored(Family::tv);
        for (int i = 0; i < 3; ++i) {
            auto answer = scenario.usual(Step::cancelar, Verdict::cancelled);
            answer.id_transacao = "T1";
            scenario.answered(Step::cancelar, answer);
            EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA restored!") << "the terminal is told pending";
            scenario.pass(1h);
            EXPECT_EQ(scenario.doing(), "cancelar") << "a request that comes late is caught";
        }
        scenario.happens(Resolved{.status = status, .note = "in the provider's books"});
        EXPECT_EQ(scenario.sale.status, status);
        EXPECT_TRUE(scenario.sale.settled);
    }
}

TEST(MachineRestored, NothingIsConfirmedWhateverTheCancelBrings) {
    for (const auto known : {Verdict::no_such_sale, Verdict::declined, Verdict::unknown, Verdict::unauthorised}) {
        auto scenario = restored(Family::tv);
        for (int i = 0; i < 5; ++i) {
            scenario.answered(Step::cancelar, known);
            EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA restored!");
            scenario.pass(1h);
            EXPECT_EQ(scenario.doing(), "cancelar");
        }
    }
}

TEST(MachineRestored, WithoutACancelPathAPersonDecides) {
    auto scenario = restored(Family::health);
    EXPECT_EQ(scenario.doing(), "rest");
    scenario.happens(Resolved{.status = Status::EFETIVADA, .note = "EFETIVADA on the provider's portal"});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineRestored, GoodsThatOnlyAConfirmWouldBringAreForAPerson) {
    auto scenario = restored(Family::egift);
    scenario.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled undeliverable!");
}

TEST(MachineRestored, ThePersonClearsTheMarkOnceItIsFinal) {
    auto scenario = restored(Family::tv);
    scenario.attempt(0).id_transacao = "T1";
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.happens(Resolved{.note = "no other attempt in the provider's books"});
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

}  // namespace
}  // namespace gateway::test
