#include "books/day_books.hpp"

#include "journal/sqlite/backup.hpp"
#include "journal/sqlite/database.hpp"
#include "unit/books/rig.hpp"
#include "unit/support/sqlite_sleep.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ending = DoubtfulJournal::Ending;

class DayBooksTest : public testing::Test {
  protected:
    boost::json::object kept(const Close& close) { return boost::json::parse(close.totals.value()).as_object(); }
    std::int64_t sales_in(const Close& close) { return kept(close).at("sales").as_int64(); }
    sqlite::Database another() { return *sqlite::Database::open(rig.folder.path("journal.db"), nullptr); }
    void start() {
        rig.books->start(rig.io->get_executor());
        rig.clock->settle();
    }
    std::optional<DayBooks::Due> next_due() { return rig.clock->run(rig.books->next_due(rig.establishments)).value(); }
    // Builds the books again, with days that are closed by themselves.
    void start_closing_at(std::chrono::minutes at) {
        rig.options.at = at;
        rig.crash();
        start();
    }

    const SqliteSleep sleep;
    BooksRig rig;
};

TEST_F(DayBooksTest, TotalsAreOfTheDaysAskedForAndOfWhatIsOpenNow) {
    rig.sold("2024-05-01");
    rig.sold("2024-05-02", Cents{100});
    auto refused = rig.begun();
    rig.end(refused, "2024-05-02", Status::NEGADA);
    rig.begun("caixa-02");
    auto held = rig.begun("caixa-02", "12345678", Cents{70}, ConfirmMode::manual);
    rig.become(held, Status::AUTORIZADA, AttemptState::held);
    const auto today = rig.totals({.from = rig.day("2024-05-02"), .to = rig.day("2024-05-02")}, {TotalsBy::terminal});
    EXPECT_EQ(today.totals.total().sold, (CountAndTotal{1, Cents{100}}));
    EXPECT_EQ(today.totals.total().refused, (CountAndTotal{1, Cents{2500}}));
    EXPECT_EQ(today.totals.total().open, (CountAndTotal{1, Cents{2500}}));
    EXPECT_EQ(today.totals.total().held, (CountAndTotal{1, Cents{70}}));
    EXPECT_EQ(today.totals.groups().at({"caixa-02"}).held.count, 1);
    EXPECT_EQ(today.open.size(), 2u);
    const auto before = rig.totals({.from = rig.day("2024-05-01"), .to = rig.day("2024-05-01")});
    EXPECT_EQ(before.totals.total().sold.count, 1);
    EXPECT_THAT(before.open, IsEmpty()) << "it was begun on another day";
    rig.clock->shift_wall(48h);
    const auto of_its_day = rig.totals({.from = rig.day("2024-05-02"), .to = rig.day("2024-05-02")});
    EXPECT_EQ(of_its_day.open.size(), 2u) << "the day on which it was begun goes on to name it";
    const auto now = rig.totals({.from = rig.day("2024-05-04"), .to = rig.day("2024-05-04")});
    EXPECT_EQ(now.open.size(), 2u) << "and so does today, whichever that is";
}

TEST_F(DayBooksTest, TotalsAreOfOneEstablishmentAndOfTheFamiliesAskedFor) {
    rig.sold("2024-05-02");
    rig.sold("2024-05-02", Cents{100}, "87654321");
    rig.begun("caixa-01", "87654321");
    const DayFilter other{
        .from = rig.day("2024-05-02"), .to = rig.day("2024-05-02"), .estabelecimento = std::string("87654321")};
    EXPECT_EQ(rig.totals(other).totals.total().sold, (CountAndTotal{1, Cents{100}}));
    EXPECT_EQ(rig.totals(other).open.size(), 1u);
    auto among = other;
    among.among = {.families = {Family::esim}, .or_terminal = "caixa-09"};
    EXPECT_EQ(rig.totals(among).totals.total(), Totals());
    among.among->or_terminal = "caixa-01";
    EXPECT_EQ(rig.totals(among).totals.total().open.count, 1);
}

