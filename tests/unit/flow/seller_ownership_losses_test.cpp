// Tests to the millisecond what one of several gateways does while others take its sales, die, or forward commands, and
// when the journal refuses what it asks for that.
#include "flow/seller.hpp"
#include "journal/sqlite/database.hpp"
#include "unit/flow/rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using Ending = DoubtfulJournal::Ending;
using Stage = LiveSale::Stage;

class LossesTest : public testing::Test {
  protected:
    using Told = std::optional<Result<std::shared_ptr<LiveSale>>>;

    LossesTest() {
        rig.patience = 25s;
        share();
    }
    void share() {
        rig.doubtful->is_shared = true;
        boost::asio::co_spawn(*rig.io, rig.seller->keep_adopting(), boost::asio::detached);
        rig.clock->settle();
    }

    std::shared_ptr<LiveSale> held_sale(std::string key = "k1") {
        auto live = rig.sell(std::move(key), ConfirmMode::manual).sale;
        rig.clock->settle();
        EXPECT_EQ(live->sale().current().state, AttemptState::held);
        return live;
    }
    SaleId held_at_the_second_attempt() {
        rig.patience = 60s;
        rig.network->then(answered(500, "oops"));
        rig.network->then(answered(200, R"({"transacao":{"status":"CANCELADA"}})"));
        const auto id = rig.sell("k1", ConfirmMode::manual).sale->sale().id;
        rig.clock->advance(2s);
        EXPECT_EQ(rig.kept(id).attempts.size(), 2u);
        EXPECT_EQ(rig.kept(id).attempts[0].state, AttemptState::lingering);
        EXPECT_EQ(rig.kept(id).current().state, AttemptState::held);
        return id;
    }
    // Sells one whose callback comes before the answer to its request, which is still under way.
    std::shared_ptr<LiveSale> called_back_before_its_answer() {
        rig.network->then(lost(), 10s);
        auto order = rig.order("k1");
        order.order.family = Family::esim;
        auto live = rig.clock->run(rig.seller->sell(std::move(order))).sale;
        rig.clock->settle();
        Told told;
        tell(live->sale().id, CalledBack{.status = Status::EFETIVADA, .details = {.url = Secret("u")}}, told);
        EXPECT_TRUE(told);
        return live;
    }
    SaleId sale_elsewhere() {
        const auto id = held_sale()->sale().id;
        rig.doubtful->elsewhere.insert(id);
        rig.clock->advance(1s);
        EXPECT_EQ(rig.seller->under_way(), 0u);
        return id;
    }
    SaleId sold_sale() {
        const auto id = rig.sell("k1").sale->sale().id;
        rig.clock->settle();
        EXPECT_TRUE(rig.kept(id).settled);
        return id;
    }
    void nothing_is_answered() {
        rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    }
    // The test does not await these, because they wait for the other gateway.
    void tell(SaleId id, Event event, Told& told, Duration patience = 5s) {
        auto telling = [](FlowRig& r, SaleId sale, Event what, Instant until,
                          Told& out) -> boost::asio::awaitable<void> {
            out.emplace(co_await r.seller->tell(sale, std::move(what), "r2", until));
        };
        const auto until = rig.clock->now() + patience;
        boost::asio::co_spawn(*rig.io, telling(rig, id, std::move(event), until, told), boost::asio::detached);
        rig.clock->settle();
    }
    Result<StatedEffect> state(SaleId id, Status status, std::optional<IdExterno> attempt = {}) {
        const auto named = attempt.value_or(rig.kept(id).current().id_externo);
        const auto until = rig.clock->now() + 5s;
        return rig.clock->run(rig.seller->state(id, named, {.status = status, .source = "s"}, until));
    }
    void record_elsewhere(SaleId id, AttemptState state, bool settled) {
        auto sale = rig.kept(id);
        Change change{.at = rig.clock->wall(), .attempt = 0, .next = sale.current()};
        change.next.state = state;
        if (state == AttemptState::confirming) change.next.confirm_time = change.at;
        change.status = settled ? Status::CANCELADA : Status::AUTORIZADA;
        change.settled = settled;
        if (settled) change.reason = Reason{.code = ReasonCode::terminal_cancelled};
        EXPECT_TRUE(rig.clock->run(rig.journal->record(sale, change, nullptr, {.event = "test"})).has_value());
    }
    std::size_t events(SaleId id, std::string_view name) {
        const auto lines = rig.clock->run(rig.journal->history(id)).value().events;
        return static_cast<std::size_t>(std::ranges::count(lines, name, &PastEvent::event));
    }

