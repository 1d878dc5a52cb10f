#include "flow/seller.hpp"

#include "journal/sqlite/database.hpp"
#include "unit/flow/rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using Refusal = SellRefusal;

class SellerTest : public testing::Test {
  protected:
    Result<std::shared_ptr<LiveSale>> tell(SaleId id, Event event) {
        return rig.clock->run(rig.seller->tell(id, std::move(event), "t", rig.clock->now() + 5s));
    }
    FlowRig rig;
};

TEST_F(SellerTest, ARepeatedKeyNeverMakesASecondSale) {
    const auto first = rig.sell("k1");
    rig.clock->settle();
    const auto again = rig.sell("k1");
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.sale->sale().id, first.sale->sale().id);
    EXPECT_EQ(rig.books.calls["/venda/tv/solicitar"], 1);
}

TEST_F(SellerTest, TwoCallsAtOnceJoinOneSale) {
    std::vector<SellResult> sold;
    const auto one = [&]() -> boost::asio::awaitable<void> {
        sold.push_back(co_await rig.seller->sell(rig.order("k1")));
    };
    boost::asio::co_spawn(*rig.io, one(), boost::asio::detached);
    boost::asio::co_spawn(*rig.io, one(), boost::asio::detached);
    rig.clock->settle();
    ASSERT_EQ(sold.size(), 2u);
    EXPECT_EQ(sold[0].sale->sale().id, sold[1].sale->sale().id);
    EXPECT_NE(sold[0].replayed, sold[1].replayed);
    EXPECT_EQ(rig.books.status.size(), 1u);
}

TEST_F(SellerTest, AKeyIsRememberedAcrossARestart) {
    const auto first = rig.sell("k1");
    rig.clock->settle();
    const auto id = first.sale->sale().id;
    rig.crash();
    const auto again = rig.sell("k1");
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.sale->sale().id, id);
    EXPECT_EQ(rig.books.status.size(), 1u);
}

TEST_F(SellerTest, AKeyWithAnotherOrderIsRefusedWhileItRunsAndAfterwards) {
    rig.network->then(answered(200, "{}"), 3s);
    const auto first = rig.sell("k1");
    auto other = rig.order("k1");
    other.digest = "another";
    other.order.produto = "TV Anual";
    for (const auto wait : {0min, 10min}) {
        rig.clock->advance(wait);
        const auto again = rig.clock->run(rig.seller->sell(SellOrder(other)));
        EXPECT_EQ(again.refusal, Refusal::key_reused);
        EXPECT_EQ(again.sale->sale().id, first.sale->sale().id);
        EXPECT_EQ(again.differing, std::vector<std::string>{"produto"});
    }
}

TEST_F(SellerTest, AKeyWithAnotherSpellingOfTheOrderIsARepeatWhileItRunsAndAfterwards) {
    rig.network->then(answered(200, "{}"), 3s);
    const auto first = rig.sell("k1");
    auto other = rig.order("k1");
    other.digest = "another";
    for (const auto wait : {0min, 10min}) {
        rig.clock->advance(wait);
        const auto again = rig.clock->run(rig.seller->sell(SellOrder(other)));
        EXPECT_TRUE(again.replayed);
        EXPECT_EQ(again.sale->sale().id, first.sale->sale().id);
    }
}

TEST_F(SellerTest, AKeyBelongsToItsTerminal) {
    rig.sell("k1");
    auto other = rig.order("k1");
    other.terminal = "caixa-02";
    EXPECT_FALSE(rig.clock->run(rig.seller->sell(SellOrder(other))).replayed);
    rig.clock->settle();
    EXPECT_EQ(rig.books.status.size(), 2u);
}

TEST_F(SellerTest, AKeyThatWasCancelledBeforeItCameSellsNothing) {
    const auto cancelled = rig.clock->run(rig.seller->cancel_key("caixa-01", "k1", never));
    EXPECT_EQ(*cancelled, nullptr);
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::key_cancelled);
    rig.crash();
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::key_cancelled);
    EXPECT_TRUE(rig.books.status.empty());
}

