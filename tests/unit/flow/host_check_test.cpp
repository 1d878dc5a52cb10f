#include "flow/host_check.hpp"

#include "base/wall_time.hpp"
#include "unit/flow/rig.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// This is a journal on a disk that the test describes.
class OnDisk final : public ForwardingJournal {
  public:
    using ForwardingJournal::ForwardingJournal;
    bool healthy() const noexcept override { return is_healthy; }
    bool is_healthy = true;
    std::optional<DiskRoom> disk() const override { return room; }
    std::optional<DiskRoom> room;
};

class HostCheckTest : public testing::Test {
  protected:
    // Makes an answer of a provider whose clock is this far ahead of the right time, to a request that took this long.
    Reply answer(Duration ahead, Duration took = 200ms) {
        const auto asked = rig.clock->now();
        rig.clock->advance(took);
        auto reply = answered(200, "{}");
        const auto theirs = rig.clock->wall() - took / 2 + ahead;
        reply.dated = Reply::Dated{
            .date = std::chrono::floor<std::chrono::seconds>(theirs), .asked = asked, .answered = rig.clock->now()};
        return reply;
    }
    void hear(Duration ahead, int times = 1, Duration took = 200ms) {
        for (; times > 0; --times)
            check.hear(answer(ahead, took));
    }
    std::string sentence(std::string_view what) {
        check.look();
        const auto* found = check.concern(what);
        return found != nullptr ? found->sentence : std::string();
    }
    void ask_journal() {
        boost::asio::co_spawn(*rig.io, check.ask_journal(), boost::asio::detached);
        rig.clock->settle();
    }

    FlowRig rig;
    OnDisk journal{*rig.journal};
    HostCheck check{journal, *rig.metrics, *rig.clock, rig.log};
};

TEST_F(HostCheckTest, AClockThatAgreesIsNoTrouble) {
    EXPECT_EQ(check.ahead_of_provider(), std::nullopt) << "it was not asked yet";
    hear(0s, 3);
    EXPECT_EQ(check.ahead_of_provider(), 0s);
    EXPECT_THAT(sentence("clock"), IsEmpty());
    EXPECT_FALSE(rig.log.has("clock."));
}

TEST_F(HostCheckTest, AClockThatIsBehindTheProvidersIsSaidOnceAndSoIsItsEnd) {
    hear(1h + 3min, 2);
    EXPECT_THAT(sentence("clock"), HasSubstr("clock is 1 h 3 min behind the provider's"));
    EXPECT_EQ(check.ahead_of_provider(), -(1h + 3min));
    hear(1h + 3min, 3);
    EXPECT_EQ(rig.log.count("warn clock.wrong"), 1u);
    rig.clock->advance(24h);
    EXPECT_THAT(sentence("clock"), HasSubstr("1 h 3 min behind")) << "the provider's has gone on as well";
    EXPECT_FALSE(rig.log.has("clock.right"));
    rig.clock->shift_wall(1h + 3min);
    check.look();
    EXPECT_EQ(rig.log.count("warn clock.right detail=\"this machine's clock agrees again with the provider's"), 1u)
        << "without another answer";
    EXPECT_EQ(check.ahead_of_provider(), 0s);
    hear(0s, 2);
    EXPECT_THAT(sentence("clock"), IsEmpty());
    EXPECT_EQ(rig.log.count("warn clock."), 2u);
}

TEST_F(HostCheckTest, AClockThatIsAheadIsSaidToBeAhead) {
    hear(-90s, 2);
    EXPECT_THAT(sentence("clock"), HasSubstr("1 min 30 s ahead of the provider's"));
}

TEST_F(HostCheckTest, OneAnswerIsNotBelievedAgainstTheClockNorForIt) {
    hear(2h);
    EXPECT_EQ(check.ahead_of_provider(), std::nullopt);
    hear(0s);
    hear(2h);
    hear(0s);
    hear(2h);
    EXPECT_THAT(sentence("clock"), IsEmpty()) << "one of several machines that answer may have a clock that is wrong";
    hear(2h);
    EXPECT_THAT(sentence("clock"), HasSubstr("2 h behind"));
    hear(0s);
    EXPECT_THAT(sentence("clock"), HasSubstr("2 h behind"));
    hear(0s);
    EXPECT_THAT(sentence("clock"), IsEmpty());
}

