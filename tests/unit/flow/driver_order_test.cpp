// These tests say in which order the driver decides, and what waits for what.
#include "flow/driver.hpp"
#include "unit/flow/rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class DriverOrder : public Test {
  protected:
    // Does not wait, because the driver decides when it is done.
    void post(SaleId id, Event event) {
        auto telling = rig.seller->tell(id, std::move(event), "r2", never);
        boost::asio::co_spawn(*rig.io, std::move(telling), boost::asio::detached);
        rig.clock->settle();
    }
    int calls(const std::string& step) const {
        int number = 0;
        for (const auto& seen : rig.network->seen)
            number += seen.request.target.ends_with(step) ? 1 : 0;
        return number;
    }
    // Makes a sale whose first attempt was cancelled in vain and whose second one is answered with `second`, or
    // authorised without it; the first one's last cancel is due ten seconds after its request.
    std::shared_ptr<LiveSale> sale_of_two_attempts(std::optional<Reply> second = {}, Duration after = Duration(0)) {
        rig.patience = 60s;
        rig.rules.late_arrival = 10s;
        rig.crash();
        rig.network->then(answered(500, "oops"));
        rig.network->then(answered(200, R"({"transacao":{"status":"CANCELADA"}})"));
        if (second) rig.network->then(std::move(*second), after);
        auto selling = [](FlowRig& r) -> boost::asio::awaitable<void> {
            auto order = r.order("k1", ConfirmMode::manual);
            co_await r.seller->sell(std::move(order));
        };
        boost::asio::co_spawn(*rig.io, selling(rig), boost::asio::detached);
        rig.clock->advance(2s);
        const auto live = rig.seller->live().begin()->second;
        EXPECT_EQ(live->sale().attempts.size(), 2u);
        EXPECT_EQ(live->sale().attempts.front().state, AttemptState::lingering);
        return live;
    }

    FlowRig rig;
};

TEST_F(DriverOrder, ASaleKeepsItsDayAndItsGoodsInMemoryThroughWhatComesLater) {
    rig.patience = 60s;
    rig.network->then(answered(500, "oops"));
    rig.network->then(answered(200, R"({"transacao":{"status":"CANCELADA"}})"));
    const auto live = rig.sell("k1").sale;
    rig.clock->advance(2s);
    const auto& sale = live->sale();
    ASSERT_EQ(sale.status, Status::EFETIVADA);
    ASSERT_FALSE(sale.settled);
    const auto day = rig.kept(sale.id).day;
    ASSERT_TRUE(day);
    EXPECT_EQ(sale.day, day);
    EXPECT_EQ(sale.details, rig.kept(sale.id).details);
    rig.clock->advance(rig.rules.late_arrival + 1s);
    EXPECT_TRUE(sale.settled);
    EXPECT_EQ(sale.day, day);
}

TEST_F(DriverOrder, WhatAStatementSaysOfAnAttemptWaitsForNoOther) {
    const auto live = sale_of_two_attempts(answered(500, "oops"), 20s);
    ASSERT_TRUE(live->under_way(1));
    Stated word{.status = Status::CANCELADA, .source = "a statement"};
    auto stating = rig.seller->state(live->sale().id, live->sale().attempts.front().id_externo, std::move(word), never);
    ASSERT_TRUE(rig.clock->run(std::move(stating)).has_value());
    EXPECT_TRUE(live->under_way(1));
}

TEST_F(DriverOrder, WhileAPersonsWordWaitsForAnAnswerNoExchangeOfAnotherAttemptBegins) {
    const auto live = sale_of_two_attempts(answered(500, "oops"), 20s);
    ASSERT_TRUE(live->under_way(1));
    const auto before = rig.events(live->sale().id);
    const auto seen = rig.network->seen.size();
    post(live->sale().id, Resolved{.status = Status::CANCELADA, .note = "not in the portal"});
    rig.clock->advance(12s);
    ASSERT_TRUE(live->under_way(1)) << "the last cancel of the first attempt is due before this one is answered";
    EXPECT_FALSE(live->under_way(0));
    EXPECT_EQ(rig.events(live->sale().id), before);
    EXPECT_EQ(rig.network->seen.size(), seen);
    rig.clock->advance(10s);
    EXPECT_GT(rig.events(live->sale().id).size(), before.size());
}

TEST_F(DriverOrder, APersonsWordWaitsForTheAnswerToAnEarlierAttempt) {
    const auto live = sale_of_two_attempts(answered(500, "oops"), 0s);
    rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    rig.network->connecting = 1s;
    while (!live->under_way(0) || live->under_way(1))
        ASSERT_TRUE(rig.clock->now() < never && (rig.clock->advance(50ms), true));
    std::optional<bool> told;
    auto telling = [](FlowRig& r, SaleId sale, std::optional<bool>& out) -> boost::asio::awaitable<void> {
        Event word = Resolved{.status = Status::CANCELADA, .note = "not in the portal"};
        out = (co_await r.seller->tell(sale, std::move(word), "r2", never)).has_value();
    };
    boost::asio::co_spawn(*rig.io, telling(rig, live->sale().id, told), boost::asio::detached);
    rig.clock->settle();
    EXPECT_TRUE(live->under_way(0));
    EXPECT_FALSE(told);
    rig.clock->advance(5s);
    EXPECT_EQ(told, true);
}