    FlowRig rig;
};

// An exchange waits for its connection while its sale is lost and comes back. It must not leave then, because the sale
// has exchanges of its own by now.
TEST_F(LossesTest, AnExchangeFromBeforeALossIsNotSentAfterTheSaleCameBack) {
    rig.network->connecting = 5s;
    rig.network->then(lost());
    const auto live = rig.sell("k1").sale;
    const auto id = live->sale().id;
    rig.clock->advance(5s);
    ASSERT_EQ(live->under_way(0), Step::cancelar);
    rig.doubtful->elsewhere.insert(id);
    rig.clock->advance(1s);
    ASSERT_TRUE(rig.log.has("sales.taken_away"));
    rig.doubtful->elsewhere.clear();
    rig.doubtful->freed = {id};
    rig.clock->advance(1s);
    ASSERT_TRUE(rig.log.has("sales.taken_over"));
    rig.clock->advance(3s);
    EXPECT_EQ(rig.books.calls["/venda/tv/cancelar"], 0) << "the connection of the one before is there";
    rig.clock->advance(3s);
    EXPECT_EQ(rig.books.calls["/venda/tv/cancelar"], 1);
    EXPECT_EQ(rig.kept(id).status, Status::CANCELADA);
}

TEST_F(LossesTest, WhatIsLostIsSaidOnceAndFollowedAsACopy) {
    const auto live = held_sale();
    const auto id = live->sale().id;
    rig.clock->advance(10s);
    EXPECT_FALSE(rig.log.has("sales.taken_away")) << "nothing was lost yet";
    rig.doubtful->elsewhere.insert(id);
    rig.clock->advance(1s);
    EXPECT_EQ(rig.seller->under_way(), 0u);
    EXPECT_EQ(live->stage(), Stage::elsewhere);
    EXPECT_TRUE(live->outdated());
    EXPECT_FALSE(rig.seller->may_tell(*live));
    EXPECT_EQ(rig.log.count("warn sales.taken_away openSales=1"), 1u);
    EXPECT_EQ(rig.log.count("warn sale.taken_away sale=" + id.str() +
                            " idExterno=" + live->sale().current().id_externo.str() + " terminal=caixa-01 request=r"),
              1u);
    const auto reads = rig.doubtful->reads;
    rig.clock->advance(249ms);
    EXPECT_TRUE(live->outdated());
    rig.clock->advance(1ms);
    EXPECT_EQ(rig.doubtful->reads, reads + 1);
    EXPECT_FALSE(live->outdated());
    EXPECT_TRUE(rig.seller->may_tell(*live)) << "as the journal has it";
    rig.clock->advance(10s);
    EXPECT_EQ(rig.doubtful->reads, reads + 41);
    EXPECT_EQ(rig.log.count("taken_away"), 2u);
}

TEST_F(LossesTest, AlsoWhatRestsAndWhatAStartFoundIsLost) {
    const auto found = held_sale("k0")->sale().id;
    rig.rules.can_cancel.at(index_of(Family::health)) = false;
    rig.crash();
    share();
    rig.network->then(lost());
    auto order = rig.order("k1");
    order.order.family = Family::health;
    const auto resting = rig.clock->run(rig.seller->sell(std::move(order))).sale;
    rig.clock->settle();
    ASSERT_EQ(resting->stage(), Stage::resting);
    ASSERT_EQ(rig.seller->under_way(), 2u);
    ASSERT_EQ(rig.seller->live().at(found)->stage(), Stage::unattended);
    rig.doubtful->owned.insert(found);
    rig.clock->advance(1s);
    ASSERT_EQ(rig.seller->under_way(), 2u);
    rig.doubtful->elsewhere = {found, resting->sale().id};
    rig.clock->advance(1s);
    EXPECT_EQ(rig.seller->under_way(), 0u);
    EXPECT_EQ(rig.log.count("warn sales.taken_away openSales=2"), 1u);
    const auto reads = rig.doubtful->reads;
    rig.clock->advance(1s);
    EXPECT_EQ(rig.doubtful->reads, reads + 4) << "only the one that is still held is followed";
}

