#include "journal/moving_mark.hpp"

#include "base/wall_time.hpp"
#include "journal/rows.hpp"
#include "unit/journal/scripted_transaction.hpp"
#include "unit/journal/tx_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;
using State = MovingMark::State;

const WallTime since = WallTime(std::chrono::milliseconds(1'700'000'000'000));

std::string why(State state, const std::string& place, const MarkedPlace& here = {.name = "/b.db"}) {
    return why_not_to_start({.state = state, .copy = "c", .place = place, .at = since}, here);
}

TEST(MovingMark, AGatewayStartsWhileAJournalIsOnlyBeingCopied) {
    EXPECT_EQ(why(State::leaving, "/a.db"), "");
}

TEST(MovingMark, OfAJournalThatWasMovedItSaysWhereToAndWhatToConfigure) {
    const auto at = to_zoned_text(since);
    EXPECT_EQ(why(State::moved, "/a.db"),
              "it was moved to /a.db at " + at +
                  ", and what has happened since then is there: let journal.path of the configuration say so, and "
                  "remove journal.url. docs/moving.md says how to go back");
    EXPECT_THAT(why(State::moved, "postgresql://h/d"),
                HasSubstr("let journal.url of the configuration say so, and remove journal.path."));
}

TEST(MovingMark, OfACopyThatIsNotWholeItSaysTheCommandThatGoesOn) {
    const auto at = to_zoned_text(since);
    EXPECT_EQ(why(State::arriving, "/a.db"),
              "it is a copy of /a.db that is not whole yet: sales-gateway copy-journal began it at " + at +
                  ". Unless that is at work still, call sales-gateway copy-journal --from /a.db --to /b.db. That goes "
                  "on where the copying stopped; but where the journal that is copied has been used since, it copies "
                  "all of it anew");
    EXPECT_THAT(why(State::arriving, "/a.db", {.name = "/b.db", .may_be_worked_on = false}),
                HasSubstr(". Call sales-gateway copy-journal --from"));
    const auto asks_for_a_password = HasSubstr(" (with --password-file FILE where the database asks");
    EXPECT_THAT(why(State::arriving, "postgresql://h/d"), asks_for_a_password);
    EXPECT_THAT(why(State::arriving, "/a.db", {.name = "postgresql://h/d"}), asks_for_a_password);
}

TEST(MovingMark, APlaceIsQuotedWhereAShellWouldTakeItApart) {
    const std::pair<const char*, const char*> words[] = {
        {"/srv/a-b_c.d/e@f:g%h+i=j,k", "/srv/a-b_c.d/e@f:g%h+i=j,k"},
        {"/srv/my journal", "'/srv/my journal'"},
        {"/srv/$HOME", "'/srv/$HOME'"},
        {"/srv/it's", R"('/srv/it'\''s')"},
        {"''(", R"(''\'''\''(')"},
        {"", "''"},
    };
    for (const auto& [place, word] : words)
        EXPECT_THAT(why(State::arriving, place), HasSubstr(std::string("--from ") + word + " --to")) << place;
}

// Reads a mark in which this column holds something else; says its state and what else it holds.
class MovingMarkJobs : public Test {
  protected:
    std::string error_of(auto work) {
        const auto done = rig.run(std::move(work));
        return done.has_error() ? done.error().message() : "done";
    }
    void set(State state) {
        const MovingMark mark{.state = state, .copy = "c", .place = "/a.db", .at = since};
        const auto work = [&](Tx& tx) { return moving_mark::set(tx.transaction(), mark); };
        ASSERT_TRUE(rig.run(work));
    }
    std::optional<MovingMark> found() {
        return rig.run([](Tx& tx) { return moving_mark::find(tx.transaction()); }).value();
    }
    std::string why_not() {
        const auto work = [](Tx& tx) { return moving_mark::why_not_to_start(tx.transaction(), {.name = "/b.db"}); };
        return rig.run(work).value();
    }
    std::string ended() {
        return error_of([](Tx& tx) { return moving_mark::end_copying(tx.transaction()); });
    }
    void damage(const std::string& change) { ASSERT_TRUE(rig.database.run(("UPDATE moving SET " + change).c_str())); }

    TxRig rig;
    const std::string moved = boost::system::error_code(errc::journal_moved).message();
};

TEST_F(MovingMarkJobs, AMarkIsFoundAsItWasSetAndReplacedAndRemoved) {
    EXPECT_FALSE(found());
    for (const auto state : {State::leaving, State::moved, State::arriving}) {
        set(state);
        const auto mark = found();
        ASSERT_TRUE(mark);
        EXPECT_EQ(mark->state, state);
        EXPECT_EQ(mark->copy, "c");
        EXPECT_EQ(mark->place, "/a.db");
        EXPECT_EQ(mark->at, since);
        EXPECT_EQ((*find_mark(rig.database))->state, state);
    }
    ASSERT_TRUE(rig.run([](Tx& tx) { return moving_mark::remove(tx.transaction()); }));
    EXPECT_FALSE(found());
}

TEST_F(MovingMarkJobs, OnlyACopyingThatWasInterruptedIsEnded) {
    EXPECT_EQ(ended(), "done");
    set(State::leaving);
    EXPECT_EQ(ended(), "done");
    EXPECT_FALSE(found());
    for (const auto state : {State::moved, State::arriving}) {
        set(state);
        EXPECT_EQ(ended(), moved);
        EXPECT_EQ(found()->state, state);
    }
    damage("state = 'lost'");
    EXPECT_EQ(ended(), moved);
}

TEST_F(MovingMarkJobs, ThereIsNothingToEndWhereThereIsNoMark) {
    ScriptedRig scripted;
    ASSERT_TRUE(scripted.run([](Tx& tx) { return moving_mark::end_copying(tx.transaction()); }));
    EXPECT_THAT(scripted.script.did, ElementsAre("moving_mark"));
}

TEST_F(MovingMarkJobs, SaysWhyNoGatewayStartsAlsoWhereItCannotBeRead) {
    EXPECT_EQ(why_not(), "");
    set(State::moved);
    EXPECT_THAT(why_not(), StartsWith("it was moved to /a.db at "));
    for (const auto* change : {"state = 'lost'", "at = 'x'"}) {
        set(State::moved);
        damage(change);
        EXPECT_EQ(why_not(), "what copy-journal noted in it cannot be read") << change;
        EXPECT_EQ(error_of([](Tx& tx) { return moving_mark::find(tx.transaction()); }), moved) << change;
        EXPECT_EQ(find_mark(rig.database).error(), "what copy-journal noted in it cannot be read") << change;
    }
}

TEST_F(MovingMarkJobs, AJournalWithoutATableForItHasNoMarkAndOneThatFailsSaysHow) {
    ASSERT_TRUE(rig.database.run("DROP TABLE moving"));
    EXPECT_FALSE(*find_mark(rig.database));
    ASSERT_TRUE(rig.database.run("CREATE TABLE moving (one)"));
    EXPECT_THAT(find_mark(rig.database).error(), HasSubstr("no such column"));
}

}  // namespace
}  // namespace gateway::test
