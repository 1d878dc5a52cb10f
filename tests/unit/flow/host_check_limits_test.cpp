// These tests say to the millisecond when a clock is wrong, and when the journal is asked.
#include "base/wall_time.hpp"
#include "flow/host_check.hpp"
#include "unit/support/forwarding_journal.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/new_sale.hpp"
#include "unit/support/scripted_client.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class JournalThatIsAsked final : public ForwardingJournal {
  public:
    explicit JournalThatIsAsked(Clock& clock)
        : ForwardingJournal(static_cast<Journal&>(*this)), clock_(clock), began_(clock.now()) {}

    SalePage newest;
    bool is_away = false;
    std::optional<DiskRoom> room;
    std::vector<std::int64_t> asked, asked_pace;  // when, in milliseconds since the beginning
    std::size_t limit = 0;

    Awaited<SalePage> list(const SaleFilter& filter) override {
        asked.push_back(since_began());
        limit = filter.limit;
        if (is_away) co_return errc::journal_unavailable;
        co_return newest;
    }
    Awaited<void> learn_pace() override {
        asked_pace.push_back(since_began());
        co_return Result<void>();
    }
    std::optional<DiskRoom> disk() const override { return room; }
    bool healthy() const noexcept override { return true; }

  private:
    std::int64_t since_began() const { return std::chrono::duration_cast<Duration>(clock_.now() - began_).count(); }

    Clock& clock_;
    const Instant began_;
};