TEST_F(DayBooksTest, ACloseHasItsSalesAndIsNamedInTheLog) {
    const auto first = rig.sold("2024-05-02");
    rig.sold("2024-05-02", Cents{100});
    rig.begun();
    const auto made = rig.try_to_close("2024-05-02").value();
    EXPECT_TRUE(made.made);
    EXPECT_EQ(name_of(made.close), "1");
    EXPECT_EQ(made.close.made_by, "maria");
    EXPECT_EQ(sales_in(made.close), 2);
    EXPECT_EQ(kept(made.close).at("first").as_string(), "2024-05-02T13:00:00.001Z");
    EXPECT_TRUE(kept(made.close).at("previous").is_null());
    EXPECT_EQ(made.close.digest->size(), 64u);
    EXPECT_EQ(rig.log.count("info close.made close=1 estabelecimento=12345678 day=2024-05-02 by=maria valor=2600 "
                            "sales=2 late=0 openSales=1"),
              1u);
}

TEST_F(DayBooksTest, ASecondCloseOfADayIsTheFirstOne) {
    rig.sold("2024-05-02");
    const auto first = rig.close("2024-05-02");
    rig.sold("2024-05-02");
    const auto second = rig.try_to_close("2024-05-02", "12345678", "joana").value();
    EXPECT_FALSE(second.made);
    EXPECT_EQ(second.close.number, 1);
    EXPECT_EQ(second.close.made_by, "maria");
    EXPECT_EQ(second.close.digest, first.digest);
    EXPECT_EQ(rig.log.count("close.made"), 1u);
}

TEST_F(DayBooksTest, ADayThatNobodySoldOnIsClosedToo) {
    const auto close = rig.close("2024-05-02");
    EXPECT_EQ(sales_in(close), 0);
    EXPECT_TRUE(kept(close).at("first").is_null());
    EXPECT_EQ(close.digest, CloseDigest("").finish());
}

TEST_F(DayBooksTest, WhatComesTooLateIsNamedInTheNextClose) {
    auto pending = rig.begun();
    rig.close("2024-05-02");
    rig.end(pending, "2024-05-02");
    rig.clock->shift_wall(24h);
    rig.sold("2024-05-03");
    const auto next = rig.close("2024-05-03");
    EXPECT_EQ(sales_in(next), 2);
    EXPECT_EQ(kept(next).at("late").as_int64(), 1);
    const auto late = kept(next).at("lateSales").as_array();
    ASSERT_EQ(late.size(), 1u);
    EXPECT_EQ(late[0].at("id").as_string(), pending.id.text());
    EXPECT_EQ(late[0].at("day").as_string(), "2024-05-02");
    EXPECT_EQ(kept(next).at("first").as_string(), "2024-05-03T13:00:00.002Z") << "the late one is not of this day";
}

TEST_F(DayBooksTest, EveryEstablishmentHasNumbersAndAChainOfItsOwn) {
    rig.sold("2024-05-01");
    rig.sold("2024-05-01", Cents{100}, "87654321");
    const auto one = rig.close("2024-05-01");
    const auto other = rig.close("2024-05-01", "87654321");
    EXPECT_EQ(other.number, 1);
    EXPECT_NE(one.digest, other.digest);
    const auto next = rig.close("2024-05-02");
    EXPECT_EQ(next.number, 2);
    EXPECT_EQ(kept(next).at("previous").as_string(), *one.digest);
    EXPECT_EQ(next.digest, CloseDigest(*one.digest).finish());
}

TEST_F(DayBooksTest, TwoClosesAtOnceMakeOne) {
    rig.sold("2024-05-02");
    const CloseKey key{.estabelecimento = "12345678", .day = rig.day("2024-05-02")};
    std::vector<bool> made;
    const auto ask = [&]() -> boost::asio::awaitable<void> {
        const auto closing = co_await rig.books->close(key, "maria");
        made.push_back(closing.value().made);
    };
    for (int i = 0; i < 3; ++i)
        boost::asio::co_spawn(*rig.io, ask(), boost::asio::detached);
    rig.clock->settle();
    EXPECT_THAT(made, ElementsAre(true, false, false));
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-02"));
}

