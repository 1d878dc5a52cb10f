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
    EXPECT_FALSE(tried(seldom_tries / 2).is_worth_a_line);
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

TEST_F(RecordedStepTest, OnlyWhatChangesNothingThatAPersonSeesIsARepeat) {
    const auto made = sale();
    Change same{.at = clock.wall(), .attempt = 0, .next = made.current(), .status = made.status};
    same.settled = made.settled;
    same.attention = made.attention;
    EXPECT_TRUE(is_repeated(made, same));
    same.next.tries = 1;
    EXPECT_TRUE(is_repeated(made, same));
    constexpr void (*changes[])(Change&) = {
        [](Change& to) { to.next.state = AttemptState::confirming; },
        [](Change& to) { to.status = Status::AUTORIZADA; },
        [](Change& to) { to.settled = true; },
        [](Change& to) { to.attention = Attention::unsettled; },
        [](Change& to) { to.again = true; },
    };
    for (const auto& change : changes) {
        auto changed = same;
        change(changed);
        EXPECT_FALSE(is_repeated(made, changed)) << "change " << &change - &changes[0];
    }
}

TEST_F(RecordedStepTest, ALineNamesTheTriesWhereThereIsOneMore) {
    auto made = sale();
    made.attempts[0].tries = 5;
    auto change = change_to(made, AttemptState::cancelling);
    for (const int tries : {4, 5}) {
        change.next.tries = tries;
        EXPECT_THAT(step(made, change).history, Not(HasSubstr("tries"))) << tries;
    }
    change.next.tries = 6;
    EXPECT_THAT(step(made, change).history, HasSubstr("\"tries\":6"));
}

TEST_F(RecordedStepTest, ALaterAttemptIsNamedByItsNumberAndKeptWithTheOthers) {
    auto made = sale();
    const auto fresh = attempt();
    const auto unsent = change_to(made, AttemptState::unsent);
    const auto begun = next_step(made, unsent, &fresh, {.event = "solicitar"}, now());
    EXPECT_THAT(begun.attempts, HasSubstr(made.current().id_externo.str()));
    EXPECT_THAT(begun.attempts, HasSubstr(fresh.id_externo.str()));
    EXPECT_THAT(begun.history, HasSubstr("\"attempt\":1,"));
    EXPECT_THAT(begun.history, HasSubstr("\"attempt\":2,"));
    made.attempts.push_back(fresh);
    EXPECT_THAT(receipt_line(made, clock.wall()), HasSubstr("\"attempt\":2,"));
}

}  // namespace
}  // namespace gateway::test
