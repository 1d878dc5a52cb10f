// Tests what one of several gateways does for sales that another one owns, and for those that it takes over or has
// lost.
#include "flow/seller.hpp"
#include "unit/flow/rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class OwnershipTest : public testing::Test {
  protected:
    OwnershipTest() {
        rig.patience = 25s;
        rig.doubtful->is_shared = true;
        boost::asio::co_spawn(*rig.io, rig.seller->keep_adopting(), boost::asio::detached);
        rig.clock->settle();
    }

    // Another gateway owns it, and this one has noticed.
    SaleId sale_elsewhere() {
        const auto id = rig.held_sale();
        rig.doubtful->elsewhere.insert(id);
        rig.clock->advance(1s);
        EXPECT_EQ(rig.seller->under_way(), 0u);
        return id;
    }
    // The test does not await this, because it waits for the other gateway.
    void tell(SaleId id, Event event, std::optional<Result<std::shared_ptr<LiveSale>>>& told) {
        auto telling = [](FlowRig& r, SaleId sale, Event what,
                          std::optional<Result<std::shared_ptr<LiveSale>>>& out) -> boost::asio::awaitable<void> {
            out.emplace(co_await r.seller->tell(sale, std::move(what), "r2", r.clock->now() + 5s));
        };
        boost::asio::co_spawn(*rig.io, telling(rig, id, std::move(event), told), boost::asio::detached);
        rig.clock->settle();
    }
    // Records what the other gateway does with the sale.
    void record_elsewhere(SaleId id, Status status, AttemptState state) {
        auto sale = rig.kept(id);
        Change change{.at = rig.clock->wall(), .attempt = 0, .next = sale.current()};
        change.next.state = state;
        change.status = status;
        change.settled = true;
        change.reason = Reason{.code = ReasonCode::terminal_cancelled};
        EXPECT_TRUE(rig.clock->run(rig.journal->record(sale, change, nullptr, {.event = "test"})).has_value());
    }

    FlowRig rig;
};

TEST_F(OwnershipTest, ASaleThatAnotherGatewayHasTakenOverIsDropped) {
    const auto id = rig.held_sale();
    ASSERT_EQ(rig.seller->under_way(), 1u);
    rig.doubtful->elsewhere.insert(id);
    rig.clock->advance(1s);
    EXPECT_EQ(rig.seller->under_way(), 0u);
    EXPECT_TRUE(rig.log.has("sales.taken_away"));
    EXPECT_EQ(rig.log.count("warn sale.taken_away"), 1u);
    const auto calls = rig.network->seen.size();
    rig.clock->advance(1h);
    EXPECT_EQ(rig.network->seen.size(), calls) << "nothing is sent for it any more";
}

TEST_F(OwnershipTest, NothingBeginsWhereTheLeaseIsNotTrusted) {
    const auto id = rig.held_sale();
    rig.doubtful->is_trusted = false;
    std::optional<Result<std::shared_ptr<LiveSale>>> told;
    tell(id, CancelAsked{}, told);
    const auto calls = rig.network->seen.size();
    rig.clock->advance(10s);
    EXPECT_EQ(rig.network->seen.size(), calls);
    EXPECT_EQ(rig.kept(id).current().state, AttemptState::cancelling) << "it is recorded all the same";
    rig.doubtful->is_trusted = true;
    rig.clock->advance(1s);
    EXPECT_EQ(rig.kept(id).current().state, AttemptState::cancelled);
}

TEST_F(OwnershipTest, WhatIsNotFinalIsNotToldWhereTheLeaseIsNotTrusted) {
    const auto id = rig.held_sale();
    const auto live = rig.clock->run(rig.seller->find(id)).value();
    EXPECT_TRUE(rig.seller->may_tell(*live));
    rig.doubtful->is_trusted = false;
    EXPECT_FALSE(rig.seller->may_tell(*live));
}

TEST_F(OwnershipTest, ACommandIsForwardedToTheGatewayThatOwnsTheSale) {
    const auto id = sale_elsewhere();
    std::optional<Result<std::shared_ptr<LiveSale>>> told;
    tell(id, CancelAsked{}, told);
    ASSERT_EQ(rig.doubtful->forwarded.size(), 1u);
    EXPECT_EQ(rig.doubtful->forwarded[0].sale, id);
    EXPECT_EQ(rig.doubtful->forwarded[0].request_id, "r2");
    EXPECT_TRUE(std::holds_alternative<CancelAsked>(rig.doubtful->forwarded[0].event));
    rig.clock->advance(1s);
    EXPECT_FALSE(told) << "the other gateway has not decided it";
    record_elsewhere(id, Status::CANCELADA, AttemptState::cancelled);
    rig.doubtful->forwarded.clear();
    rig.clock->advance(1s);
    ASSERT_TRUE(told);
    EXPECT_EQ((**told)->sale().status, Status::CANCELADA);
}

