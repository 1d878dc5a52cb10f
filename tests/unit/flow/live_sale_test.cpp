#include "flow/live_sale.hpp"

#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class LiveSaleTest : public testing::Test {
  protected:
    static Sale sale(Clock& clock) {
        SeededRandom random;
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random)});
        return made;
    }
    void watch(Duration length, bool& flag, bool& ended) {
        auto watching = [](LiveSale& sale_, Instant until, bool& enough, bool& over) -> boost::asio::awaitable<void> {
            auto is_enough = [&] { return enough; };
            co_await sale_.watch_until(until, is_enough);
            over = true;
        };
        boost::asio::co_spawn(io, watching(live, clock.now() + length, flag, ended), boost::asio::detached);
        clock.settle();
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    LiveSale live{sale(clock), "r", LiveSale::Stage::attended, clock};
};

TEST_F(LiveSaleTest, WatchersLookAgainAtEveryChange) {
    bool enough = false;
    bool ended = false;
    watch(60s, enough, ended);
    live.changed();
    clock.settle();
    EXPECT_FALSE(ended);
    enough = true;
    live.changed();
    clock.settle();
    EXPECT_TRUE(ended);
}

TEST_F(LiveSaleTest, OnlyThoseWhoHaveSeenEnoughStopWatching) {
    bool enough = false;
    bool other_enough = false;
    bool ended = false;
    bool other_ended = false;
    watch(60s, enough, ended);
    watch(60s, other_enough, other_ended);
    other_enough = true;
    live.changed();
    clock.settle();
    EXPECT_FALSE(ended);
    EXPECT_TRUE(other_ended);
    enough = true;
    live.changed();
    clock.settle();
    EXPECT_TRUE(ended);
}

TEST_F(LiveSaleTest, WhoHasSeenEnoughAlreadyDoesNotWait) {
    bool enough = true;
    bool ended = false;
    watch(60s, enough, ended);
    EXPECT_TRUE(ended);
}

TEST_F(LiveSaleTest, WatchingEndsInTime) {
    bool enough = false;
    bool ended = false;
    watch(60s, enough, ended);
    clock.advance(59s);
    EXPECT_FALSE(ended);
    clock.advance(2s);
    EXPECT_TRUE(ended);
}

TEST_F(LiveSaleTest, WhatStandsInTheJournalIsTakenOverAndTold) {
    bool enough = false;
    bool ended = false;
    watch(60s, enough, ended);
    enough = true;
    auto stands = sale(clock);
    stands.updated_at = clock.wall() + 1s;
    stands.status = Status::EFETIVADA;
    stands.settled = true;
    stands.attention = Attention::contradiction;
    stands.reason = Reason{.code = ReasonCode::by_operator};
    stands.details.fornecedor = "F";
    stands.esim = EsimDetails{.uuid = "u"};
    stands.attempts.push_back(stands.attempts[0]);
    const auto expected = stands;
    live.stands(Sale(stands));
    clock.settle();
    EXPECT_TRUE(ended);
    EXPECT_EQ(live.sale().updated_at, expected.updated_at);
    EXPECT_EQ(live.sale().status, expected.status);
    EXPECT_TRUE(live.sale().settled);
    EXPECT_EQ(live.sale().attention, expected.attention);
    EXPECT_EQ(live.sale().reason, expected.reason);
    EXPECT_EQ(live.sale().details, expected.details);
    EXPECT_EQ(live.sale().esim, expected.esim);
    EXPECT_EQ(live.sale().attempts.size(), 2u);
    EXPECT_FALSE(live.under_way(1).has_value());
    EXPECT_FALSE(live.outdated());
    stands.settled = false;
    live.stands(std::move(stands));
    EXPECT_FALSE(live.sale().settled);
}

TEST_F(LiveSaleTest, AMarkOfTheJournalsWaitsWhileItIsNotKnownHowTheSaleStands) {
    for (const auto stage : {LiveSale::Stage::beginning, LiveSale::Stage::in_doubt}) {
        LiveSale waiting(sale(clock), "r", stage, clock);
        waiting.found_unreadable();
        EXPECT_EQ(waiting.sale().attention, Attention::none);
        waiting.stands(sale(clock));
        EXPECT_EQ(waiting.sale().attention, Attention::none) << "the row was read together with its mark";
    }
    for (const auto stage : {LiveSale::Stage::withdrawn, LiveSale::Stage::unattended, LiveSale::Stage::attended}) {
        LiveSale running(sale(clock), "r", stage, clock);
        running.found_unreadable();
        EXPECT_EQ(running.sale().attention, Attention::unreadable);
    }
}

TEST_F(LiveSaleTest, AMarkThatOnlyAPersonTakesAwayStays) {
    for (const auto mark : all_attentions) {
        auto marked = sale(clock);
        marked.attention = mark;
        LiveSale one(std::move(marked), "r", LiveSale::Stage::attended, clock);
        one.found_unreadable();
        const bool passes = mark == Attention::none || is_passing(mark);
        EXPECT_EQ(one.sale().attention, passes ? Attention::unreadable : mark) << to_string(mark);
    }
}

}  // namespace
}  // namespace gateway::test