TEST_F(DayBooksTest, ASaleThatEndsBetweenTheTwoStepsIsInTheNextCloseOnly) {
    for (int i = 0; i < 1200; ++i)  // this is more than a page
        rig.sold("2024-05-02");
    auto pending = rig.begun();
    const CloseKey key{.estabelecimento = "12345678", .day = rig.day("2024-05-02")};
    ASSERT_TRUE(rig.clock->run(rig.journal->begin_close(key, rig.clock->wall(), "maria")).has_value());
    rig.end(pending, "2024-05-02");
    EXPECT_EQ(sales_in(rig.close("2024-05-02")), 1200);
    EXPECT_EQ(kept(rig.close("2024-05-03")).at("late").as_int64(), 1);
}

TEST_F(DayBooksTest, WhatTheJournalDoesNotSayIsAskedUntilItDoes) {
    rig.sold("2024-05-02");
    rig.doubtful->endings = {Ending::not_done_and_unknown, Ending::done_but_unknown, Ending::done,
                             Ending::done_but_unknown, Ending::not_done_and_unknown};
    const auto made = rig.try_to_close("2024-05-02").value();
    EXPECT_TRUE(made.made);
    EXPECT_EQ(made.close.number, 1);
    EXPECT_EQ(sales_in(made.close), 1);
    EXPECT_EQ(rig.doubtful->writes, 6);
    EXPECT_EQ(rig.log.count("close.made"), 1u);
}

TEST_F(DayBooksTest, WhatItNeverSaysIsNotKnownAndAskingAgainTells) {
    rig.sold("2024-05-02");
    rig.doubtful->endings.assign(30, Ending::done_but_unknown);
    const auto lost = rig.try_to_close("2024-05-02");
    ASSERT_TRUE(lost.has_error());
    EXPECT_EQ(lost.error(), errc::commit_unknown);
    const auto again = rig.try_to_close("2024-05-02").value();
    EXPECT_EQ(again.close.number, 1);
    EXPECT_EQ(sales_in(again.close), 1);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-02"));
}

TEST_F(DayBooksTest, AStartFinishesWhatAKillLeftUnfinished) {
    rig.sold("2024-05-01");
    const auto first = rig.close("2024-05-01");
    const auto sale = rig.sold("2024-05-02");
    const CloseKey key{.estabelecimento = "12345678", .day = rig.day("2024-05-02")};
    ASSERT_TRUE(rig.clock->run(rig.journal->begin_close(key, rig.clock->wall(), "maria")).has_value());
    rig.sold("2024-05-02");  // this sale is late
    rig.crash();
    start();
    const auto closes = rig.clock->run(rig.journal->closes({})).value();
    ASSERT_EQ(closes.size(), 2u);
    EXPECT_EQ(sales_in(closes[0]), 1);
    CloseDigest expected(*first.digest);
    expected.add(sale.id, sale.valor, Status::EFETIVADA);
    EXPECT_EQ(closes[0].digest, expected.finish());
    EXPECT_EQ(rig.log.count("close.made close=2"), 1u);
}

TEST_F(DayBooksTest, WhatIsUnfinishedIsFinishedByTheNextWhoAsksTheOldestFirst) {
    rig.sold("2024-05-01");
    for (const auto* on : {"2024-05-01", "2024-05-02"}) {
        const CloseKey key{.estabelecimento = "12345678", .day = rig.day(on)};
        ASSERT_TRUE(rig.clock->run(rig.journal->begin_close(key, rig.clock->wall(), "")).has_value());
    }
    const auto closes = rig.clock->run(rig.books->closes({.limit = 1})).value();
    ASSERT_EQ(closes.size(), 1u);
    EXPECT_EQ(closes[0].number, 2);
    const auto all = rig.clock->run(rig.books->closes({})).value();
    EXPECT_EQ(kept(all[0]).at("previous").as_string(), *all[1].digest);
    EXPECT_EQ(rig.log.count("close.made"), 2u);
}