TEST_F(SellerTest, RefusesOnlyNewSalesWhenItStopsTaking) {
    rig.sell("k1");
    rig.clock->settle();
    rig.seller->stop_taking();
    EXPECT_TRUE(rig.sell("k1").replayed);
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::shutting_down);
}

TEST_F(SellerTest, WhatWasFoundAtStartTakesNoNewSalesPlace) {
    const auto first = rig.sell("k1", ConfirmMode::manual);
    rig.sell("k2", ConfirmMode::manual);
    rig.sell("k3", ConfirmMode::manual);
    rig.clock->settle();
    rig.in_flight = 2;  // used from the next start on
    rig.crash();
    EXPECT_EQ(rig.adopted, 3u);
    EXPECT_EQ(rig.sell("k4", ConfirmMode::manual).refusal, Refusal::none);
    EXPECT_EQ(rig.sell("k5", ConfirmMode::manual).refusal, Refusal::none);
    rig.clock->settle();
    EXPECT_EQ(rig.sell("k6").refusal, Refusal::overloaded);
    // One of the sales that the start found comes to its end. It makes no room for a new one, because it took none.
    ASSERT_TRUE(tell(first.sale->sale().id, ConfirmAsked{}).has_value());
    rig.clock->settle();
    EXPECT_EQ(rig.kept(first.sale->sale().id).status, Status::EFETIVADA);
    EXPECT_EQ(rig.sell("k7").refusal, Refusal::overloaded);
}

TEST_F(SellerTest, AHeldSaleIsConfirmedByItsTerminal) {
    const auto sold = rig.sell("k1", ConfirmMode::manual);
    rig.clock->settle();
    EXPECT_EQ(outcome_of(sold.sale->sale()), Outcome::held);
    ASSERT_TRUE(tell(sold.sale->sale().id, ConfirmAsked{}).has_value());
    rig.clock->settle();
    EXPECT_EQ(rig.kept(sold.sale->sale().id).status, Status::EFETIVADA);
}

TEST_F(SellerTest, AHeldSaleThatNobodyDecidesIsCancelledInTime) {
    const auto sold = rig.sell("k1", ConfirmMode::manual);
    rig.clock->advance(rig.rules.hold - 1s);
    EXPECT_EQ(rig.kept(sold.sale->sale().id).status, Status::AUTORIZADA);
    rig.clock->advance(2s);
    EXPECT_EQ(rig.kept(sold.sale->sale().id).status, Status::CANCELADA);
    EXPECT_EQ(rig.kept(sold.sale->sale().id).reason->code, ReasonCode::hold_expired);
}

TEST_F(SellerTest, AHeldSaleGoesOnWaitingAcrossARestart) {
    const auto sold = rig.sell("k1", ConfirmMode::manual);
    rig.clock->settle();
    const auto id = sold.sale->sale().id;
    rig.crash();
    EXPECT_EQ(rig.kept(id).status, Status::AUTORIZADA);
    ASSERT_TRUE(tell(id, ConfirmAsked{}).has_value());
    rig.clock->settle();
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
}

TEST_F(SellerTest, OfAConfirmAndACancelAtOnceOneWins) {
    const auto sold = rig.sell("k1", ConfirmMode::manual);
    rig.clock->settle();
    const auto id = sold.sale->sale().id;
    const auto deadline = rig.clock->now() + 5s;
    boost::asio::co_spawn(*rig.io, rig.seller->tell(id, CancelAsked{}, "t", deadline), boost::asio::detached);
    boost::asio::co_spawn(*rig.io, rig.seller->tell(id, ConfirmAsked{}, "t", deadline), boost::asio::detached);
    rig.clock->settle();
    EXPECT_EQ(rig.kept(id).status, Status::CANCELADA);
    EXPECT_EQ(rig.books.calls["/venda/tv/confirmar"], 0);
}