// The provider may have written its date at any moment of the exchange, and cuts it to the second.
TEST_F(HostCheckTest, WhatTheExchangeItselfMayExplainIsNoTrouble) {
    hear(62s, 2, 10s);
    EXPECT_THAT(sentence("clock"), IsEmpty());
    hear(-62s, 2, 10s);
    EXPECT_THAT(sentence("clock"), IsEmpty());
    hear(-60s, 2, 0s);
    EXPECT_THAT(sentence("clock"), IsEmpty());
    hear(66s, 2, 10s);
    EXPECT_THAT(sentence("clock"), HasSubstr("behind"));
}

// A clock was set, or it went on while the machine slept and the other one stood still.
TEST_F(HostCheckTest, AClockThatJumpsIsComparedAnew) {
    hear(0s, 2);
    rig.clock->shift_wall(8h);
    EXPECT_THAT(sentence("clock"), IsEmpty());
    EXPECT_EQ(check.ahead_of_provider(), std::nullopt);
    hear(-8h, 2);
    EXPECT_THAT(sentence("clock"), HasSubstr("8 h ahead"));
}

TEST_F(HostCheckTest, AnAnswerWithoutADateSaysNothing) {
    hear(2h, 2);
    check.hear(answered(200, "{}"));
    check.hear(answered(200, "{}"));
    EXPECT_THAT(sentence("clock"), HasSubstr("2 h behind"));
}

TEST_F(HostCheckTest, AClockBehindTheNewestRecordIsSaidWithTheDifference) {
    ask_journal();
    EXPECT_EQ(check.behind_journal(), std::nullopt) << "there is none";
    (void)rig.sell("k-1");
    rig.clock->settle();
    ask_journal();
    EXPECT_EQ(check.behind_journal(), 0s);
    rig.clock->shift_wall(-30s);
    EXPECT_THAT(sentence("clock"), IsEmpty());
    rig.clock->shift_wall(-5h);
    EXPECT_THAT(sentence("clock"), HasSubstr("5 h behind the journal's newest record, which is of 20"));
    EXPECT_EQ(rig.log.count("warn clock.wrong"), 1u);
    hear(0s, 2);
    EXPECT_THAT(sentence("clock"), AllOf(HasSubstr("5 h ahead of this machine's clock, which agrees with"),
                                         HasSubstr("a clock was wrong when it was written"), Not(HasSubstr("NTP"))));
    hear(2h, 2);
    EXPECT_THAT(sentence("clock"), HasSubstr("2 h behind the provider's, and 5 h behind the journal's newest record"));
    hear(0s, 2);
    rig.clock->shift_wall(5h);
    check.look();
    EXPECT_EQ(rig.log.count("clock.right detail=\"this machine's clock agrees again with the journal; with the"), 1u)
        << "it was set since the last answer";
}

TEST_F(HostCheckTest, AClockThatNoAnswerWasComparedWithAgreesWithTheJournalAlone) {
    (void)rig.sell("k-1");
    rig.clock->settle();
    ask_journal();
    rig.clock->shift_wall(-5h);
    check.look();
    rig.clock->shift_wall(5h + 10min);
    check.look();
    EXPECT_EQ(rig.log.count("clock.right detail=\"this machine's clock agrees again with the journal; with the"), 1u);
}

TEST_F(HostCheckTest, TheNewestRecordFollowsWhatThisRunWrites) {
    ask_journal();
    rig.clock->advance(50s);
    const auto& sold = *rig.sell("k-1", ConfirmMode::manual).sale;
    rig.clock->settle();
    rig.clock->shift_wall(-5h);
    EXPECT_THAT(sentence("clock"), HasSubstr("5 h behind the journal's newest record")) << "nobody has asked since";
    rig.clock->shift_wall(5h);
    rig.clock->advance(40s);
    const auto confirmed =
        rig.clock->run(rig.seller->tell(sold.sale().id, ConfirmAsked{}, "r", rig.clock->now() + 1min));
    ASSERT_TRUE(confirmed.has_value());
    const auto written = rig.clock->wall();
    rig.clock->settle();
    rig.clock->shift_wall(-5h);
    EXPECT_THAT(sentence("clock"), HasSubstr("which is of " + to_local_text(written)));
    (void)rig.sell("k-2");
    rig.clock->settle();
    EXPECT_THAT(sentence("clock"), HasSubstr("which is of " + to_local_text(written))) << "time does not go back";
}