TEST_F(DayBooksTest, ARestoredCopyGoesOnInASeriesOfItsOwn) {
    rig.sold("2024-05-01");
    const auto first = rig.close("2024-05-01");
    const auto copy = rig.folder.path("copy.db");
    ASSERT_TRUE(back_up(rig.folder.path("journal.db"), copy).has_value());
    rig.close("2024-05-02");
    rig.journal.reset();
    ASSERT_TRUE(restore(copy, rig.folder.path("journal.db"), rig.clock->wall()).has_value());
    rig.crash();
    const auto again = rig.close("2024-05-02");
    EXPECT_EQ(name_of(again), "2/2");
    EXPECT_EQ(name_of(again, '-'), "2-2");
    EXPECT_EQ(kept(again).at("previous").as_string(), *first.digest);
}

TEST_F(DayBooksTest, AJournalThatCannotBeWrittenClosesNothing) {
    rig.sold("2024-05-02");
    auto other = another();
    ASSERT_TRUE(other.run("BEGIN IMMEDIATE").has_value());
    const auto refused = rig.try_to_close("2024-05-02");
    ASSERT_TRUE(refused.has_error());
    ASSERT_TRUE(other.run("ROLLBACK").has_value());
    EXPECT_THAT(rig.closed(), IsEmpty());
    EXPECT_TRUE(rig.try_to_close("2024-05-02").value().made);
}

TEST_F(DayBooksTest, ACloseThatCannotBeReadIsNotMadeAgainAndTheChainBeginsAnew) {
    rig.close("2024-05-01");
    ASSERT_TRUE(another().run("UPDATE closes SET made_at = 'x'").has_value());
    const auto damaged = rig.try_to_close("2024-05-01");
    ASSERT_TRUE(damaged.has_error());
    EXPECT_EQ(damaged.error(), errc::close_unreadable);
    const auto next = rig.close("2024-05-02");
    EXPECT_EQ(next.number, 2);
    EXPECT_TRUE(kept(next).at("previous").is_null());
}

TEST_F(DayBooksTest, AnEstablishmentIsKnownFromTheConfigurationOrFromTheJournal) {
    const auto knows = [&](const std::string& one) { return rig.clock->run(rig.books->knows(one)).value(); };
    EXPECT_TRUE(knows("12345678"));
    EXPECT_FALSE(knows("87654321"));
    rig.begun("caixa-01", "87654321");
    EXPECT_TRUE(knows("87654321"));
    rig.close("2024-05-02", "99999999");
    EXPECT_TRUE(knows("99999999"));
}

TEST_F(DayBooksTest, DaysAreClosedByThemselvesInTheEvening) {
    rig.establishments = {"12345678", "87654321"};
    rig.sold("2024-05-02");
    start_closing_at(23h + 30min);
    rig.clock->advance(13h + 25min);  // it is 10:00 in São Paulo, then 23:25
    EXPECT_THAT(rig.closed(), IsEmpty());
    rig.clock->advance(10min);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-02")) << "the other one has never sold";
    EXPECT_EQ(rig.log.count("info close.made close=1 estabelecimento=12345678 day=2024-05-02 valor=2500"), 1u);
    rig.clock->advance(24h);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-03", "12345678 2024-05-02"));
    rig.sold("2024-05-04", Cents{1}, "87654321");
    rig.clock->advance(24h);
    EXPECT_THAT(rig.closed(), ElementsAre("87654321 2024-05-04", "12345678 2024-05-04", "12345678 2024-05-03",
                                          "12345678 2024-05-02"));
}

TEST_F(DayBooksTest, ATimeBeforeNoonClosesTheDayBefore) {
    rig.sold("2024-05-02");
    start_closing_at(4h);
    rig.clock->advance(17h);  // it is 03:00
    EXPECT_THAT(rig.closed(), IsEmpty());
    rig.clock->advance(1h + 1min);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-02"));
}