TEST_F(OwnershipTest, ACommandThatNobodyDecidesInTimeIsTimedOutAndStays) {
    const auto id = sale_elsewhere();
    std::optional<Result<std::shared_ptr<LiveSale>>> told;
    tell(id, CancelAsked{}, told);
    rig.clock->advance(6s);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->error(), errc::timed_out);
    EXPECT_EQ(rig.doubtful->forwarded.size(), 1u);
}

TEST_F(OwnershipTest, ACommandThatWasForwardedToThisGatewayIsDecidedOnce) {
    const auto id = rig.held_sale();
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .event = CancelAsked{}, .request_id = "r3"});
    rig.clock->advance(2s);
    EXPECT_TRUE(rig.doubtful->forwarded.empty());
    EXPECT_EQ(rig.kept(id).status, Status::CANCELADA);
    EXPECT_EQ(rig.books.calls["/venda/tv/cancelar"], 1);
}

// The journal gives it to nobody else from then on.
TEST_F(OwnershipTest, WhatWasClaimedForACommandGoesOnWhateverBecomesOfTheCommand) {
    const auto id = sale_elsewhere();
    rig.doubtful->elsewhere.erase(id);  // the other gateway has given it back
    const auto of_no_attempt = IdExterno::parse(id.text()).value();
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .attempt = of_no_attempt, .event = SentLate{}});
    rig.clock->advance(1s);
    EXPECT_TRUE(rig.doubtful->owns(id));
    EXPECT_EQ(rig.seller->under_way(), 1u);
    rig.clock->advance(10min);
    EXPECT_EQ(rig.kept(id).status, Status::CANCELADA) << "nobody came to confirm it";
}

TEST_F(OwnershipTest, ACommandThatTheLawHasNoUseForLeavesTheInbox) {
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    ASSERT_EQ(rig.kept(id).status, Status::EFETIVADA);
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .event = CancelAsked{}, .request_id = "r3"});
    rig.clock->advance(2s);
    EXPECT_TRUE(rig.doubtful->forwarded.empty());
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
    EXPECT_EQ(rig.seller->under_way(), 0u);
}

TEST_F(OwnershipTest, ASettledSaleIsOwnedForAMessageAndByNobodyAfterIt) {
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    ASSERT_TRUE(rig.kept(id).settled);
    ASSERT_FALSE(rig.doubtful->owns(id));
    rig.doubtful->endings = {DoubtfulJournal::Ending::not_done_and_unknown};
    std::optional<Result<std::shared_ptr<LiveSale>>> told;
    tell(id, CancelAsked{}, told);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->value()->sale().status, Status::EFETIVADA) << "nothing comes of it, and nothing is recorded";
    EXPECT_TRUE(rig.doubtful->owns(id)) << "the journal does not answer";
    rig.clock->advance(1s);
    EXPECT_FALSE(rig.doubtful->owns(id));
    EXPECT_EQ(rig.seller->under_way(), 0u);
}

TEST_F(OwnershipTest, ACopyOfAnotherGatewaysSaleGoesOnAsTheJournalHasIt) {
    const auto id = sale_elsewhere();
    const auto copy = rig.clock->run(rig.seller->find(id)).value();
    EXPECT_EQ(outcome_of(copy->sale()), Outcome::held);
    record_elsewhere(id, Status::CANCELADA, AttemptState::cancelled);
    rig.clock->advance(1s);
    EXPECT_EQ(copy->sale().status, Status::CANCELADA);
}

TEST_F(OwnershipTest, WhatAGatewayLeftThatDiedIsTakenOverAndCancelled) {
    rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    const auto id = rig.sell("k1").sale->sale().id;
    rig.doubtful->elsewhere.insert(id);
    rig.clock->advance(1s);
    ASSERT_EQ(rig.seller->under_way(), 0u);
    rig.network->otherwise = [this](const http::ClientRequest& request) { return rig.books.answer(request); };
    rig.doubtful->free(id);
    rig.clock->advance(2s);
    EXPECT_EQ(rig.seller->under_way(), 1u);
    EXPECT_TRUE(rig.log.has("warn sales.taken_over"));
    EXPECT_EQ(rig.kept(id).status, Status::CANCELADA);
    rig.clock->advance(5min);
    EXPECT_TRUE(rig.kept(id).settled);
    EXPECT_EQ(rig.seller->under_way(), 0u);
}

