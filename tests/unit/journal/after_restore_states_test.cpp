// These tests say what a restored copy tells of a sale in each state.
#include "journal/after_restore.hpp"
#include "journal/sqlite/transaction.hpp"
#include "unit/journal/sqlite_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using State = AttemptState;

class AfterRestoreStates : public SqliteRig {
  protected:
    AfterRestoreStates() { open(); }

    std::int64_t left_to_provider() {
        const auto work = [&](Transaction& tx) { return after_restore::leave_to_provider(tx, clock.wall()); };
        return sqlite::run_to_end(beside(), work).value();
    }
    // Makes an unsettled sale whose attempt is in the state, with a time for each request and each wait.
    Sale in_state(State state, Status status, Family family = Family::tv) {
        auto made = sale("k" + std::to_string(++keys_));
        made.family = family;
        made = begun(std::move(made));
        auto change = change_to(made, state);
        change.status = status;
        change.settled = false;
        change.next.confirm_time = clock.wall() - 2s;
        change.next.cancel_time = clock.wall() - 1s;
        change.next.deadline = clock.now() + 1min;
        change.next.attention_at = clock.now() + 2min;
        record(made, change);
        return made;
    }
    Attempt attempt_of(const Sale& made) { return found(made.id).current(); }

  private:
    int keys_ = 0;
};

TEST_F(AfterRestoreStates, WhatMayHaveGoneOnIsInDispute) {
    for (const auto& [state, status] :
         {std::pair(State::requesting, Status::PENDENTE), std::pair(State::held, Status::AUTORIZADA),
          std::pair(State::confirming, Status::AUTORIZADA)}) {
        const auto made = in_state(state, status);
        EXPECT_EQ(left_to_provider(), 1) << to_string(state);
        const auto left = found(made.id);
        EXPECT_EQ(left.status, Status::AUTORIZADA);
        EXPECT_EQ(left.attention, Attention::restored);
        EXPECT_EQ(left.updated_at, clock.wall());
        EXPECT_EQ(left.current().state, State::disputing);
        EXPECT_FALSE(left.current().confirm_time);
        EXPECT_EQ(left.current().cancel_time, clock.wall() - 1s) << "the one that it had";
        EXPECT_EQ(left.current().deadline, never);
        EXPECT_EQ(left.current().attention_at, never);
        ASSERT_TRUE(left.reason.has_value());
        EXPECT_EQ(left.reason->code, ReasonCode::response_lost);
        const auto line = history(made).back();
        EXPECT_EQ(line.event, "restored");
        EXPECT_EQ(line.state, "disputing");
        EXPECT_EQ(line.mark, "restored");
        EXPECT_EQ(line.attempt, 0u);
        EXPECT_EQ(line.at, clock.wall());
        sql("DELETE FROM sales");
    }
}

TEST_F(AfterRestoreStates, OneAttemptInDisputeIsEnoughForItsSale) {
    auto made = begun("k");
    auto unsent = change_to(made, State::unsent);
    unsent.status = Status::PENDENTE;
    unsent.settled = false;
    const auto second = attempt();
    record(made, unsent, {.event = "test"}, &second);
    EXPECT_EQ(left_to_provider(), 1);
    EXPECT_EQ(found(made.id).attempts.front().state, State::unsent);
    EXPECT_EQ(found(made.id).current().state, State::disputing);
    EXPECT_EQ(found(made.id).status, Status::AUTORIZADA);
}

TEST_F(AfterRestoreStates, WhatHasNoCancelTimeIsCancelledFromNowOn) {
    const auto made = begun("k");
    clock.advance(1min);
    EXPECT_EQ(left_to_provider(), 1);
    EXPECT_EQ(attempt_of(made).cancel_time, clock.wall());
}

TEST_F(AfterRestoreStates, WhatWasInDisputeIsNeverConfirmedAndWaitsAsBefore) {
    const auto made = in_state(State::disputing, Status::AUTORIZADA);
    EXPECT_EQ(left_to_provider(), 1);
    const auto left = found(made.id);
    EXPECT_EQ(left.status, Status::AUTORIZADA);
    EXPECT_FALSE(left.current().confirm_time);
    EXPECT_EQ(left.current().attention_at, clock.now() + 2min);
    EXPECT_EQ(left.current().deadline, clock.now() + 1min);
}

TEST_F(AfterRestoreStates, WhatIsFinalAndNotSettledIsNotMarked) {
    const auto made = in_state(State::lingering, Status::CANCELADA);
    const auto retracting = in_state(State::retracting, Status::CANCELADA);
    EXPECT_EQ(left_to_provider(), 0);
    EXPECT_EQ(found(made.id).attention, Attention::none);
    EXPECT_EQ(attempt_of(made).state, State::lingering);
    EXPECT_EQ(text("SELECT attention FROM sales WHERE id = '" + retracting.id.str() + "'"), "none");
}

TEST_F(AfterRestoreStates, AnEsimWaitsForItsCallbackAsBefore) {
    const auto made = in_state(State::awaiting, Status::AUTORIZADA, Family::esim);
    EXPECT_EQ(left_to_provider(), 1);
    EXPECT_EQ(attempt_of(made).state, State::awaiting);
    EXPECT_EQ(attempt_of(made).confirm_time, clock.wall() - 2s);
    EXPECT_EQ(found(made.id).attention, Attention::restored);
    const auto requested = in_state(State::requesting, Status::PENDENTE, Family::esim);
    EXPECT_EQ(left_to_provider(), 2);
    EXPECT_EQ(found(requested.id).status, Status::PENDENTE) << "it is in no dispute";
    EXPECT_EQ(history(requested).back().state, "requesting");
}

TEST_F(AfterRestoreStates, TheWaitsAreCountedFromTheRestore) {
    const auto made = in_state(State::awaiting, Status::AUTORIZADA, Family::esim);
    clock.advance(30s);
    left_to_provider();
    EXPECT_EQ(text("SELECT recorded_at FROM sales"), std::to_string(clock.wall().time_since_epoch().count()));
    EXPECT_EQ(attempt_of(made).deadline, clock.now() + 30s);
}

TEST_F(AfterRestoreStates, ARowThatCannotBeReadIsMarkedAndSaidInItsHistory) {
    for (const auto* damage : {"status = 'x'", "family = 'x'", "recorded_at = 'x'", "attempts = '{'"}) {
        const auto made = begun("k");
        keep("sales");
        sql(std::string("UPDATE sales SET ") + damage);
        EXPECT_EQ(left_to_provider(), 1) << damage;
        EXPECT_EQ(text("SELECT attention FROM sales"), "unreadable") << damage;
        EXPECT_THAT(text("SELECT story FROM sales"),
                    EndsWith("\n{\"at\":" + std::to_string(clock.wall().time_since_epoch().count()) +
                             R"(,"attempt":1,"event":"unreadable"})"))
            << damage;
        sql("UPDATE sales SET attention = 'none'");
        EXPECT_EQ(left_to_provider(), 1);
        EXPECT_EQ(text("SELECT attention FROM sales"), "unreadable") << "a mark that is gone comes back";
        sql("DELETE FROM sales; DELETE FROM id_externos");
    }
}

}  // namespace
}  // namespace gateway::test