TEST_F(LossesTest, WhatIsLostGivesItsPlaceBackOnceAndOnlyWhereItHadOne) {
    rig.in_flight = 1;
    held_sale("k0");
    rig.crash();  // what a start finds has no place
    share();
    rig.doubtful->elsewhere.insert(rig.seller->live().begin()->first);
    rig.clock->advance(1s);
    ASSERT_EQ(rig.seller->under_way(), 0u);
    const auto id = held_sale("k1")->sale().id;
    EXPECT_EQ(rig.sell("k2").refusal, SellRefusal::overloaded);
    rig.doubtful->elsewhere.insert(id);
    rig.clock->advance(1s);
    EXPECT_EQ(rig.sell("k2", ConfirmMode::manual).refusal, SellRefusal::none);
    rig.clock->settle();
    EXPECT_EQ(rig.sell("k3").refusal, SellRefusal::overloaded);
}

TEST_F(LossesTest, WhatIsSettledIsNotLost) {
    const auto live = called_back_before_its_answer();
    ASSERT_TRUE(live->sale().settled);
    ASSERT_FALSE(rig.doubtful->owns(live->sale().id));
    rig.clock->advance(2s);
    EXPECT_EQ(rig.seller->under_way(), 1u);
    EXPECT_FALSE(rig.log.has("taken_away"));
}

TEST_F(LossesTest, OnlyWhatIsCertainIsTold) {
    const auto live = held_sale();
    const auto id = live->sale().id;
    EXPECT_TRUE(rig.seller->may_tell(*live));
    const auto copy = rig.clock->run(rig.journal->find(id)).value();
    const LiveSale looked_up(Sale(*copy), "", Stage::resting, *rig.clock);
    rig.doubtful->is_trusted = false;
    EXPECT_FALSE(rig.seller->may_tell(*live));
    EXPECT_TRUE(rig.seller->may_tell(looked_up)) << "the journal has it so";
    rig.doubtful->is_shared = false;
    EXPECT_TRUE(rig.seller->may_tell(*live)) << "the journal is this gateway's alone";
    rig.doubtful->is_shared = true;
    rig.doubtful->is_trusted = true;
    rig.doubtful->elsewhere.insert(id);
    EXPECT_FALSE(rig.seller->may_tell(*live));
    rig.doubtful->elsewhere.clear();
    std::optional<bool> while_deciding;
    rig.doubtful->before_next_record = [&] { while_deciding = rig.seller->may_tell(*live); };
    Told told;
    tell(id, ConfirmAsked{}, told);
    EXPECT_EQ(while_deciding, false);
    rig.doubtful->is_trusted = false;
    EXPECT_EQ(live->sale().status, Status::EFETIVADA);
    EXPECT_TRUE(rig.seller->may_tell(*live)) << "what is final stays so";
}

TEST_F(LossesTest, WhatIsFinalIsToldFromMemoryWhateverTheLeaseIs) {
    const auto live = called_back_before_its_answer();
    rig.doubtful->is_trusted = false;
    EXPECT_TRUE(rig.seller->may_tell(*live));
    rig.doubtful->refuses_reads = errc::journal_unavailable;
    EXPECT_EQ(rig.clock->run(rig.seller->find(live->sale().id)).value(), live);
}

