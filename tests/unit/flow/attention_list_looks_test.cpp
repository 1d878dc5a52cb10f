// The list beside a journal that says what the test wants, and takes as long as the test wants.
#include "flow/attention_list.hpp"
#include "unit/support/forwarding_journal.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class JournalOfMarks final : public ForwardingJournal {
  public:
    explicit JournalOfMarks(Clock& clock) : ForwardingJournal(static_cast<Journal&>(*this)), clock_(clock) {}

    std::vector<MarkedSale> marks;
    Duration takes{0};
    bool is_away = false;
    bool is_shared = false;
    std::uint64_t unreadable = 0;
    int asked = 0;

    Awaited<std::vector<MarkedSale>> marked() override {
        ++asked;
        const auto now = marks;
        if (takes > Duration(0)) co_await clock_.sleep_for(takes);
        if (is_away) co_return errc::journal_unavailable;
        co_return now;
    }
    JournalStats stats() const override { return {.unreadable = unreadable}; }
    Chain* chain() noexcept override { return is_shared ? this : nullptr; }

  private:
    Clock& clock_;
};

class AttentionListLooks : public Test {
  protected:
    AttentionListLooks() {
        list.when_unreadable([this](SaleId id) { told.push_back(id.str()); });
    }
    SaleId new_id() { return SaleId::make(clock.wall(), random); }
    static MarkedSale marked(const std::string& id, Attention mark) { return {.id = id, .attention = mark}; }
    Sale sale(SaleId id, Attention mark) {
        Sale made{.id = id};
        made.attention = mark;
        made.attempts.push_back({.id_externo = IdExterno(Ulid::first_at(clock.wall()))});
        return made;
    }
    void mark(int how_many) {
        for (int i = 0; i < how_many; ++i)
            journal.marks.push_back(marked(new_id().str(), Attention::restored));
    }
    bool look() { return clock.run(list.look()).has_value(); }
    bool keep_up() { return clock.run(list.keep_up()).has_value(); }
    void begin_a_look() {
        boost::asio::co_spawn(io, list.look(), boost::asio::detached);
        clock.settle();
    }
    std::uint64_t counted(Attention mark) const { return metrics.attention_raised.at(static_cast<std::size_t>(mark)); }
    std::size_t listed(Attention mark) const { return list.by_mark().at(static_cast<std::size_t>(mark)); }

    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    MemoryLog log;
    Metrics metrics;
    JournalOfMarks journal{clock};
    AttentionList list{journal, clock, log, metrics};
    std::vector<std::string> told;
};

TEST_F(AttentionListLooks, AJournalOfOneGatewayIsAskedOnceForEachValueThatItCannotRead) {
    EXPECT_TRUE(keep_up());
    EXPECT_EQ(journal.asked, 0);
    journal.unreadable = 1;
    EXPECT_TRUE(keep_up());
    EXPECT_TRUE(keep_up());
    clock.advance(1h);
    EXPECT_TRUE(keep_up());
    EXPECT_EQ(journal.asked, 1);
}

TEST_F(AttentionListLooks, AJournalThatWasAwayIsAskedAgain) {
    journal.unreadable = 1;
    journal.is_away = true;
    mark(1);
    EXPECT_FALSE(keep_up());
    EXPECT_FALSE(look());
    EXPECT_EQ(list.size(), 0u);
    journal.is_away = false;
    EXPECT_TRUE(keep_up());
    EXPECT_EQ(journal.asked, 3);
    EXPECT_EQ(list.size(), 1u);
}

TEST_F(AttentionListLooks, AJournalOfSeveralIsAskedEveryFiveSecondsAndNotWhileItIsBeingAsked) {
    journal.is_shared = true;
    EXPECT_TRUE(keep_up());
    EXPECT_EQ(journal.asked, 1);
    clock.advance(4999ms);
    EXPECT_TRUE(keep_up());
    EXPECT_EQ(journal.asked, 1);
    clock.advance(1ms);
    journal.takes = 1min;
    boost::asio::co_spawn(io, list.keep_up(), boost::asio::detached);
    clock.settle();
    EXPECT_EQ(journal.asked, 2);
    clock.advance(5s);
    EXPECT_TRUE(keep_up());
    EXPECT_EQ(journal.asked, 2) << "the last look has not come back";
    clock.advance(1min);
    EXPECT_TRUE(keep_up());
    EXPECT_EQ(journal.asked, 3);
}

TEST_F(AttentionListLooks, WhatTheJournalMetIsCountedAndWhatOthersMarkedIsNot) {
    journal.is_shared = true;
    journal.marks = {marked(new_id().str(), Attention::unreadable)};
    EXPECT_TRUE(keep_up());
    EXPECT_EQ(counted(Attention::unreadable), 0u);
    journal.unreadable = 1;
    journal.marks.push_back(marked(new_id().str(), Attention::unreadable));
    EXPECT_TRUE(keep_up());
    EXPECT_EQ(counted(Attention::unreadable), 1u);
}