// The others had it meanwhile: the begin that is resolved at last says that the sale is not this caller's any more.
TEST_F(OwnershipTest, WhatItIsGivenWhileItsOwnBeginIsInDoubtIsCarriedOnAfterIt) {
    using Ending = DoubtfulJournal::Ending;
    rig.doubtful->endings = {Ending::done_but_unknown};
    for (int i = 0; i < 20; ++i)
        rig.doubtful->endings.push_back(Ending::not_done_and_unknown);
    rig.patience = 1s;
    EXPECT_EQ(rig.sell("k1").refusal, SellRefusal::in_doubt);
    const auto id = rig.seller->live().begin()->first;
    rig.doubtful->owned_since.insert(id);
    rig.doubtful->free(id);
    rig.clock->advance(2s);
    EXPECT_TRUE(rig.log.has("warn sales.taken_over"));
    EXPECT_TRUE(rig.kept(id).attempts.size() == 1 && !rig.kept(id).settled);
    rig.doubtful->endings.clear();
    rig.clock->advance(5min);
    EXPECT_EQ(rig.kept(id).status, Status::CANCELADA);
    EXPECT_TRUE(rig.kept(id).settled);
    EXPECT_EQ(rig.seller->under_way(), 0u);
}

// It has an answer in hand that the journal did not take yet, and another loop was given the sale since.
TEST_F(OwnershipTest, ALoopThatWasDroppedWhileItWaitedForTheJournalRecordsNothing) {
    using Ending = DoubtfulJournal::Ending;
    const auto id = rig.held_sale();
    rig.doubtful->endings = {Ending::done};
    for (int i = 0; i < 10; ++i)
        rig.doubtful->endings.push_back(Ending::not_done);
    std::optional<Result<std::shared_ptr<LiveSale>>> told;
    tell(id, ConfirmAsked{}, told);
    rig.doubtful->free(id);
    rig.clock->advance(30s);
    EXPECT_TRUE(rig.log.has("warn sales.taken_over"));
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
    EXPECT_EQ(rig.log.count("info sale.closed"), 1u);
}

// The doubt ended well, and what was given meanwhile is older than what is given later.
TEST_F(OwnershipTest, WhatWaitedForADoubtThatEndedWellIsNotTakenOverLater) {
    using Ending = DoubtfulJournal::Ending;
    const auto id = rig.held_sale();
    rig.doubtful->endings = {Ending::done_but_unknown};
    for (int i = 0; i < 4; ++i)  // of a reread
        rig.doubtful->endings.push_back(Ending::not_done_and_unknown);
    rig.doubtful->endings.push_back(Ending::done);
    for (int i = 0; i < 20; ++i)
        rig.doubtful->endings.push_back(Ending::not_done);
    std::optional<Result<std::shared_ptr<LiveSale>>> told;
    tell(id, ConfirmAsked{}, told);
    rig.doubtful->free(id);
    rig.clock->advance(4s);
    EXPECT_EQ(rig.log.count("step=adopted"), 0u) << "it waits";
    rig.doubtful->free(id);
    rig.clock->advance(30s);
    EXPECT_EQ(rig.log.count("warn sales.taken_over"), 2u);
    EXPECT_EQ(rig.log.count("step=adopted"), 1u) << "and only the later one is owned";
    EXPECT_EQ(rig.log.count("info sale.closed"), 1u);
}

TEST_F(OwnershipTest, NothingIsTakenOverOnceItHasLetGo) {
    const auto id = sale_elsewhere();
    boost::asio::co_spawn(*rig.io, rig.seller->let_go(), boost::asio::detached);
    rig.clock->settle();
    EXPECT_TRUE(rig.doubtful->has_given_back);
    rig.doubtful->free(id);
    rig.clock->advance(10s);
    EXPECT_EQ(rig.seller->under_way(), 0u);
}

TEST_F(OwnershipTest, ARepeatOfTheKeyJoinsWhatAnotherGatewayOwns) {
    const auto id = sale_elsewhere();
    const auto repeated = rig.sell("k1", ConfirmMode::manual);
    EXPECT_EQ(repeated.refusal, SellRefusal::none);
    EXPECT_TRUE(repeated.replayed);
    EXPECT_EQ(repeated.sale->sale().id, id);
}

}  // namespace
}  // namespace gateway::test
