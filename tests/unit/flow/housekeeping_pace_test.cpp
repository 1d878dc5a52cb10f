// These tests say to the millisecond when each task of the housekeeping asks the journal, and what it says of the
// answers.
#include "flow/housekeeping.hpp"
#include "unit/support/forwarding_journal.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

// This is a journal that says what the test has prepared, and writes down when it was asked.
class JournalOfChores final : public ForwardingJournal {
  public:
    explicit JournalOfChores(Clock& clock)
        : ForwardingJournal(static_cast<Journal&>(*this)), clock_(clock), began_(clock.now()) {}

    JournalStats state{.encrypts = true};
    bool is_healthy = true;
    bool heals = false;  // by a probe
    bool is_shared = false;
    bool on_duty = true;
    bool cannot_list_marks = false;
    std::deque<Result<void>> probes, forgets;
    std::deque<Result<SalePage>> pages;
    std::deque<Result<Erased>> erasures;
    std::deque<Result<Dated>> datings;
    std::deque<Result<KeyRotationState>> rotations;
    std::vector<SaleFilter> filters;
    std::vector<WallTime> cutoffs;
    std::vector<MarkedSale> marks;

    // Returns when the journal was asked for this, in milliseconds since the beginning.
    std::vector<std::int64_t> times(const std::string& what) { return std::exchange(times_[what], {}); }

    Awaited<void> probe() override {
        if (heals) is_healthy = true;
        return next("probe", probes);
    }
    Awaited<void> forget_old_pages() override { return next("forget", forgets); }
    Awaited<void> check_files() override {
        note("check");
        co_return Result<void>();
    }
    Awaited<SalePage> list(const SaleFilter& filter) override {
        filters.push_back(filter);
        return next("list", pages);
    }
    Awaited<Erased> erase_personal(WallTime cutoff) override {
        cutoffs.push_back(cutoff);
        return next("erase", erasures);
    }
    Awaited<Dated> date_old_sales(const Rules&) override { return next("date", datings); }
    Awaited<KeyRotationState> rotate_keys() override { return next("rotate", rotations); }
    Awaited<std::vector<MarkedSale>> marked() override {
        note("marked");
        if (cannot_list_marks) co_return errc::journal_unavailable;
        co_return marks;
    }
    JournalStats stats() const override { return state; }
    bool healthy() const noexcept override { return is_healthy; }
    bool is_on_duty() const noexcept override { return on_duty; }
    Chain* chain() noexcept override { return is_shared ? this : nullptr; }

  private:
    void note(const std::string& what) {
        times_[what].push_back(std::chrono::duration_cast<Duration>(clock_.now() - began_).count());
    }
    template <class T>
    Awaited<T> next(std::string what, std::deque<Result<T>>& answers) {
        note(what);
        if (answers.empty()) {
            if constexpr (std::is_void_v<T>)
                co_return Result<void>();
            else
                co_return T{};
        }
        auto answer = std::move(answers.front());
        answers.pop_front();
        co_return answer;
    }

    Clock& clock_;
    const Instant began_;
    std::map<std::string, std::vector<std::int64_t>> times_;
};

class HousekeepingPace : public Test {
  protected:
    void start(Duration retention = 90 * 24h) {
        housekeeping.emplace(journal, attention, rules, retention, clock, log);
        housekeeping->start(io.get_executor());
        clock.settle();
    }
    std::vector<std::int64_t> times(const std::string& what) { return journal.times(what); }

    boost::asio::io_context io;
    VirtualClock clock{io};
    MemoryLog log;
    Metrics metrics;
    Rules rules;
    JournalOfChores journal{clock};
    AttentionList attention{journal, clock, log, metrics};
    std::optional<Housekeeping> housekeeping;
};