class HostCheckLimits : public Test {
  protected:
    // Hears an answer that took no time and whose date is this far from the right one, which is cut to seconds.
    void hear_once(std::chrono::seconds ahead) {
        auto reply = answered(200, "{}");
        reply.dated = Reply::Dated{.date = std::chrono::floor<std::chrono::seconds>(clock.wall()) + ahead,
                                   .asked = clock.now(),
                                   .answered = clock.now()};
        check.hear(reply);
    }
    void hear(std::chrono::seconds ahead) {
        hear_once(ahead);
        hear_once(ahead);
    }
    bool is_wrong() {
        check.look();
        return check.concern("clock") != nullptr;
    }
    void keep_looking() {
        boost::asio::co_spawn(io, check.keep_looking(), boost::asio::detached);
        clock.settle();
    }
    Sale sale_of(WallTime updated_at) {
        auto sale = new_sale(clock, random, "k1");
        sale.updated_at = updated_at;
        return sale;
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    MemoryLog log;
    Metrics metrics;
    JournalThatIsAsked journal{clock};
    HostCheck check{journal, metrics, clock, log};
};

TEST_F(HostCheckLimits, AMinuteApartIsNoTrouble) {
    hear(60s);
    EXPECT_FALSE(is_wrong());
    clock.shift_wall(999ms);
    hear(61s);
    EXPECT_TRUE(is_wrong());
    EXPECT_THAT(check.concern("clock")->sentence, HasSubstr("behind the provider's"));
    clock.shift_wall(-999ms);
    hear(-61s);
    EXPECT_FALSE(is_wrong()) << "the date may have been cut by a second";
    clock.shift_wall(1ms);
    hear(-61s);
    EXPECT_TRUE(is_wrong());
    EXPECT_THAT(check.concern("clock")->sentence, HasSubstr("1 min 1 s ahead of"));
}

TEST_F(HostCheckLimits, AnAnswerThatAgreesWithTheClockOrWithTheLastOneIsBelievedAtOnce) {
    hear_once(0s);
    EXPECT_EQ(check.ahead_of_provider(), 0s);
    hear_once(2h);
    EXPECT_FALSE(log.has("clock.wrong"));
    hear_once(2h);
    EXPECT_EQ(log.count("warn clock.wrong"), 1u) << "nobody has looked";
    EXPECT_THAT(check.concern("clock")->sentence, Not(HasSubstr("newest record")));
    hear_once(3h);
    EXPECT_EQ(check.ahead_of_provider(), -3h);
}

TEST_F(HostCheckLimits, EachTroubleOfTheDiskIsAnotherOne) {
    const DiskRoom no_room{.folder = "/srv", .free_bytes = 0, .free_inodes = 100, .needed_bytes = 1};
    const DiskRoom no_inodes{.folder = "/srv", .free_bytes = 9, .free_inodes = 1, .needed_bytes = 1};
    for (const auto& room : {no_room, no_inodes, no_room}) {
        journal.room = room;
        check.look();
    }
    EXPECT_EQ(log.count("warn journal.room_low"), 3u);
}

TEST_F(HostCheckLimits, TheDifferenceIsTheMiddleOfWhatItMayBe) {
    hear(10s);
    EXPECT_EQ(check.ahead_of_provider(), -10s) << "10.5 s, rounded to the even number";
    hear(7s);
    EXPECT_EQ(check.ahead_of_provider(), -8s);
    hear(-7s);
    EXPECT_EQ(check.ahead_of_provider(), 6s);
}

TEST_F(HostCheckLimits, AMinuteBehindTheNewestRecordIsNoTrouble) {
    metrics.newest_record = clock.wall() + 60s;
    EXPECT_EQ(check.behind_journal(), 60s);
    EXPECT_FALSE(is_wrong());
    metrics.newest_record = clock.wall() + 60s + 1ms;
    EXPECT_TRUE(is_wrong());
    metrics.newest_record = clock.wall() - 1h;
    EXPECT_EQ(check.behind_journal(), 0s);
}

TEST_F(HostCheckLimits, AClockThatIsSetByMoreThanAMinuteIsAnotherTrouble) {
    metrics.newest_record = clock.wall() + 1h;
    EXPECT_TRUE(is_wrong());
    EXPECT_EQ(log.count("warn clock.wrong"), 1u);
    for (const auto by : {60s, -60s}) {
        clock.shift_wall(by);
        EXPECT_TRUE(is_wrong());
        EXPECT_EQ(log.count("warn clock.wrong"), 1u);
    }
    clock.shift_wall(60s + 1ms);
    EXPECT_TRUE(is_wrong());
    EXPECT_EQ(log.count("warn clock.wrong"), 2u);
    EXPECT_EQ(check.concern("clock")->since.wall(), clock.wall());
    clock.shift_wall(-60s - 1ms);
    EXPECT_TRUE(is_wrong());
    EXPECT_EQ(log.count("warn clock.wrong"), 3u);
}

TEST_F(HostCheckLimits, TheNewestOfFiveSalesCounts) {
    const auto newest = clock.wall() + 3s;
    journal.newest.sales = {sale_of(newest - 2s), sale_of(newest), sale_of(newest - 1s)};
    EXPECT_TRUE(clock.run(check.look_around()));
    EXPECT_EQ(journal.limit, 5u);
    EXPECT_EQ(check.behind_journal(), newest - clock.wall());
    journal.newest.sales = {sale_of(newest - 1s)};
    EXPECT_TRUE(clock.run(check.look_around()));
    EXPECT_EQ(check.behind_journal(), newest - clock.wall()) << "time does not go back";
    journal.is_away = true;
    EXPECT_TRUE(clock.run(check.look_around()));
    EXPECT_EQ(check.behind_journal(), newest - clock.wall());
}

TEST_F(HostCheckLimits, TellsWhetherAllIsWell) {
    EXPECT_TRUE(clock.run(check.look_around()));
    journal.room = DiskRoom{.folder = "/srv", .free_bytes = 0, .needed_bytes = 1};
    EXPECT_FALSE(clock.run(check.look_around()));
    EXPECT_EQ(log.count("warn journal.room_low"), 1u);
    EXPECT_EQ(check.concern("clock"), nullptr);
}

TEST_F(HostCheckLimits, TheJournalIsAskedEveryMinuteAndForItsPaceEveryHour) {
    keep_looking();
    clock.advance(60s - 1ms);
    EXPECT_THAT(journal.asked, IsEmpty());
    clock.advance(1ms);
    EXPECT_THAT(journal.asked, ElementsAre(60'000));
    EXPECT_THAT(journal.asked_pace, ElementsAre(60'000));
    clock.advance(60s);
    EXPECT_THAT(journal.asked, ElementsAre(60'000, 120'000));
    clock.advance(1h);
    EXPECT_THAT(journal.asked_pace, ElementsAre(60'000, 3'660'000));
    clock.advance(1h);
    EXPECT_THAT(journal.asked_pace, ElementsAre(60'000, 3'660'000, 7'260'000));
}

TEST_F(HostCheckLimits, TheMachineIsLookedAtEveryFiveSeconds) {
    keep_looking();
    metrics.newest_record = clock.wall() + 1h;
    clock.advance(5s - 1ms);
    EXPECT_FALSE(log.has("clock.wrong"));
    clock.advance(1ms);
    EXPECT_TRUE(log.has("clock.wrong"));
}

}  // namespace
}  // namespace gateway::test