// This gateway has not noticed yet.
TEST_F(LossesTest, WhatAnotherGatewayHasMadeOfASaleIsToldInPlaceOfWhatMemoryHas) {
    const auto id = held_sale()->sale().id;
    rig.doubtful->elsewhere.insert(id);
    record_elsewhere(id, AttemptState::cancelled, true);
    EXPECT_EQ(rig.clock->run(rig.seller->find(id)).value()->sale().status, Status::CANCELADA);
    const auto again = rig.sell("k1", ConfirmMode::manual);
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.sale->sale().status, Status::CANCELADA);
}

TEST_F(LossesTest, WhatIsCertainAgainWhileTheJournalWasAskedIsToldFromMemory) {
    const auto live = held_sale();
    rig.doubtful->is_trusted = false;
    rig.doubtful->before_next_answer = [this]() -> boost::asio::awaitable<void> {
        rig.doubtful->is_trusted = true;
        co_return;
    };
    EXPECT_EQ(rig.clock->run(rig.seller->find(live->sale().id)).value(), live);
}

TEST_F(LossesTest, ACopyIsReadAgainUntilTheSaleIsSettled) {
    const auto id = sale_elsewhere();
    const auto copy = rig.clock->run(rig.seller->find(id)).value();
    record_elsewhere(id, AttemptState::confirming, false);
    const auto reads = rig.doubtful->reads;
    rig.doubtful->refuses_reads = errc::journal_unavailable;
    rig.clock->advance(250ms);
    EXPECT_EQ(copy->sale().current().state, AttemptState::held) << "the journal did not say";
    rig.doubtful->refuses_reads = {};
    rig.clock->advance(250ms);
    EXPECT_EQ(copy->sale().current().state, AttemptState::confirming);
    record_elsewhere(id, AttemptState::cancelled, true);
    rig.clock->advance(10s);
    EXPECT_EQ(copy->sale().status, Status::CANCELADA);
    EXPECT_EQ(rig.doubtful->reads, reads + 3);
    const auto settled = rig.clock->run(rig.seller->find(id)).value();
    EXPECT_TRUE(settled->sale().settled);
    rig.clock->advance(10s);
    EXPECT_EQ(rig.doubtful->reads, reads + 4) << "and nothing follows once it is";
}

TEST_F(LossesTest, ACopyWhoseRowIsGoneStaysAsItIs) {
    const auto id = sale_elsewhere();
    const auto copy = rig.clock->run(rig.seller->find(id)).value();
    auto database = *sqlite::Database::open(rig.folder.path("journal.db"), nullptr);
    ASSERT_TRUE(database.ask("PRAGMA foreign_keys = OFF").has_value());
    ASSERT_TRUE(database.ask("DELETE FROM sales WHERE id = ?", id.text()).has_value());
    rig.clock->advance(1s);
    EXPECT_EQ(copy->sale().current().state, AttemptState::held);
}

TEST_F(LossesTest, ACommandIsForwardedToWhoeverHasTakenTheSaleMeanwhile) {
    const auto id = held_sale()->sale().id;
    rig.doubtful->elsewhere.insert(id);
    Told told;
    tell(id, CancelAsked{}, told);
    ASSERT_EQ(rig.doubtful->forwarded.size(), 1u);
    EXPECT_EQ(rig.seller->under_way(), 0u);
    record_elsewhere(id, AttemptState::cancelled, true);
    rig.doubtful->forwarded.clear();
    rig.clock->advance(250ms);
    ASSERT_TRUE(told);
    EXPECT_EQ((**told)->sale().status, Status::CANCELADA);
}

// The loop that was dropped still waits for the journal.
TEST_F(LossesTest, WhatWasDroppedTakesNoCommands) {
    const auto id = held_sale()->sale().id;
    rig.clock->advance(400ms);
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .event = ConfirmAsked{}});
    rig.seller->look_for_commands();
    rig.doubtful->fail();
    rig.clock->settle();
    rig.doubtful->elsewhere.insert(id);
    rig.seller->look_for_commands();
    rig.clock->settle();
    ASSERT_EQ(rig.seller->under_way(), 1u);
    ASSERT_EQ(rig.seller->live().at(id)->stage(), Stage::elsewhere);
    Told told;
    tell(id, CancelAsked{}, told);
    EXPECT_EQ(rig.doubtful->forwarded.size(), 2u);
}

