#include "journal/recorded_step.hpp"

#include "unit/journal/journal_user.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class RecordedStepTest : public testing::Test, protected JournalUser {
  protected:
    Moment now() { return {.now = clock.now(), .wall = clock.wall(), .boot = clock.boot()}; }
    RecordedStep step(const Sale& of, const Change& change, const HistoryEntry& entry = {.event = "confirmar"}) {
        return next_step(of, change, nullptr, entry, now());
    }
    // Returns the step of an attempt that stays as it is, as the try with this number.
    RecordedStep tried(int tries) {
        auto made = sale();
        auto change = change_to(made, made.current().state);
        change.status = made.status;
        change.settled = made.settled;
        change.next.tries = tries;
        return step(made, change);
    }
};

TEST_F(RecordedStepTest, ALongHistoryIsToldOfEveryChangeAndOfRepeatsEverMoreSeldom) {
    auto made = sale();
    EXPECT_TRUE(step(made, change_to(made, AttemptState::confirming)).is_worth_a_line);
    EXPECT_FALSE(tried(seldom_tries - 1).is_worth_a_line);
    EXPECT_TRUE(tried(seldom_tries).is_worth_a_line);
    EXPECT_FALSE(tried(seldom_tries + 1).is_worth_a_line);
    EXPECT_TRUE(tried(2 * seldom_tries).is_worth_a_line);
}

TEST_F(RecordedStepTest, AStepThatSaysNoMarkOrAPassingOneGivesWayToTheJournalsOwn) {
    auto made = sale();
    auto change = change_to(made, AttemptState::confirming);
    EXPECT_TRUE(step(made, change).gives_way);
    change.attention = Attention::restored;
    EXPECT_FALSE(step(made, change).gives_way);
    made.attention = Attention::unreadable;
    change.attention = Attention::none;
    EXPECT_FALSE(step(made, change).gives_way) << "the sale knows of that mark, and it is taken away";
}

TEST_F(RecordedStepTest, APersonsNoteIsInNoLineOfTheHistory) {
    const auto made = sale();
    const auto told =
        step(made, change_to(made, AttemptState::sold), {.event = "resolved", .detail = "Maria", .by = "rita"});
    EXPECT_THAT(told.history, HasSubstr("rita"));
    EXPECT_THAT(told.history, Not(HasSubstr("Maria")));
}

}  // namespace
}  // namespace gateway::test