TEST_F(SellerTest, AFinishedSaleIsFoundInTheJournal) {
    const auto sold = rig.sell("k1");
    rig.clock->settle();
    const auto found = rig.clock->run(rig.seller->find(sold.sale->sale().id));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ((*found)->sale().status, Status::EFETIVADA);
    SeededRandom other(9);
    EXPECT_EQ(rig.clock->run(rig.seller->find(SaleId::make(rig.clock->wall(), other))).error(), errc::not_found);
}

TEST_F(SellerTest, NobodyWaitsForASaleThatAPersonHasToLookAt) {
    rig.network->otherwise = [this](const http::ClientRequest& request) {
        return request.target.ends_with("/solicitar") ? rig.books.answer(request) : lost();
    };
    const auto sold = rig.sell("k1");
    rig.clock->settle();
    EXPECT_EQ(rig.seller->undecided(), 1u);
    rig.clock->advance(20min);
    ASSERT_EQ(sold.sale->sale().attention, Attention::unsettled);
    EXPECT_EQ(rig.seller->undecided(), 0u);
}

TEST_F(SellerTest, ASaleThatRestsUntilAPersonHasLookedTakesNobodysPlace) {
    rig.in_flight = 1;
    rig.rules.can_cancel.at(index_of(Family::health)) = false;
    rig.crash();
    rig.network->then(lost());
    auto order = rig.order("k1");
    order.order.family = Family::health;
    const auto sold = rig.clock->run(rig.seller->sell(std::move(order)));
    rig.clock->settle();
    ASSERT_EQ(sold.sale->sale().attention, Attention::no_cancel_path);
    ASSERT_EQ(rig.seller->under_way(), 1u);
    EXPECT_EQ(rig.sell("k2", ConfirmMode::manual).refusal, Refusal::none);
    rig.clock->settle();
    EXPECT_EQ(rig.sell("k3").refusal, Refusal::overloaded) << "the held one has the place";
    ASSERT_TRUE(tell(sold.sale->sale().id, Resolved{.note = "n"}).has_value());
    rig.clock->settle();
    EXPECT_EQ(rig.seller->under_way(), 1u);
    EXPECT_EQ(rig.sell("k3").refusal, Refusal::overloaded);
}

TEST_F(SellerTest, ABeginInDoubtIsAnsweredAsSuchWhenTheTerminalsPatienceEnds) {
    using Ending = DoubtfulJournal::Ending;
    rig.doubtful->endings = {Ending::done_but_unknown, Ending::not_done_and_unknown, Ending::not_done_and_unknown};
    rig.patience = 600ms;
    auto selling = [](FlowRig& r, std::optional<SellResult>& out) -> boost::asio::awaitable<void> {
        out = co_await r.seller->sell(r.order("k1"));
    };
    std::optional<SellResult> first;
    std::optional<SellResult> second;  // it joins the first one, and is told nothing more
    boost::asio::co_spawn(*rig.io, selling(rig, first), boost::asio::detached);
    boost::asio::co_spawn(*rig.io, selling(rig, second), boost::asio::detached);
    rig.clock->advance(700ms);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->refusal, SellRefusal::in_doubt);
    EXPECT_EQ(second->refusal, SellRefusal::in_doubt);
    EXPECT_FALSE(first->replayed) << "it may have begun the sale";
    EXPECT_TRUE(second->replayed);
    EXPECT_TRUE(rig.books.status.empty()) << "nothing is done meanwhile";
    rig.clock->advance(10s);
    const auto asked_again = rig.sell("k1");
    ASSERT_TRUE(asked_again.sale);
    EXPECT_TRUE(asked_again.replayed);
    EXPECT_EQ(rig.books.status.size(), 1u) << "one key, one transaction";
    EXPECT_EQ(rig.kept(asked_again.sale->sale().id).status, Status::EFETIVADA);
}