TEST_F(DayBooksTest, NobodyNeedCloseADayThatIsNotLongDue) {
    EXPECT_EQ(rig.books->first_open_day(), rig.day("2024-05-02"));
    EXPECT_FALSE(next_due());
    start_closing_at(6h);
    rig.clock->shift_wall(next_due().value().at - rig.clock->wall() - 1min);
    EXPECT_EQ(to_text(rig.books->today()), "2024-05-03") << "it is the morning after";
    EXPECT_EQ(next_due().value().day, rig.day("2024-05-02"));
    EXPECT_EQ(rig.books->first_open_day(), rig.day("2024-05-02"));
    rig.clock->shift_wall(2min);
    EXPECT_EQ(next_due().value().day, rig.day("2024-05-03"));
    EXPECT_EQ(rig.books->first_open_day(), rig.day("2024-05-02")) << "it is being closed by itself";
    rig.clock->shift_wall(10min);
    EXPECT_EQ(rig.books->first_open_day(), rig.day("2024-05-03"));
    start_closing_at(22h);
    rig.clock->shift_wall(next_due().value().at - rig.clock->wall() + 20min);
    EXPECT_EQ(rig.books->first_open_day(), rig.books->today()) << "today is never forgotten";
}

TEST_F(DayBooksTest, YesterdayIsNotSaidToBeUnclosedBeforeItIsDue) {
    const auto unclosed = [&] { return rig.clock->run(rig.books->unclosed_yesterday()).value(); };
    rig.sold("2024-05-02", Cents{2500});
    rig.sold("2024-05-02", Cents{1});
    auto refused = rig.begun();
    rig.end(refused, "2024-05-02", Status::NEGADA);
    start_closing_at(6h);
    rig.clock->shift_wall(next_due().value().at - rig.clock->wall() - 1min);
    EXPECT_THAT(unclosed(), IsEmpty()) << "it is closed by itself in a minute";
    rig.clock->shift_wall(20min);
    ASSERT_EQ(unclosed().size(), 1u) << "and was not";
    EXPECT_EQ(unclosed().front().day, rig.day("2024-05-02"));
    EXPECT_EQ(unclosed().front().sold.count, 2);
    EXPECT_EQ(unclosed().front().sold.total, Cents{2501});
    rig.close("2024-05-02");
    EXPECT_THAT(unclosed(), IsEmpty());
    rig.clock->shift_wall(24h);
    EXPECT_THAT(unclosed(), IsEmpty()) << "nothing was sold on that day";
}

TEST_F(DayBooksTest, TheLateSalesOfADayBeforeAreYesterdaysToClose) {
    const auto unclosed = [&] { return rig.clock->run(rig.books->unclosed_yesterday()).value(); };
    auto pending = rig.begun();
    auto refused = rig.begun();
    rig.close("2024-05-02");
    rig.end(pending, "2024-05-02");
    rig.end(refused, "2024-05-02", Status::NEGADA);
    rig.clock->shift_wall(24h);
    EXPECT_THAT(unclosed(), IsEmpty()) << "today's close has them";
    rig.clock->shift_wall(24h);
    ASSERT_EQ(unclosed().size(), 1U) << "nothing was sold on the third";
    EXPECT_EQ(unclosed().front().day, rig.day("2024-05-03"));
    EXPECT_EQ(unclosed().front().sold, (CountAndTotal{1, Cents{2500}}));
    rig.close("2024-05-03");
    EXPECT_THAT(unclosed(), IsEmpty());
}

TEST_F(DayBooksTest, WhatIsMadeUpForAfterAStartIsSaidToBe) {
    const auto unclosed = [&] { return rig.clock->run(rig.books->unclosed_yesterday()).value(); };
    rig.establishments = {"12345678", "87654321"};
    rig.close("2024-05-01");
    rig.sold("2024-05-02");
    rig.sold("2024-05-02", Cents{100}, "87654321");
    rig.close("2024-05-03", "87654321");
    rig.clock->shift_wall(24h);  // it is the morning of the third
    start_closing_at(23h + 30min);
    const auto at = rig.clock->wall() + 5min;
    ASSERT_EQ(unclosed().size(), 2U);
    EXPECT_EQ(unclosed()[0].closes_at, at);
    EXPECT_FALSE(unclosed()[1].closes_at) << "no day before a close is closed by itself";
    EXPECT_EQ(rig.log.count("info close.waits estabelecimento=12345678 day=2024-05-02 nextAt="), 1U);
    EXPECT_EQ(rig.log.count("close.waits"), 1U);
    rig.clock->advance(6min);
    ASSERT_EQ(unclosed().size(), 1U);
    EXPECT_FALSE(unclosed()[0].closes_at);
    start_closing_at(23h + 30min);
    EXPECT_EQ(rig.log.count("close.waits"), 1U) << "nothing is left to make up for";
}