TEST_F(AttentionListLooks, AHundredAreSaidAndTheRestIsCounted) {
    mark(100);
    EXPECT_TRUE(look());
    EXPECT_EQ(log.count("error sale.attention sale="), 100u);
    EXPECT_EQ(log.count("sale.attention_more"), 0u);
    list.remind();
    EXPECT_EQ(log.count("warn sale.attention sale="), 100u);
    EXPECT_EQ(log.count("sale.attention_more"), 0u);
    mark(102);
    EXPECT_TRUE(look());
    EXPECT_EQ(log.count("error sale.attention sale="), 200u);
    EXPECT_EQ(log.count("error sale.attention_more sales=2 "), 1u);
    list.remind();
    EXPECT_EQ(log.count("warn sale.attention_more sales=102 "), 1u);
    EXPECT_EQ(list.size(), 202u);
}

TEST_F(AttentionListLooks, DamagedIdsThatLookAlikeAreSalesOfTheirOwn) {
    for (int i = 0; i < 3; ++i)
        journal.marks.push_back(marked("damaged", Attention::unreadable));
    EXPECT_TRUE(look());
    EXPECT_TRUE(look());
    EXPECT_EQ(list.size(), 3u);
    EXPECT_EQ(log.count("error sale.attention sale=damaged"), 3u);
    EXPECT_THAT(told, IsEmpty()) << "no sale in memory has such an id";
}

TEST_F(AttentionListLooks, ASaleInMemoryIsToldOfTheMarkThatTheJournalItselfHasMade) {
    const auto unreadable = new_id();
    journal.marks = {marked(unreadable.str(), Attention::unreadable), marked(new_id().str(), Attention::restored)};
    EXPECT_TRUE(look());
    EXPECT_THAT(told, ElementsAre(unreadable.str()));
}

TEST_F(AttentionListLooks, AStepThatLeftTheMarkWhereItWasHidesItFromNobody) {
    const auto id = new_id();
    journal.marks = {marked(id.str(), Attention::unreadable)};
    EXPECT_TRUE(look());
    told.clear();
    journal.takes = 1s;
    begin_a_look();
    list.follow(sale(id, Attention::unreadable));
    clock.advance(1s);
    EXPECT_THAT(told, ElementsAre(id.str()));
    begin_a_look();
    list.follow(sale(id, Attention::none));
    list.follow(sale(id, Attention::none));
    clock.advance(1s);
    EXPECT_THAT(told, SizeIs(1)) << "a person took the mark away meanwhile";
    EXPECT_EQ(list.size(), 0u);
}

TEST_F(AttentionListLooks, WhatIsFollowedIsNewerThanTheAnswerOfEveryLookThatHasBegun) {
    const auto id = new_id();
    journal.marks = {marked(id.str(), Attention::restored)};
    journal.takes = 1s;
    begin_a_look();
    clock.advance(500ms);
    begin_a_look();
    list.follow(sale(id, Attention::none));
    clock.advance(500ms);
    EXPECT_EQ(list.size(), 0u) << "the first look";
    clock.advance(500ms);
    EXPECT_EQ(list.size(), 0u) << "the second look";
    begin_a_look();
    clock.advance(1s);
    EXPECT_EQ(list.size(), 1u);
}

TEST_F(AttentionListLooks, OnlyOfAnotherGatewayAChangedMarkIsBelieved) {
    for (const bool is_shared : {false, true}) {
        journal.is_shared = is_shared;
        const auto id = new_id();
        list.follow(sale(id, Attention::contradiction));
        log.lines.clear();
        journal.marks = {marked(id.str(), Attention::contradiction)};
        EXPECT_TRUE(look());
        EXPECT_EQ(log.count("error sale.attention"), 0u);
        for (const auto mark : {Attention::restored, Attention::unreadable}) {
            journal.marks = {marked(id.str(), mark)};
            EXPECT_TRUE(look());
            EXPECT_EQ(listed(mark), is_shared ? 1u : 0u);
        }
        journal.marks.clear();
        EXPECT_TRUE(look());
        EXPECT_EQ(list.size(), is_shared ? 0u : 1u) << "another gateway has dealt with it";
    }
}

TEST_F(AttentionListLooks, AMarkOfTheJournalsReplacesOnlyOneThatPasses) {
    const auto passing = new_id();
    const auto staying = new_id();
    list.follow(sale(passing, Attention::unsettled));
    list.follow(sale(staying, Attention::contradiction));
    journal.marks = {marked(passing.str(), Attention::restored)};
    EXPECT_TRUE(look());
    EXPECT_EQ(listed(Attention::unsettled), 1u);
    journal.marks = {marked(passing.str(), Attention::unreadable), marked(staying.str(), Attention::unreadable)};
    EXPECT_TRUE(look());
    EXPECT_EQ(listed(Attention::unreadable), 1u);
    EXPECT_EQ(listed(Attention::contradiction), 1u);
}

TEST_F(AttentionListLooks, ALineHasTheStatusWhereItIsKnown) {
    journal.marks = {marked("a", Attention::restored), marked("b", Attention::restored)};
    journal.marks[1].status = Status::CANCELADA;
    EXPECT_TRUE(look());
    EXPECT_EQ(log.count("status="), 1u);
    EXPECT_EQ(log.count("status=CANCELADA"), 1u);
}

}  // namespace
}  // namespace gateway::test