TEST_F(SellerTest, ACancelledKeyInDoubtIsCancelledAgainUntilItIsKnown) {
    using Ending = DoubtfulJournal::Ending;
    rig.doubtful->endings = {Ending::not_done_and_unknown, Ending::done_but_unknown};
    const auto gives_up = rig.clock->run(rig.seller->cancel_key("caixa-01", "k1", rig.clock->now()));
    EXPECT_EQ(gives_up.error(), errc::commit_unknown);
    const auto cancelled = rig.clock->run(rig.seller->cancel_key("caixa-01", "k1", never));
    ASSERT_TRUE(cancelled.has_value());
    EXPECT_EQ(*cancelled, nullptr);
    EXPECT_EQ(rig.sell("k1").refusal, SellRefusal::key_cancelled);
}

class DuplicatesTest : public SellerTest {
  protected:
    DuplicatesTest() {
        rig.duplicate_window = 5min;
        rig.crash();
    }
    SellOrder again(std::string key, bool repeat = false) {
        auto order = rig.order(std::move(key));
        order.repeat = repeat;
        return order;
    }
};

TEST_F(DuplicatesTest, TheSameWithAnotherKeyIsNotBegunAndItsKeyStaysFree) {
    const auto first = rig.sell("k1");
    rig.clock->settle();
    const auto told = rig.sell("k2");
    EXPECT_EQ(told.refusal, Refusal::possible_duplicate);
    EXPECT_EQ(told.sale->sale().id, first.sale->sale().id);
    EXPECT_EQ(told.sale->sale().status, Status::EFETIVADA);
    EXPECT_FALSE(told.key_was_known());
    EXPECT_EQ(rig.seller->under_way(), 0u);
    EXPECT_EQ(rig.books.status.size(), 1u);
    const auto wanted = rig.clock->run(rig.seller->sell(again("k2", true)));
    EXPECT_EQ(wanted.refusal, Refusal::none);
    EXPECT_FALSE(wanted.replayed);
    EXPECT_EQ(rig.books.status.size(), 2u);
    EXPECT_TRUE(rig.sell("k2").replayed) << "a known key is answered first";
    EXPECT_TRUE(rig.sell("k1").replayed);
}

TEST_F(DuplicatesTest, WhatIsStillBeingSoldCountsToo) {
    rig.network->then(answered(200, "{}"), 3s);
    const auto first = rig.sell("k1");
    const auto told = rig.sell("k2");
    EXPECT_EQ(told.refusal, Refusal::possible_duplicate);
    EXPECT_EQ(told.sale, first.sale);
    rig.clock->advance(10s);
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::none) << "the first was cancelled";
}

TEST_F(DuplicatesTest, OfTwoAtOnceOneIsSold) {
    std::vector<SellResult> told;
    const auto selling = [&](std::string key) -> boost::asio::awaitable<void> {
        told.push_back(co_await rig.seller->sell(rig.order(std::move(key))));
    };
    boost::asio::co_spawn(*rig.io, selling("k1"), boost::asio::detached);
    boost::asio::co_spawn(*rig.io, selling("k2"), boost::asio::detached);
    rig.clock->settle();
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].refusal, Refusal::none);
    EXPECT_EQ(told[1].refusal, Refusal::possible_duplicate);
    EXPECT_EQ(rig.books.status.size(), 1u);
}

TEST_F(DuplicatesTest, AreKnownAcrossARestartAndForgottenAfterTheWindow) {
    rig.sell("k1");
    rig.clock->settle();
    rig.crash();
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::possible_duplicate);
    rig.clock->advance(5min + 1s);
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::none);
}

TEST_F(DuplicatesTest, ABeginInDoubtThatTurnsOutToBeOneIsWithdrawn) {
    using Ending = DoubtfulJournal::Ending;
    const auto first = rig.sell("k1");
    rig.clock->settle();
    rig.doubtful->endings = {Ending::not_done_and_unknown};
    rig.patience = 10s;
    const auto told = rig.sell("k2");
    EXPECT_EQ(told.refusal, Refusal::possible_duplicate);
    EXPECT_EQ(told.sale->sale().id, first.sale->sale().id);
    EXPECT_EQ(rig.seller->under_way(), 0u);
    EXPECT_EQ(rig.books.status.size(), 1u);
}