TEST_F(DayBooksTest, WhatWasMissedIsMadeUpForSomeMinutesAfterTheNextStart) {
    rig.close("2024-05-01");
    rig.clock->shift_wall(72h);  // it is the fifth
    rig.sold("2024-05-05");
    start_closing_at(23h + 30min);
    rig.clock->advance(4min);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-01")) << "the clock may yet be set right";
    rig.clock->advance(2min);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-04", "12345678 2024-05-03", "12345678 2024-05-02",
                                          "12345678 2024-05-01"));
    rig.clock->shift_wall(400 * 24h);
    rig.sold("2025-06-09");
    rig.crash();
    start();
    rig.clock->advance(6min);
    EXPECT_EQ(rig.closed().size(), 35u) << "a month at most";
}

TEST_F(DayBooksTest, AClockThatIsAheadClosesNoDayThatNobodySoldOnTheDayBefore) {
    rig.sold("2024-05-02");
    rig.close("2024-05-01");
    rig.clock->shift_wall(400 * 24h);
    start_closing_at(23h + 30min);
    rig.clock->advance(10min);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-03", "12345678 2024-05-02", "12345678 2024-05-01"));
}

TEST_F(DayBooksTest, AClockThatIsSetWhileItRunsClosesNothingUntilItIsSetBack) {
    rig.sold("2024-05-02");
    rig.close("2024-05-01");
    start_closing_at(23h + 30min);
    rig.clock->advance(10min);
    rig.clock->shift_wall(400 * 24h);
    rig.sold("2025-06-06");
    rig.clock->advance(48h);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-01"));
    EXPECT_EQ(rig.log.count("warn close.clock_set"), 1u);
    rig.clock->shift_wall(-400 * 24h - 2h);
    rig.clock->advance(2min);
    const auto closed = rig.closed();
    EXPECT_THAT(closed, ElementsAre("12345678 2024-05-03", "12345678 2024-05-02", "12345678 2024-05-01"));
    rig.clock->shift_wall(-23h);
    rig.clock->advance(12h);
    EXPECT_EQ(rig.closed(), closed) << "none before the last one";
}

TEST_F(DayBooksTest, ADayThatAPersonClosedAlreadyIsNotTheNextToBeClosedByItself) {
    rig.sold("2024-05-02");
    start_closing_at(23h + 30min);
    EXPECT_EQ(next_due().value().day, rig.day("2024-05-02"));
    rig.close("2024-05-02");
    EXPECT_EQ(next_due().value().day, rig.day("2024-05-03"));
    rig.establishments.emplace_back("87654321");
    EXPECT_EQ(next_due().value().day, rig.day("2024-05-02")) << "the other one did not close it";
}

TEST_F(DayBooksTest, ADayBeforeACloseThatAClockMadeTooEarlyIsNotSaidToBeClosedByItself) {
    rig.sold("2024-05-02");
    rig.clock->shift_wall(72h);
    rig.close("2024-05-05");
    rig.clock->shift_wall(-72h);
    start_closing_at(23h + 30min);
    const auto next = next_due().value();
    EXPECT_EQ(next.day, rig.day("2024-05-06"));
    rig.clock->advance(72h);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-05"));
    rig.sold("2024-05-05");
    rig.clock->advance(next.at - rig.clock->wall() + 1min);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-06", "12345678 2024-05-05"));
}