TEST_F(HousekeepingPace, AHealthyJournalIsLookedAtEveryFiveSecondsAndNeverTried) {
    start();
    clock.advance(15s);
    EXPECT_THAT(times("check"), ElementsAre(5'000, 10'000, 15'000));
    EXPECT_THAT(times("probe"), IsEmpty());
    EXPECT_FALSE(log.has("journal."));
}

TEST_F(HousekeepingPace, AJournalThatCannotBeWrittenIsTriedEverySecondAndSaidEveryMinute) {
    start();
    journal.is_healthy = false;
    journal.probes = {errc::not_found};
    journal.state.failure = errc::timed_out;
    clock.advance(7s);
    EXPECT_THAT(times("probe"), ElementsAre(5'000, 6'000, 7'000));
    EXPECT_EQ(log.count("warn journal.unavailable"), 1u);
    EXPECT_EQ(log.count("debug journal.unavailable"), 2u);
    const auto text_of = [](errc why) { return make_error_code(why).message(); };
    EXPECT_THAT(log.sentences.at(0), HasSubstr(text_of(errc::not_found)));
    EXPECT_THAT(log.sentences.at(1), HasSubstr(text_of(errc::timed_out))) << "the probe was written; a sale was not";
    clock.advance(57s);
    EXPECT_EQ(log.count("warn journal.unavailable"), 1u);
    clock.advance(1s);
    EXPECT_EQ(log.count("warn journal.unavailable"), 2u);
    EXPECT_FALSE(log.has("journal.healed"));
    times("probe");
    journal.is_healthy = true;
    clock.advance(15s);
    EXPECT_EQ(log.count("warn journal.healed"), 1u);
    EXPECT_THAT(times("probe"), IsEmpty()) << "a sale came first";
    times("check");
    journal.is_healthy = false;
    clock.advance(5s);
    EXPECT_THAT(times("check"), ElementsAre(85'000)) << "it is looked at as seldom as before";
    EXPECT_EQ(log.count("warn journal.unavailable"), 3u) << "it is said anew";
}

TEST_F(HousekeepingPace, AWriteThatFailedBetweenTwoLooksIsSaidOnceWithItsReason) {
    start();
    journal.state.failures = 1;
    clock.advance(5s);
    EXPECT_FALSE(log.has("journal.")) << "a database says so itself";
    journal.state.failures = 2;
    journal.state.last_failure = make_error_code(errc::timed_out);
    clock.advance(10s);
    EXPECT_EQ(log.count("warn journal.healed"), 1u);
    EXPECT_THAT(log.sentences.at(0), HasSubstr(journal.state.last_failure.message()));
    journal.is_healthy = false;
    journal.state.failures = 3;
    clock.advance(5s);
    journal.is_healthy = true;
    clock.advance(10s);
    EXPECT_EQ(log.count("warn journal.healed"), 2u) << "an outage is said to be over, and no more";
}

TEST_F(HousekeepingPace, TheFirstWriteThatFailedIsSaidToo) {
    start();
    journal.state.failures = 1;
    journal.state.last_failure = make_error_code(errc::timed_out);
    clock.advance(5s);
    EXPECT_EQ(log.count("warn journal.healed"), 1u);
}

TEST_F(HousekeepingPace, AProbeThatIsWrittenHealsTheJournal) {
    start();
    journal.is_healthy = false;
    journal.heals = true;
    clock.advance(5s);
    EXPECT_EQ(log.count("warn journal.healed"), 1u);
    EXPECT_FALSE(log.has("journal.unavailable"));
}

// Nobody has sold since the write that failed, so no line has said why.
TEST_F(HousekeepingPace, AProbeThatHealsTheJournalAtOnceSaysWhyAWriteFailed) {
    start();
    journal.is_healthy = false;
    journal.heals = true;
    journal.state.failures = 1;
    journal.state.last_failure = make_error_code(errc::timed_out);
    clock.advance(10s);
    EXPECT_EQ(log.count("warn journal.healed"), 1u);
    EXPECT_THAT(log.sentences.at(0), HasSubstr(journal.state.last_failure.message()));
}

// The next write may have met another page.
TEST_F(HousekeepingPace, AWriteThatMetADamagedPageIsNotSaidToBePossibleAgain) {
    start();
    journal.state.damaged = true;
    journal.state.failures = 1;
    journal.state.last_failure = make_error_code(errc::timed_out);
    clock.advance(10s);
    EXPECT_EQ(log.count("error journal.damaged"), 1u);
    EXPECT_FALSE(log.has("journal.healed"));
}

TEST_F(HousekeepingPace, ADamagedJournalIsSaidOnceAndNeverCalledHealed) {
    start();
    journal.is_healthy = false;
    journal.state.damaged = true;
    clock.advance(10s);
    journal.is_healthy = true;
    clock.advance(10s);
    EXPECT_EQ(log.count("error journal.damaged"), 1u);
    EXPECT_FALSE(log.has("journal.healed"));
}

TEST_F(HousekeepingPace, ValuesThatCannotBeReadAreSaidOnceTheirSalesAreListed) {
    start();
    journal.state.unreadable = 2;
    journal.cannot_list_marks = true;
    clock.advance(10s);
    EXPECT_FALSE(log.has("journal.unreadable"));
    journal.cannot_list_marks = false;
    clock.advance(30s);
    EXPECT_EQ(log.count("error journal.unreadable values=2 "), 1u);
    EXPECT_EQ(log.count("journal.unreadable"), 1u);
    journal.state.unreadable = 3;
    clock.advance(5s);
    EXPECT_EQ(log.count("error journal.unreadable values=3 "), 1u);
}

TEST_F(HousekeepingPace, AllSalesAreReadPageByPage) {
    SalePage first;
    first.next = SaleId(Ulid::first_at(WallTime{}));
    journal.pages = {first, errc::journal_unavailable, SalePage{}};
    start();
    clock.advance(99ms);
    EXPECT_THAT(times("list"), ElementsAre(0));
    clock.advance(1min);
    EXPECT_THAT(times("list"), ElementsAre(100, 5'100));
    ASSERT_EQ(journal.filters.size(), 3u);
    for (const auto& filter : journal.filters)
        EXPECT_EQ(filter.limit, 200u);
    EXPECT_FALSE(journal.filters[0].after.has_value());
    EXPECT_TRUE(journal.filters[1].after.has_value());
    EXPECT_TRUE(journal.filters[2].after.has_value()) << "the page that failed is read again";
}

TEST_F(HousekeepingPace, WhatTheReadingOfAllSalesFindsIsSaidAtOnce) {
    journal.state.unreadable = 1;
    journal.cannot_list_marks = true;
    SalePage first;
    first.next = SaleId(Ulid::first_at(WallTime{}));
    journal.pages = {first};
    start();
    journal.cannot_list_marks = false;
    clock.advance(100ms);
    EXPECT_EQ(log.count("journal.unreadable"), 1u);
}

TEST_F(HousekeepingPace, WaitsAreSaidOnceAMinuteWithTheirNumber) {
    start();
    journal.state.long_waits = 3;
    journal.state.long_for = errc::timed_out;
    clock.advance(5s);
    EXPECT_EQ(log.count("warn journal.waited times=3 "), 1u);
    journal.state.long_waits = 5;
    clock.advance(59s);
    EXPECT_EQ(log.count("journal.waited"), 1u);
    clock.advance(1s);
    EXPECT_EQ(log.count("warn journal.waited times=2 "), 1u);
    clock.advance(10min);
    EXPECT_EQ(log.count("journal.waited"), 2u);
}

TEST_F(HousekeepingPace, ALogThatGrowsIsSaidWheneverItHasDoubledAndWhenItIsOver) {
    start();
    const auto grows_to = [&](std::int64_t bytes) {
        log.lines.clear();
        journal.state.kept_log_bytes = bytes;
        clock.advance(5s);
        return log.lines.empty() ? "" : log.lines.at(0).substr(0, log.lines.at(0).find(" detail"));
    };
    EXPECT_EQ(grows_to(0), "");
    EXPECT_EQ(grows_to(100), "warn journal.log_grows bytes=100");
    EXPECT_EQ(grows_to(199), "");
    EXPECT_EQ(grows_to(200), "warn journal.log_grows bytes=200");
    EXPECT_EQ(grows_to(0), "warn journal.log_begins_anew");
    EXPECT_EQ(grows_to(0), "");
    EXPECT_EQ(grows_to(1), "warn journal.log_grows bytes=1");
    EXPECT_EQ(grows_to(0), "warn journal.log_begins_anew");
}

TEST_F(HousekeepingPace, AFileThatWasMovedIsSaidOnceWithWhatIsInDanger) {
    start();
    const auto said_of = [&](std::optional<std::string_view> ending) {
        log.sentences.clear();
        journal.state.moved_file = ending;
        clock.advance(5s);
        return log.sentences.empty() ? std::string() : log.sentences.at(0);
    };
    EXPECT_THAT(said_of("-wal"),
                AllOf(HasSubstr("the journal's -wal file was removed"), HasSubstr("loses its newest sales")));
    EXPECT_EQ(said_of("-wal"), "");
    EXPECT_EQ(said_of(std::nullopt), "");
    EXPECT_THAT(said_of(".lock"), HasSubstr("Another one may have been started"));
    said_of(std::nullopt);
    EXPECT_THAT(said_of("-shm"), EndsWith("and start it again"));
    said_of(std::nullopt);
    EXPECT_THAT(said_of(""), HasSubstr("the file of the journal was removed"));
}

TEST_F(HousekeepingPace, ErasuresComeEveryHourAndSoonerWhileThereIsMore) {
    journal.erasures = {Erased{.sales = 2, .more = true}, Erased{.sales = 0, .more = true}, errc::journal_unavailable,
                        Erased{.sales = 1}};
    start();
    clock.advance(1h - 1ms);
    EXPECT_THAT(times("erase"), IsEmpty());
    clock.advance(3h);
    EXPECT_THAT(times("erase"), ElementsAre(3'600'000, 3'600'100, 3'600'200, 7'200'200, 10'800'200));
    EXPECT_EQ(log.count("info retention.erased sales=2"), 1u);
    EXPECT_EQ(log.count("info retention.erased sales=1"), 1u);
    EXPECT_EQ(log.count("retention.erased"), 2u);
}

TEST_F(HousekeepingPace, AShortRetentionIsAlsoThePauseBetweenErasures) {
    start(10min);
    clock.advance(25min);
    EXPECT_THAT(times("erase"), ElementsAre(600'000, 1'200'000));
}

TEST_F(HousekeepingPace, NothingOfThisRunIsErasedBeforeItIsOldByTheSteadyClock) {
    const auto began = clock.wall();
    start(90min);
    clock.shift_wall(24h);
    clock.advance(1h);
    clock.shift_wall(-24h);
    clock.advance(1h);
    ASSERT_EQ(journal.cutoffs.size(), 2u);
    EXPECT_EQ(journal.cutoffs[0], began) << "though the wall clock says that it is old";
    EXPECT_EQ(journal.cutoffs[1], clock.wall() - 90min);
}

TEST_F(HousekeepingPace, AtTheEndOfTheRetentionTheWallClockIsBelieved) {
    start(1h);
    clock.shift_wall(24h);
    clock.advance(1h);
    ASSERT_EQ(journal.cutoffs.size(), 1u);
    EXPECT_EQ(journal.cutoffs[0], clock.wall() - 1h);
}

TEST_F(HousekeepingPace, WithoutAKeyNothingIsEncrypted) {
    journal.state.encrypts = false;
    start();
    clock.advance(1h);
    EXPECT_EQ(log.count("warn journal.unsealed"), 1u);
    EXPECT_THAT(times("rotate"), IsEmpty());
}

TEST_F(HousekeepingPace, WhatIsEncryptedAnewIsForgottenInClearAndThenSaid) {
    journal.rotations = {KeyRotationState::in_progress, errc::journal_unavailable, KeyRotationState::finished};
    journal.forgets = {errc::journal_unavailable};
    start();
    clock.advance(2s);
    EXPECT_THAT(times("rotate"), ElementsAre(0, 100, 1'100));
    EXPECT_THAT(times("forget"), ElementsAre(1'100));
    EXPECT_FALSE(log.has("journal.resealed"));
    clock.advance(1h);
    EXPECT_THAT(times("forget"), ElementsAre(2'100));
    EXPECT_THAT(times("rotate"), IsEmpty());
    EXPECT_EQ(log.count("info journal.resealed"), 1u);
}

TEST_F(HousekeepingPace, WhereEverythingIsEncryptedNothingIsSaid) {
    journal.rotations = {KeyRotationState::nothing_to_do};
    start();
    clock.advance(1h);
    EXPECT_THAT(times("forget"), IsEmpty());
    EXPECT_FALSE(log.has("journal.resealed"));
}

TEST_F(HousekeepingPace, OldSalesGetTheirDaysStepByStep) {
    journal.datings = {Dated{.sales = 2, .more = true}, errc::journal_unavailable, Dated{.sales = 3}};
    start();
    clock.advance(1'099ms);
    EXPECT_FALSE(log.has("journal.dated"));
    clock.advance(1ms);
    EXPECT_TRUE(log.has("journal.dated"));
    clock.advance(1h);
    EXPECT_THAT(times("date"), ElementsAre(0, 100, 1'100));
    EXPECT_EQ(log.count("info journal.dated sales=5"), 1u);
}

TEST_F(HousekeepingPace, RemindersComeEveryHourFromTheGatewayOnDuty) {
    journal.marks = {{.id = "01JD3W4Q8Y0000000000000001", .attention = Attention::restored}};
    start();
    ASSERT_TRUE(clock.run(attention.look()).has_value());
    journal.on_duty = false;
    clock.advance(1h);
    EXPECT_EQ(log.count("warn sale.attention"), 0u);
    journal.on_duty = true;
    clock.advance(1h - 1ms);
    EXPECT_EQ(log.count("warn sale.attention"), 0u);
    times("marked");
    clock.advance(1ms);
    EXPECT_EQ(log.count("warn sale.attention"), 1u);
    EXPECT_THAT(times("marked"), IsEmpty()) << "no other gateway marks anything";
}

TEST_F(HousekeepingPace, AReminderKnowsWhatTheOthersHaveMarked) {
    journal.is_shared = true;
    start();
    clock.advance(1h - 1ms);
    times("marked");
    journal.marks = {{.id = "01JD3W4Q8Y0000000000000001", .attention = Attention::restored}};
    clock.advance(1ms);
    EXPECT_THAT(times("marked"), Not(IsEmpty()));
    EXPECT_EQ(log.count("warn sale.attention"), 1u);
}

}  // namespace
}  // namespace gateway::test