TEST_F(DuplicatesTest, OneThatIsInDoubtItselfLeavesTheAnswerOpen) {
    using Ending = DoubtfulJournal::Ending;
    rig.doubtful->endings = {Ending::done_but_unknown, Ending::done, Ending::not_done_and_unknown};
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::in_doubt);
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::in_doubt);
    rig.clock->advance(10s);
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::possible_duplicate);
}

TEST_F(DuplicatesTest, OneWhoseRowCannotBeReadIsOneAllTheSame) {
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    auto database = *sqlite::Database::open(rig.folder.path("journal.db"), nullptr);
    ASSERT_TRUE(database.ask("UPDATE sales SET attempts = '[' WHERE id = ?", id.text()).has_value());
    const auto told = rig.sell("k2");
    EXPECT_EQ(told.refusal, Refusal::possible_duplicate);
    EXPECT_FALSE(told.sale);
}

TEST_F(SellerTest, WithoutAWindowTheSameIsSoldAsOftenAsItIsAskedFor) {
    rig.sell("k1");
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::none);
}

class CardsTest : public SellerTest {
  protected:
    CardsTest() { rig.patience = 20s; }

    SellOrder charge(std::string key, ConfirmMode mode = ConfirmMode::automatic, const char* card = "1000000002") {
        auto order = rig.order(std::move(key), mode);
        order.order.family = Family::transit;
        order.order.segment = "bilhete";
        order.order.fields = {{"numeroCartao", card}, {"valor", "2500"}};
        return order;
    }
    // Begins a sell. What became of it is in `told` once it is known.
    void start(SellOrder order) {
        auto selling = [](CardsTest& t, SellOrder asked) -> boost::asio::awaitable<void> {
            const auto key = asked.key;
            t.told.insert_or_assign(key, co_await t.rig.seller->sell(std::move(asked)));
            t.begun += key + " ";
        };
        boost::asio::co_spawn(*rig.io, selling(*this, std::move(order)), boost::asio::detached);
        rig.clock->settle();
    }
    bool is_in_journal(const char* key) {
        const auto state = rig.clock->run(rig.journal->find_key("caixa-01", key));
        return state->sale.has_value();
    }

    std::map<std::string, SellResult> told;
    std::string begun;  // keys, in the order in which they were answered
};

TEST_F(CardsTest, SellsOfOneWaitInOrderUntilTheOneBeforeIsNoLongerPending) {
    rig.network->then(answered(200, "{}"), 3s);  // nobody knows what became of it, so it is cancelled
    start(charge("k1"));
    start(charge("k2"));
    start(charge("k3"));
    EXPECT_EQ(begun, "k1 ");
    EXPECT_FALSE(is_in_journal("k2")) << "nothing is begun before its turn";
    rig.clock->advance(2s);
    EXPECT_EQ(rig.network->seen.size(), 1u);
    rig.clock->advance(2s);
    EXPECT_EQ(begun, "k1 k2 k3 ");
    EXPECT_EQ(rig.kept(told["k1"].sale->sale().id).status, Status::CANCELADA);
    EXPECT_EQ(rig.kept(told["k3"].sale->sale().id).status, Status::EFETIVADA);
    EXPECT_EQ(told["k2"].sale->sale().created_at - told["k1"].sale->sale().created_at, 3s);
}

TEST_F(CardsTest, AnotherCardAndAnotherFamilyWaitForNobody) {
    rig.network->then(answered(200, "{}"), 3s);
    start(charge("k1"));
    start(charge("k2", ConfirmMode::automatic, "1000000001"));
    start(rig.order("k3"));
    EXPECT_EQ(begun, "k1 k2 k3 ");
}

TEST_F(CardsTest, AHeldSaleKeepsNobodyWaiting) {
    start(charge("k1", ConfirmMode::manual));
    EXPECT_EQ(outcome_of(told["k1"].sale->sale()), Outcome::held);
    start(charge("k2"));
    EXPECT_EQ(begun, "k1 k2 ");
}