TEST_F(DriverOrder, WhereTheLeaseIsTrustedAgainInTimeAStepIsNotLate) {
    rig.doubtful->is_shared = true;
    rig.books.answers_confirms = false;
    const auto live = rig.sell("k1").sale;
    rig.clock->settle();
    const auto due = live->sale().current().next_try;
    const auto confirms = calls("/confirmar");
    ASSERT_GT(due, rig.clock->now() + 100ms);
    rig.clock->advance(std::chrono::duration_cast<Duration>(due - rig.clock->now()) - 100ms);
    rig.doubtful->is_trusted = false;
    post(live->sale().id, ConfirmAsked{});
    rig.doubtful->is_trusted = true;
    rig.clock->advance(99ms);
    EXPECT_EQ(calls("/confirmar"), confirms);
    rig.clock->advance(1ms);
    EXPECT_EQ(calls("/confirmar"), confirms + 1);
}

// A command is in doubt while the last cancel of an earlier attempt waits for its connection.
TEST_F(DriverOrder, NothingIsSentForASaleThatIsInDoubt) {
    const auto live = sale_of_two_attempts();
    ASSERT_EQ(live->sale().current().state, AttemptState::held);
    rig.network->connecting = 1s;
    while (!live->under_way(0))
        rig.clock->advance(50ms);
    const auto cancels = calls("/cancelar");
    using Ending = DoubtfulJournal::Ending;
    rig.doubtful->endings.assign(6, Ending::not_done_and_unknown);
    post(live->sale().id, ConfirmAsked{});
    rig.clock->advance(1s);
    ASSERT_EQ(live->stage(), LiveSale::Stage::in_doubt);
    EXPECT_EQ(calls("/cancelar"), cancels);
    rig.clock->advance(1min);
    EXPECT_GT(calls("/cancelar"), cancels) << "it leaves once the journal has said how the sale stands";
    EXPECT_EQ(live->sale().attempts.front().state, AttemptState::cancelled);
}

TEST_F(DriverOrder, AMarkThatWasInDoubtIsOnTheListOnceItIsKnown) {
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    ASSERT_TRUE(rig.kept(id).settled);
    rig.doubtful->endings = {DoubtfulJournal::Ending::done_but_unknown};
    auto stating = rig.seller->state(id, rig.kept(id).current().id_externo,
                                     {.status = Status::CANCELADA, .source = "a statement"}, never);
    ASSERT_TRUE(rig.clock->run(std::move(stating)).has_value());
    ASSERT_NE(rig.kept(id).attention, Attention::none);
    EXPECT_EQ(rig.attention->size(), 1u);
}

TEST_F(DriverOrder, AMarkThatTheJournalSetDuringAStepIsOnTheListAfterIt) {
    const auto live = rig.sell("k1", ConfirmMode::manual).sale;
    rig.clock->settle();
    rig.doubtful->before_next_record = [&] { rig.seller->found_unreadable(live->sale().id); };
    rig.network->then(lost(), 10s);
    post(live->sale().id, ConfirmAsked{});
    EXPECT_EQ(live->sale().attention, Attention::unreadable);
    EXPECT_EQ(rig.attention->size(), 1u);
}

// Thirty-two of thirty-three sales that a start has found hold their places, because the journal does not take their
// steps.
class DriverAdopts : public DriverOrder {
  protected:
    DriverAdopts() {
        rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
        for (int i = 0; i < 33; ++i) {
            rig.network->then(answered(200, "{}"), 5s);
            ids.push_back(rig.sell("k" + std::to_string(i)).sale->sale().id);
            rig.clock->settle();
        }
        rig.before_adopting = [this] { rig.doubtful->unwritable = {ids.begin(), ids.end()}; };
        rig.crash();
        EXPECT_EQ(rig.adopted, ids.size());
    }
    std::vector<SaleId> adopted() {
        std::vector<SaleId> found;
        for (const auto& id : ids)
            if (rig.events(id).size() > 1) found.push_back(id);
        return found;
    }
    std::vector<SaleId> ids;
};

TEST_F(DriverAdopts, ThirtyTwoSalesDecideFirstAtOnce) {
    EXPECT_EQ(rig.doubtful->writes, 32);
    rig.doubtful->unwritable.clear();
    rig.clock->advance(500ms);
    EXPECT_EQ(adopted().size(), 33u);
}

TEST_F(DriverAdopts, ANewSaleDoesNotWaitBehindThem) {
    const auto sold = rig.sell("new").sale->sale().id;
    rig.clock->settle();
    EXPECT_EQ(rig.kept(sold).status, Status::EFETIVADA);
}

TEST_F(DriverAdopts, NorDoesAFaultInANewSale) {
    rig.doubtful->before_next_record = [] { throw std::runtime_error("a deliberate fault"); };
    const auto sold = rig.sell("new").sale->sale().id;
    rig.clock->advance(1s);
    EXPECT_THAT(rig.events(sold), ElementsAre("begun", "adopted", "cancelar"));
}

TEST_F(DriverAdopts, NorDoesWhatFollowsOnAFirstDecision) {
    rig.doubtful->unwritable.erase(ids.front());
    rig.clock->advance(500ms);
    EXPECT_EQ(rig.doubtful->writes, 2 * 32 + 2) << "the last one has the place of the first one";
    EXPECT_THAT(rig.events(ids.front()), ElementsAre("begun", "adopted", "cancelar"));
}

}  // namespace
}  // namespace gateway::test