TEST_F(LossesTest, TheOtherGatewayIsAskedEveryQuarterOfASecondUntilTheDeadline) {
    const auto id = sale_elsewhere();
    Told told;
    tell(id, CancelAsked{}, told, 500ms);
    rig.clock->advance(499ms);
    EXPECT_FALSE(told);
    rig.clock->advance(1ms);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->error(), errc::timed_out);
}

TEST_F(LossesTest, WhereAForwardedCommandCannotBeSeenItIsNotTakenForDone) {
    const auto id = sale_elsewhere();
    Told told;
    tell(id, CancelAsked{}, told, 1s);
    rig.doubtful->refuses_sharing = errc::journal_unavailable;
    rig.clock->advance(1s);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->error(), errc::timed_out);
}

TEST_F(LossesTest, WhatCannotBeForwardedIsRefused) {
    const auto id = sale_elsewhere();
    rig.doubtful->refuses_sharing = errc::journal_unavailable;
    Told told;
    tell(id, CancelAsked{}, told);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->error(), errc::journal_unavailable);
    EXPECT_EQ(state(id, Status::CANCELADA).error(), errc::journal_unavailable);
    rig.doubtful->refuses_sharing = {};
    rig.doubtful->elsewhere.clear();
    rig.doubtful->refuses_claims = errc::connection_lost;
    told.reset();
    tell(id, CancelAsked{}, told);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->error(), errc::connection_lost);
    EXPECT_EQ(state(id, Status::CANCELADA).error(), errc::connection_lost);
    EXPECT_TRUE(rig.doubtful->forwarded.empty());
}

TEST_F(LossesTest, WhatAStatementSaysIsForwardedWithItsAttempt) {
    const auto id = sale_elsewhere();
    const auto attempt = rig.kept(id).current().id_externo;
    EXPECT_EQ(state(id, Status::CANCELADA).error(), errc::timed_out) << "nobody took it";
    ASSERT_EQ(rig.doubtful->forwarded.size(), 1u);
    EXPECT_EQ(rig.doubtful->forwarded[0].attempt, attempt);
    EXPECT_EQ(std::get<Stated>(rig.doubtful->forwarded[0].event).status, Status::CANCELADA);
    auto deciding = [](FlowRig& r) -> boost::asio::awaitable<void> {
        co_await r.clock->sleep_for(1s);
        r.doubtful->forwarded.clear();
    };
    boost::asio::co_spawn(*rig.io, deciding(rig), boost::asio::detached);
    const auto before = rig.clock->now();
    EXPECT_EQ(state(id, Status::CANCELADA).error(), errc::timed_out) << "nobody knows what became of it";
    EXPECT_EQ(rig.clock->now() - before, 1s);
}

TEST_F(LossesTest, WhatWasClaimedForAnAttemptThatItHasNotIsLetGo) {
    const auto id = sold_sale();
    std::optional<Stage> stage;
    rig.doubtful->before_next_reread = [&] { stage = rig.seller->live().at(id)->stage(); };
    const auto other = IdExterno::make(rig.clock->wall(), rig.random);
    EXPECT_EQ(state(id, Status::CANCELADA, other).error(), errc::not_found);
    rig.clock->settle();
    EXPECT_EQ(stage, Stage::unattended);
    EXPECT_FALSE(rig.doubtful->owns(id));
    EXPECT_EQ(rig.seller->under_way(), 0u);
}

TEST_F(LossesTest, OfTwoClaimsOnAChainTheLaterOneCounts) {
    const auto id = sold_sale();
    nothing_is_answered();
    rig.doubtful->before_next_answer = [this] { return rig.clock->sleep_for(100ms); };
    Told told;
    tell(id, CancelAsked{}, told);
    ASSERT_EQ(state(id, Status::AUTORIZADA).value(), StatedEffect::repeated);
    const auto live = rig.seller->live().at(id);
    rig.clock->advance(100ms);
    ASSERT_TRUE(told);
    EXPECT_NE(told->value(), live);
    EXPECT_EQ(rig.seller->live().at(id), told->value());
    EXPECT_EQ(rig.sell("k1").sale, told->value()) << "and the key leads to it";
}