TEST_F(CardsTest, AfterHalfOfTheTerminalsWaitNothingWasBegun) {
    rig.network->then(answered(200, "{}"), 15s);
    start(charge("k1"));
    start(charge("k2"));
    rig.clock->advance(9999ms);
    EXPECT_EQ(begun, "k1 ");
    rig.clock->advance(1ms);
    EXPECT_EQ(told["k2"].refusal, Refusal::card_busy);
    EXPECT_FALSE(is_in_journal("k2"));
    rig.clock->advance(10s);
    start(charge("k2"));
    EXPECT_EQ(told["k2"].refusal, Refusal::none) << "its key was free";
}

TEST_F(CardsTest, AKnownKeyWaitsForNobody) {
    start(charge("k0"));
    rig.clock->advance(1s);
    rig.network->then(answered(200, "{}"), 15s);
    start(charge("k1"));
    start(charge("k0"));
    EXPECT_TRUE(told["k0"].replayed) << "from the journal";
    start(charge("k1"));
    EXPECT_TRUE(told["k1"].replayed) << "joins what runs";
}

TEST_F(CardsTest, ARepeatOfOneThatWaitsJoinsItOnceThatHasBegun) {
    rig.network->then(answered(200, "{}"), 3s);
    start(charge("k1"));
    start(charge("k2"));
    start(charge("k2"));
    rig.clock->advance(5s);
    EXPECT_EQ(begun, "k1 k2 k2 ");
    EXPECT_TRUE(told["k2"].replayed);
    EXPECT_EQ(rig.books.calls["/venda/transporte/bilhete/solicitar"], 1);
}

TEST_F(CardsTest, AStopEndsTheWaits) {
    rig.network->then(answered(200, "{}"), 15s);
    start(charge("k1"));
    start(charge("k2"));
    rig.seller->stop_taking();
    rig.clock->settle();
    EXPECT_EQ(told["k2"].refusal, Refusal::shutting_down);
    EXPECT_FALSE(is_in_journal("k2"));
}

TEST_F(CardsTest, ABeginThatFailsKeepsNobodyWaiting) {
    ASSERT_TRUE(rig.clock->run(rig.journal->cancel_key("caixa-01", "k1")).has_value());
    start(charge("k1"));
    EXPECT_EQ(told["k1"].refusal, Refusal::key_cancelled);
    start(charge("k2"));
    EXPECT_EQ(begun, "k1 k2 ");
    EXPECT_EQ(told["k2"].refusal, Refusal::none);
}

TEST_F(CardsTest, WhatAStopLeftPendingIsWaitedForToo) {
    rig.books.answers_confirms = false;
    start(charge("k1"));
    rig.crash();
    start(charge("k2"));
    EXPECT_EQ(begun, "k1 ");
    rig.books.answers_confirms = true;
    rig.clock->advance(9s);
    EXPECT_EQ(begun, "k1 k2 ");
}

// Its row could not be read at the start, and was repaired since then.
TEST_F(SellerTest, WhatTheStartOverlookedIsNeverAskedForOnceMore) {
    auto sale = rig.sell("k1", ConfirmMode::manual).sale->sale();
    const auto model = sale.current();
    sale.id = SaleId::make(rig.clock->wall(), rig.random);
    sale.key = "k2";
    sale.status = Status::PENDENTE;
    sale.attempts = {{.id_externo = IdExterno::make(rig.clock->wall(), rig.random), .created_at = model.created_at}};
    ASSERT_TRUE(rig.clock->run(rig.journal->begin(sale)).has_value());
    rig.clock->settle();
    const auto before = rig.books.calls["/venda/tv/solicitar"];
    Event command = ConfirmAsked{};  // the law has no use for it
    (void)rig.clock->run(rig.seller->tell(sale.id, std::move(command), "r", never));
    rig.clock->advance(1h);
    EXPECT_EQ(rig.books.calls["/venda/tv/solicitar"], before);
    EXPECT_EQ(rig.kept(sale.id).status, Status::CANCELADA);
    EXPECT_TRUE(rig.kept(sale.id).settled);
}

}  // namespace
}  // namespace gateway::test