TEST_F(DayBooksTest, WhileTheClockIsNotBelievedNoDayIsSaidToBeClosedByItself) {
    rig.sold("2024-05-02");
    start_closing_at(23h + 30min);
    rig.clock->advance(10min);
    EXPECT_TRUE(next_due());
    EXPECT_FALSE(rig.books->clock_set_by());
    rig.clock->shift_wall(400 * 24h);
    EXPECT_EQ(rig.books->clock_set_by(), Duration(400 * 24h)) << "at once";
    rig.clock->advance(1min);
    EXPECT_FALSE(next_due());
    rig.clock->shift_wall(-400 * 24h);
    rig.clock->advance(1min);
    EXPECT_TRUE(next_due());
    rig.clock->shift_wall(-48h);
    EXPECT_EQ(rig.books->clock_set_by(), Duration(-48h));
}

TEST_F(DayBooksTest, KnowsTheFirstDayOfWhichItHasASale) {
    const auto first = [&](const std::string& estabelecimento) {
        return rig.clock->run(rig.books->first_day(estabelecimento)).value();
    };
    EXPECT_FALSE(first("12345678"));
    rig.begun();
    EXPECT_EQ(first("12345678"), rig.day("2024-05-02"));
    rig.sold("2019-03-01");
    rig.sold("2019-03-02");
    rig.sold("2024-05-01");
    EXPECT_EQ(first("12345678"), rig.day("2019-03-01"));
    EXPECT_FALSE(first("87654321"));
    ASSERT_TRUE(another().run("UPDATE sales SET status = 'EFETIVADO' WHERE day = '2019-03-01'").has_value());
    EXPECT_LE(first("12345678"), rig.day("2019-03-01")) << "a sale that cannot be read may be of any day";
}

TEST_F(DayBooksTest, ADayThatAPersonClosedIsNotClosedAgain) {
    start_closing_at(23h + 30min);
    rig.close("2024-05-02");
    rig.clock->advance(20h);
    EXPECT_EQ(rig.log.count("close.made"), 1u);
}

TEST_F(DayBooksTest, ADayThatCouldNotBeClosedIsTriedAgainEveryMinute) {
    rig.sold("2024-05-02");
    start_closing_at(23h + 30min);
    rig.clock->advance(13h + 29min);
    auto other = another();
    ASSERT_TRUE(other.run("BEGIN IMMEDIATE").has_value());
    rig.clock->advance(3min);
    EXPECT_THAT(rig.closed(), IsEmpty());
    ASSERT_TRUE(other.run("ROLLBACK").has_value());
    rig.clock->advance(1min);
    EXPECT_THAT(rig.closed(), ElementsAre("12345678 2024-05-02"));
}

TEST_F(DayBooksTest, NothingIsClosedByItselfUnlessThatIsWanted) {
    rig.sold("2024-05-02");
    start();
    rig.clock->advance(72h);
    EXPECT_THAT(rig.closed(), IsEmpty());
}

TEST_F(DayBooksTest, KnowsHowOldTheLastCloseIsAcrossAStart) {
    const auto at = rig.clock->wall();
    rig.close("2024-05-02");
    rig.clock->advance(1h);
    rig.close("2024-05-01");
    rig.crash();
    EXPECT_TRUE(rig.books->last_made().empty());
    start();
    ASSERT_EQ(rig.books->last_made().size(), 1u);
    EXPECT_EQ(rig.books->last_made().at("12345678"), at);
    rig.close("2024-05-03");
    EXPECT_EQ(rig.books->last_made().at("12345678"), rig.clock->wall());
}

TEST_F(DayBooksTest, KnowsHowOldTheLastCloseIsThatAnotherGatewayMade) {
    rig.doubtful->is_shared = true;
    start();
    rig.close("2024-05-01");
    rig.clock->advance(10min);
    DayBooks others(
        rig.options, [&] { return rig.establishments; }, *rig.doubtful, *rig.clock, rig.log);
    const CloseKey key{.estabelecimento = "12345678", .day = rig.day("2024-05-02")};
    ASSERT_TRUE(rig.clock->run(others.close(key, "maria")));
    const auto at = rig.clock->wall();
    rig.clock->advance(10min);
    EXPECT_EQ(rig.books->last_made().at("12345678"), at);
}

}  // namespace
}  // namespace gateway::test