TEST_F(LossesTest, AClaimThatComesTooLateFindsTheSaleThatWasClaimedBefore) {
    const auto id = sold_sale();
    nothing_is_answered();
    rig.doubtful->before_next_answer = [&]() -> boost::asio::awaitable<void> {
        co_await rig.clock->sleep_for(100ms);
        rig.doubtful->elsewhere.insert(id);  // as a sale that is owned already is refused
        boost::asio::post(*rig.io, [&] { rig.doubtful->elsewhere.erase(id); });
    };
    Told told;
    tell(id, CancelAsked{}, told);
    ASSERT_EQ(state(id, Status::AUTORIZADA).value(), StatedEffect::repeated);
    const auto live = rig.seller->live().at(id);
    rig.clock->advance(100ms);
    ASSERT_TRUE(told);
    EXPECT_TRUE(rig.doubtful->forwarded.empty());
    EXPECT_EQ(told->value(), live);
}

TEST_F(LossesTest, OnlyWhatTheJournalSaysOfACommandIsDone) {
    const auto id = held_sale()->sale().id;
    const auto nobody = SaleId::make(rig.clock->wall(), rig.random);
    rig.doubtful->forwarded.push_back({.number = 6, .sale = nobody, .event = CancelAsked{}});
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .event = CancelAsked{}, .request_id = "r3"});
    rig.doubtful->refuses_sharing = errc::journal_unavailable;
    rig.clock->advance(2s);
    EXPECT_EQ(rig.kept(id).current().state, AttemptState::held);
    EXPECT_FALSE(rig.log.has("taken_over"));
    rig.doubtful->refuses_sharing = {};
    std::optional<Stage> stage;
    rig.doubtful->before_next_record = [&] { stage = rig.seller->live().at(id)->stage(); };
    rig.clock->advance(1s);
    EXPECT_EQ(rig.kept(id).status, Status::CANCELADA);
    EXPECT_EQ(stage, Stage::attended);
    ASSERT_EQ(rig.doubtful->forwarded.size(), 1u);
    EXPECT_EQ(rig.doubtful->forwarded[0].number, 6) << "it waits for a sale that nobody has";
}

TEST_F(LossesTest, ACommandForASettledSaleIsDecidedWithPriority) {
    const auto id = sold_sale();
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .event = CancelAsked{}});
    std::optional<Stage> stage;
    rig.doubtful->before_next_reread = [&] { stage = rig.seller->live().at(id)->stage(); };
    rig.clock->advance(1s);
    EXPECT_EQ(stage, Stage::attended);
}

// Its attempt was cancelled without a word of the provider, so that a request that leaves late is a danger.
TEST_F(LossesTest, ACommandThatWaitsOrIsBeingDecidedIsHeardOnce) {
    rig.network->then(lost());
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    while (rig.kept(id).current().state != AttemptState::lingering)
        rig.clock->advance(1s);
    const auto attempt = rig.kept(id).current().id_externo;
    rig.network->then(lost(), 10s);  // the last cancel, while which nothing is decided
    while (rig.network->under_way == 0)
        rig.clock->advance(1s);
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .attempt = attempt, .event = SentLate{}});
    rig.clock->advance(5s);
    EXPECT_EQ(events(id, "sent_late"), 0u);
    rig.doubtful->before_next_record = [&] {  // of the cancel, and then of the command
        rig.doubtful->before_next_record = [&] { rig.doubtful->fail(); };
    };
    rig.clock->advance(10s);
    EXPECT_EQ(events(id, "sent_late"), 0u);
    rig.doubtful->mend();
    rig.clock->advance(1s);
    EXPECT_EQ(events(id, "sent_late"), 1u);
}