TEST_F(HostCheckTest, AnotherTroubleOfTheClockHasAnotherBeginAndALine) {
    hear(48h, 2);
    EXPECT_THAT(sentence("clock"), HasSubstr("2 d behind"));
    const auto since = check.concern("clock")->since.wall();
    rig.clock->advance(1h);
    EXPECT_THAT(sentence("clock"), HasSubstr("2 d behind"));
    EXPECT_EQ(check.concern("clock")->since.wall(), since) << "it is the same trouble";
    EXPECT_EQ(rig.log.count("warn clock.wrong"), 1u);
    rig.clock->shift_wall(48h + 10min);
    EXPECT_THAT(sentence("clock"), HasSubstr("10 min ahead of"));
    EXPECT_EQ(check.concern("clock")->since.wall(), rig.clock->wall());
    EXPECT_EQ(rig.log.count("warn clock.wrong"), 2u);
    rig.clock->advance(1h);
    rig.clock->shift_wall(3h);
    EXPECT_THAT(sentence("clock"), HasSubstr("3 h 10 min ahead of"));
    EXPECT_EQ(check.concern("clock")->since.wall(), rig.clock->wall()) << "it was set again";
    EXPECT_EQ(rig.log.count("warn clock.wrong"), 3u);
    EXPECT_FALSE(rig.log.has("clock.right"));
}

TEST_F(HostCheckTest, ADiskWithLessThanAnHourOfSalesNeedIsSaidOnceAndSoIsItsEnd) {
    EXPECT_THAT(sentence("disk"), IsEmpty()) << "a journal that is on no disk of this machine";
    journal.room =
        DiskRoom{.folder = "/srv/journal", .free_bytes = 5'000'000, .free_inodes = 900, .needed_bytes = 5'000'000};
    EXPECT_THAT(sentence("disk"), IsEmpty());
    journal.room->free_bytes = 4'999'999;
    EXPECT_EQ(sentence("disk"),
              "the journal's disk is nearly full, and once it is full, sales are taken only as long as the journal's "
              "log has room in itself: 4.9 MB are free in /srv/journal, and an hour of sales takes up to 5.0 MB. Make "
              "room on it");
    EXPECT_EQ(check.concern("disk")->since.wall(), rig.clock->wall());
    journal.room->free_bytes = 0;
    EXPECT_EQ(sentence("disk"),
              "the journal's disk is full, and sales are taken only as long as the journal's log has room in itself: "
              "0 bytes are free in /srv/journal, and an hour of sales takes up to 5.0 MB. Make room on it");
    journal.is_healthy = false;
    EXPECT_EQ(sentence("disk"),
              "the journal's disk is full: 0 bytes are free in /srv/journal, and an hour of sales takes up to 5.0 MB. "
              "Make room on it")
        << "none is taken";
    EXPECT_EQ(rig.log.count("warn journal.room_low"), 1u);
    journal.room->free_bytes = 9'000'000;
    check.look();
    EXPECT_EQ(rig.log.count("warn journal.room_made"), 1u);
}

TEST_F(HostCheckTest, ADiskWithoutInodesIsSaidToLackThoseAlone) {
    journal.room = DiskRoom{.folder = "/srv", .free_bytes = 9'000'000, .free_inodes = 15, .needed_bytes = 1};
    EXPECT_EQ(sentence("disk"),
              "the journal's disk has too few inodes: 15 are free in /srv, and a start of the gateway and a backup "
              "make up to 16 files. Remove files from it");
    const auto since = rig.clock->wall();
    rig.clock->advance(1h);
    journal.room->free_bytes = 0;
    EXPECT_THAT(sentence("disk"),
                AllOf(HasSubstr("0 bytes are free in /srv, and an hour of sales takes up to 1 bytes; 15 inodes"),
                      HasSubstr("Make room")));
    EXPECT_EQ(check.concern("disk")->since.wall(), since + 1h) << "this is another trouble";
    EXPECT_EQ(rig.log.count("warn journal.room_low"), 2u);
    journal.room->free_bytes = 9'000'000;
    journal.room->free_inodes.reset();
    EXPECT_THAT(sentence("disk"), IsEmpty()) << "a file system that does not count them";
}

TEST_F(HostCheckTest, LooksByItself) {
    boost::asio::co_spawn(*rig.io, check.keep_looking(), boost::asio::detached);
    rig.clock->settle();
    (void)rig.sell("k-1");
    rig.clock->advance(61s);
    rig.clock->shift_wall(-2h);
    rig.clock->advance(5s);
    EXPECT_EQ(rig.log.count("warn clock.wrong"), 1u);
}

}  // namespace
}  // namespace gateway::test