TEST_F(LossesTest, ACommandIsHeardWhileAnotherOneWaitsForTheJournal) {
    const auto id = held_sale()->sale().id;
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .event = ConfirmAsked{}});
    rig.seller->look_for_commands();
    rig.doubtful->fail();
    rig.clock->settle();
    rig.doubtful->forwarded.push_back({.number = 8, .sale = id, .event = ConfirmAsked{}});
    rig.seller->look_for_commands();
    rig.clock->settle();
    rig.doubtful->mend();
    rig.clock->advance(500ms);
    EXPECT_TRUE(rig.doubtful->forwarded.empty());
}

TEST_F(LossesTest, ACommandIsAboutTheAttemptThatItNames) {
    const auto id = held_at_the_second_attempt();
    const auto deadline = rig.kept(id).attempts[0].deadline;
    const auto first = rig.kept(id).attempts[0].id_externo;
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .attempt = first, .event = SentLate{}});
    rig.clock->advance(1s);
    EXPECT_TRUE(rig.doubtful->forwarded.empty());
    EXPECT_GT(rig.kept(id).attempts[0].deadline, deadline) << "its wait began anew";
}

TEST_F(LossesTest, ADecisionAboutOneAttemptHoldsUpNothingOfAnother) {
    const auto id = held_at_the_second_attempt();
    rig.network->connecting = 2s;
    Told told;
    tell(id, ConfirmAsked{}, told);
    const auto first = rig.kept(id).attempts[0].id_externo;
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .attempt = first, .event = SentLate{}});
    rig.seller->look_for_commands();
    rig.doubtful->fail();
    rig.clock->advance(3s);
    EXPECT_EQ(rig.doubtful->forwarded.size(), 1u) << "it is not decided yet";
    EXPECT_EQ(rig.books.calls["/venda/tv/confirmar"], 1);
}

TEST_F(LossesTest, ACommandForAnAttemptThatTheSaleHasNotIsForNone) {
    const auto id = held_sale()->sale().id;
    const auto other = IdExterno::make(rig.clock->wall(), rig.random);
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .attempt = other, .event = SentLate{}});
    rig.clock->advance(5s);
    EXPECT_FALSE(rig.log.has("sale.fault"));
    EXPECT_EQ(rig.doubtful->forwarded.size(), 1u);
}

TEST_F(LossesTest, WhatIsGivenOnceMoreReplacesWhatMemoryHad) {
    const auto before = held_sale();
    const auto id = before->sale().id;
    rig.doubtful->free(id);
    rig.clock->advance(1s);
    ASSERT_EQ(rig.seller->under_way(), 1u);
    const auto live = rig.seller->live().at(id);
    EXPECT_NE(live, before);
    EXPECT_EQ(before->stage(), Stage::elsewhere);
    EXPECT_EQ(live->stage(), Stage::unattended);
    const auto writes = rig.doubtful->writes;
    EXPECT_EQ(rig.sell("k1", ConfirmMode::manual).sale, live) << "its key leads to it";
    EXPECT_EQ(rig.clock->run(rig.seller->find(id)).value(), live);
    EXPECT_EQ(rig.doubtful->writes, writes) << "and the journal is asked nothing";
}

// The loop that was dropped ends when the one that replaced it has sold and is over.
TEST_F(LossesTest, ALoopThatEndsLateForgetsNothingOfOthers) {
    rig.doubtful->endings = {Ending::done, Ending::done, Ending::not_done};
    const auto sold = rig.sell("k1").sale;
    const auto id = sold->sale().id;
    rig.clock->settle();
    ASSERT_EQ(sold->sale().current().state, AttemptState::confirming);
    rig.doubtful->free(id);
    rig.seller->look_for_commands();
    rig.clock->settle();
    ASSERT_EQ(rig.seller->under_way(), 0u);
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
    rig.clock->advance(1s);
    EXPECT_EQ(sold->sale().status, Status::EFETIVADA) << "it is followed";
    EXPECT_EQ(rig.log.count("sale.closed"), 1u);
}

// Another gateway had it meanwhile, and this one was given it again.
TEST_F(LossesTest, WhatWaitedForADoubtThatEndedInALossIsTakenOver) {
    rig.doubtful->endings = {Ending::done, Ending::done, Ending::not_done_and_unknown};  // of the confirm's answer
    const auto before = rig.sell("k1").sale;
    const auto id = before->sale().id;
    rig.clock->settle();
    rig.doubtful->free(id);
    rig.seller->look_for_commands();
    rig.clock->settle();
    EXPECT_EQ(rig.seller->live().at(id), before) << "it waits";
    rig.doubtful->owned_since.insert(id);
    rig.clock->advance(500ms);
    EXPECT_EQ(rig.log.count("step=adopted"), 1u);
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
}

TEST_F(LossesTest, WhatWaitedForADoubtAndIsOwnedNoMoreIsNotTakenOver) {
    rig.patience = 0s;
    rig.doubtful->endings = {Ending::done_but_unknown};
    EXPECT_EQ(rig.sell("k1").refusal, SellRefusal::in_doubt);
    const auto id = rig.seller->live().begin()->first;
    rig.doubtful->free(id);
    rig.seller->look_for_commands();
    rig.clock->settle();
    EXPECT_TRUE(rig.log.has("warn sales.taken_over openSales=1"));
    rig.doubtful->owned_since.insert(id);
    rig.doubtful->elsewhere.insert(id);
    bool is_touched = false;
    rig.doubtful->before_next_record = [&] { is_touched = true; };
    rig.clock->advance(1s);
    EXPECT_EQ(rig.seller->under_way(), 0u);
    EXPECT_FALSE(is_touched);
}

TEST_F(LossesTest, WhatIsGivenWhileItsBeginIsNotAnsweredWaits) {
    rig.doubtful->before_next_answer = [this] { return rig.clock->sleep_for(1s); };
    std::optional<SellResult> sold;
    auto selling = [](FlowRig& r, std::optional<SellResult>& out) -> boost::asio::awaitable<void> {
        out = co_await r.seller->sell(r.order("k1"));
    };
    boost::asio::co_spawn(*rig.io, selling(rig, sold), boost::asio::detached);
    rig.clock->settle();
    ASSERT_FALSE(sold);
    const auto id = rig.seller->live().begin()->first;
    Told told;
    tell(id, CancelAsked{}, told);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->error(), errc::commit_unknown);
    rig.doubtful->free(id);
    rig.seller->look_for_commands();
    rig.clock->advance(2s);
    ASSERT_TRUE(sold);
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA) << "it went on as the one that had begun";
    EXPECT_EQ(rig.log.count("step=adopted"), 0u);
}

TEST_F(LossesTest, ASaleThatNoLeaseAllowedToSendLackedNoToken) {
    rig.patience = 0s;
    rig.network->refuses = true;
    rig.sell("k1");
    rig.clock->settle();
    rig.network->refuses = false;
    rig.network->connecting = 1s;
    rig.sell("k2");
    rig.clock->settle();
    rig.doubtful->is_trusted = false;
    rig.clock->advance(1s);
    EXPECT_EQ(rig.log.count("sale.closed"), 2u);
    ASSERT_TRUE(rig.provider->reachability().outage());
    EXPECT_EQ(rig.provider->reachability().outage()->refused, 2u);
}

// A connection is opened for long, and the cancel that came meanwhile waits for the journal.
TEST_F(LossesTest, NothingIsSentWhileACancelIsBeingDecided) {
    const auto id = held_sale()->sale().id;
    rig.network->connecting = 2s;
    Told told;
    tell(id, ConfirmAsked{}, told);
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .event = CancelAsked{}});
    rig.seller->look_for_commands();
    rig.doubtful->fail();
    rig.clock->advance(5s);
    EXPECT_EQ(rig.books.calls["/venda/tv/confirmar"], 0);
    rig.doubtful->mend();
    rig.clock->advance(10s);
    EXPECT_EQ(rig.kept(id).status, Status::CANCELADA);
    EXPECT_EQ(rig.books.calls["/venda/tv/confirmar"], 0);
}

}  // namespace
}  // namespace gateway::test
