// Tests what the seller makes of a journal that refuses, does not know, or answers late.
#include "flow/seller.hpp"
#include "journal/sqlite/database.hpp"
#include "unit/flow/rig.hpp"
#include "unit/support/new_sale.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using Refusal = SellRefusal;
using Ending = DoubtfulJournal::Ending;
using Stage = LiveSale::Stage;

class SellerJournalTest : public testing::Test {
  protected:
    using Found = Result<std::shared_ptr<LiveSale>>;

    Found tell(SaleId id, Event event, Duration patience = 5s) {
        return rig.clock->run(rig.seller->tell(id, std::move(event), "r2", rig.clock->now() + patience));
    }
    Result<StatedEffect> state(SaleId id, Status status, Duration patience = 5s) {
        const auto attempt = rig.kept(id).current().id_externo;
        const auto deadline = rig.clock->now() + patience;
        return rig.clock->run(rig.seller->state(id, attempt, {.status = status, .source = "s"}, deadline));
    }
    Found cancel(std::string key, Duration patience = 5s) {
        return rig.clock->run(rig.seller->cancel_key("caixa-01", std::move(key), rig.clock->now() + patience));
    }
    // Does not wait for the end of the sell.
    void start(SellOrder order, std::optional<SellResult>& out) {
        auto selling = [](FlowRig& r, SellOrder asked,
                          std::optional<SellResult>& sold) -> boost::asio::awaitable<void> {
            sold = co_await r.seller->sell(std::move(asked));
        };
        boost::asio::co_spawn(*rig.io, selling(rig, std::move(order), out), boost::asio::detached);
        rig.clock->settle();
    }
    SaleId sold_sale(std::string key = "k1") {
        const auto id = rig.sell(std::move(key)).sale->sale().id;
        rig.clock->settle();
        EXPECT_TRUE(rig.kept(id).settled);
        return id;
    }
    // Nobody can read the sale's row from now on.
    void damage(SaleId id) {
        auto database = *sqlite::Database::open(rig.folder.path("journal.db"), nullptr);
        ASSERT_TRUE(database.ask("UPDATE sales SET attempts = '[' WHERE id = ?", id.text()).has_value());
    }
    SellOrder charge(std::string key) {
        auto order = rig.order(std::move(key));
        order.order.family = Family::transit;
        order.order.segment = "bilhete";
        order.order.fields = {{"numeroCartao", "1000000002"}, {"valor", "2500"}};
        return order;
    }

    FlowRig rig;
};

TEST_F(SellerJournalTest, ASaleThatItDoesNotTakeIsRefusedCountedAndSaid) {
    rig.doubtful->endings = {Ending::not_done};
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::journal_unavailable);
    EXPECT_EQ(rig.metrics->journal_failures, 1u);
    EXPECT_EQ(rig.metrics->durable_time.count(), 0u) << "nothing became durable";
    EXPECT_EQ(rig.log.count("error journal.failed terminal=caixa-01 request=r"), 1u);
    EXPECT_EQ(rig.seller->under_way(), 0u);
    EXPECT_EQ(rig.metrics->begun.at(index_of(Family::tv)), 0u);
    EXPECT_FALSE(rig.log.has("sale.begun"));
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::none) << "its key is free";
}

TEST_F(SellerJournalTest, AKeyThatHasItsSaleOrWasCancelledIsNoFailureOfTheJournal) {
    sold_sale("k1");
    EXPECT_TRUE(rig.sell("k1").replayed);
    ASSERT_TRUE(cancel("k2").has_value());
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::key_cancelled);
    EXPECT_EQ(rig.metrics->journal_failures, 0u);
    EXPECT_FALSE(rig.log.has("journal.failed"));
    rig.seller->stop_taking();
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::key_cancelled);
}

TEST_F(SellerJournalTest, AKnownKeyWhoseSaleCannotBeLookedUpIsKnown) {
    sold_sale();
    rig.doubtful->refuses_reads = errc::journal_unavailable;
    const auto told = rig.sell("k1");
    EXPECT_EQ(told.refusal, Refusal::journal_unavailable);
    EXPECT_TRUE(told.replayed);
}

TEST_F(SellerJournalTest, OfAKeyWhoseSaleCannotBeReadThatIsSaidWhateverTheLoadIs) {
    damage(sold_sale());
    const auto told = rig.sell("k1");
    EXPECT_EQ(told.refusal, Refusal::sale_unreadable);
    EXPECT_FALSE(told.sale);
    EXPECT_TRUE(told.key_was_known());
    EXPECT_EQ(rig.metrics->journal_failures, 0u);
    rig.seller->stop_taking();
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::sale_unreadable);
    EXPECT_EQ(rig.metrics->journal_failures, 0u);
}

TEST(SellResult, SaysOfEveryKeyThatWasUsedOrCancelledThatItWasKnown) {
    for (const auto why : {Refusal::key_reused, Refusal::key_cancelled, Refusal::sale_unreadable})
        EXPECT_TRUE((SellResult{.sale = nullptr, .refusal = why}.key_was_known()));
    EXPECT_TRUE((SellResult{.sale = nullptr, .replayed = true}.key_was_known()));
    EXPECT_FALSE((SellResult{.sale = nullptr, .refusal = Refusal::overloaded}.key_was_known()));
}

TEST_F(SellerJournalTest, OnlyASaleWhoseStepCannotBeWrittenWaitsForTheJournal) {
    const auto live = rig.sell("k1", ConfirmMode::manual).sale;
    rig.clock->settle();
    rig.doubtful->fail();
    EXPECT_FALSE(rig.seller->waits_for_journal(*live)) << "it has no step";
    std::optional<bool> with_disk;
    std::optional<bool> without_disk;
    rig.doubtful->before_next_record = [&] {
        without_disk = rig.seller->waits_for_journal(*live);
        rig.doubtful->mend();
        with_disk = rig.seller->waits_for_journal(*live);
    };
    ASSERT_TRUE(tell(live->sale().id, ConfirmAsked{}).has_value());
    EXPECT_EQ(without_disk, true);
    EXPECT_EQ(with_disk, false);
}

TEST_F(SellerJournalTest, OfAKeyWhoseSaleHasNoReadableIdThatIsSaidTooAndIsNoFailure) {
    const auto id = sold_sale();
    auto database = *sqlite::Database::open(rig.folder.path("journal.db"), nullptr);
    ASSERT_TRUE(database.ask("UPDATE sales SET id = 'x' || id WHERE id = ?", id.text()).has_value());
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::sale_unreadable);
    rig.seller->stop_taking();
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::sale_unreadable);
    EXPECT_EQ(rig.metrics->journal_failures, 0u);
    EXPECT_FALSE(rig.log.has("journal.failed"));
}

TEST_F(SellerJournalTest, WhereAKeyCannotBeLookedUpNothingIsSaidOfIt) {
    sold_sale();
    rig.seller->stop_taking();
    for (const auto why : {errc::journal_unavailable, errc::not_owned}) {
        rig.doubtful->refuses_reads = why;
        EXPECT_EQ(rig.sell("k1").refusal, Refusal::journal_unavailable);
        EXPECT_EQ(rig.sell("k2").refusal, Refusal::journal_unavailable);
    }
    rig.doubtful->refuses_reads = {};
    EXPECT_TRUE(rig.sell("k1").replayed);
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::shutting_down);
}

TEST_F(SellerJournalTest, OfACardThatIsTakenTheKeyIsLookedUpBeforeTheTurn) {
    rig.patience = 20s;
    rig.network->then(answered(200, "{}"), 10s);
    std::optional<SellResult> first;
    start(charge("k1"), first);
    const auto reads = rig.doubtful->reads;
    rig.doubtful->refuses_reads = errc::journal_unavailable;
    std::optional<SellResult> second;
    start(charge("k2"), second);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->refusal, Refusal::journal_unavailable);
    EXPECT_EQ(rig.doubtful->reads, reads + 1);
    std::optional<SellResult> joined;
    start(charge("k1"), joined);
    ASSERT_TRUE(joined);
    EXPECT_TRUE(joined->replayed) << "memory knows it";
    EXPECT_EQ(joined->sale, first->sale);
}

TEST_F(SellerJournalTest, OfACardThatIsFreeNothingIsLookedUp) {
    rig.doubtful->refuses_reads = errc::journal_unavailable;
    std::optional<SellResult> sold;
    start(charge("k1"), sold);
    ASSERT_TRUE(sold);
    EXPECT_EQ(sold->refusal, Refusal::none);
}

TEST_F(SellerJournalTest, ARepeatOfWhatRunsIsAnsweredFromMemoryAlone) {
    rig.network->then(answered(200, "{}"), 10s);
    const auto first = rig.sell("k1");
    const auto writes = rig.doubtful->writes;
    rig.doubtful->refuses_reads = errc::journal_unavailable;
    const auto again = rig.sell("k1");
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.sale, first.sale);
    EXPECT_EQ(cancel("k1").value(), first.sale);
    EXPECT_EQ(rig.clock->run(rig.seller->find(first.sale->sale().id)).value(), first.sale);
    rig.seller->stop_taking();
    EXPECT_EQ(rig.sell("k1").sale, first.sale);
    EXPECT_EQ(rig.doubtful->writes, writes);
    EXPECT_EQ(rig.metrics->replays, 2u);
}

TEST_F(SellerJournalTest, ABeginInDoubtIsRepeatedEveryHalfSecondUntilItIsKnown) {
    rig.doubtful->endings = {Ending::not_done_and_unknown, Ending::not_done, Ending::not_done_and_unknown};
    std::optional<SellResult> sold;
    rig.patience = 10s;
    start(rig.order("k1"), sold);
    EXPECT_EQ(rig.log.count("error journal.failed sale="), 1u);
    EXPECT_TRUE(rig.log.has("terminal=caixa-01 request=r detail="));
    for (int tries = 1; tries < 4; ++tries) {
        EXPECT_EQ(rig.doubtful->writes, tries);
        rig.clock->advance(499ms);
        EXPECT_EQ(rig.doubtful->writes, tries);
        EXPECT_FALSE(sold);
        rig.clock->advance(1ms);
    }
    ASSERT_TRUE(sold);
    EXPECT_EQ(sold->refusal, Refusal::none);
    EXPECT_FALSE(sold->replayed);
    const auto writes = rig.doubtful->writes;
    rig.clock->advance(10s);
    EXPECT_EQ(rig.doubtful->writes, writes) << "what is known is not begun again";
    EXPECT_EQ(rig.log.count("sale.begun"), 1u);
    EXPECT_EQ(rig.metrics->journal_failures, 0u);
}

TEST_F(SellerJournalTest, WhoJoinsADoubtAsksTheJournalNothing) {
    rig.doubtful->endings = {Ending::not_done_and_unknown, Ending::not_done_and_unknown};
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::in_doubt);
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::in_doubt);
    EXPECT_EQ(cancel("k1", 0s).error(), errc::commit_unknown);
    const auto id = rig.seller->live().begin()->first;
    EXPECT_EQ(rig.clock->run(rig.seller->find(id)).error(), errc::commit_unknown);
    EXPECT_EQ(tell(id, CancelAsked{}).error(), errc::commit_unknown);
    EXPECT_FALSE(rig.seller->may_tell(*rig.seller->live().begin()->second));
    EXPECT_EQ(rig.doubtful->writes, 1);
    EXPECT_EQ(rig.doubtful->reads, 0);
}

TEST_F(SellerJournalTest, OfACardASaleInDoubtKeepsItsTurnAndItsKey) {
    rig.doubtful->endings = {Ending::not_done_and_unknown, Ending::not_done_and_unknown, Ending::not_done_and_unknown};
    EXPECT_EQ(rig.clock->run(rig.seller->sell(charge("k1"))).refusal, Refusal::in_doubt);
    const auto again = rig.clock->run(rig.seller->sell(charge("k1")));
    EXPECT_EQ(again.refusal, Refusal::in_doubt);
    EXPECT_TRUE(again.replayed);
    rig.patience = 20s;
    std::optional<SellResult> next;
    start(charge("k2"), next);
    EXPECT_FALSE(next);
    rig.clock->advance(1499ms);
    EXPECT_FALSE(next);
    rig.clock->advance(1ms);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->refusal, Refusal::none);
}

TEST_F(SellerJournalTest, ASaleInDoubtHasAPlaceAndOneThatWasWithdrawnHasNone) {
    rig.in_flight = 1;
    rig.crash();
    rig.doubtful->endings = {Ending::not_done_and_unknown};
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::in_doubt);
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::overloaded);
    rig.clock->advance(1s);
    ASSERT_EQ(rig.seller->under_way(), 0u) << "it is sold";
    ASSERT_TRUE(cancel("k2").has_value());
    EXPECT_EQ(rig.sell("k2").refusal, Refusal::key_cancelled);
    EXPECT_EQ(rig.sell("k3", ConfirmMode::manual).refusal, Refusal::none);
    rig.clock->settle();
    EXPECT_EQ(rig.sell("k4").refusal, Refusal::overloaded) << "no place was given back twice";
}

TEST_F(SellerJournalTest, WhoWaitedForASaleThatDidNotBeginIsToldWhatTheKeyLedTo) {
    rig.doubtful->endings = {Ending::not_done_and_unknown};
    rig.patience = 10s;
    std::optional<SellResult> first;
    std::optional<SellResult> second;
    start(rig.order("k1"), first);
    start(rig.order("k1"), second);
    ASSERT_TRUE(rig.clock->run(rig.journal->cancel_key("caixa-01", "k1")).has_value());
    rig.clock->advance(500ms);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->refusal, Refusal::key_cancelled);
    EXPECT_EQ(second->refusal, Refusal::key_cancelled);
    EXPECT_FALSE(second->sale);
}

// The body is written otherwise, so that only the fields can tell; where it is the same, only the body does.
TEST_F(SellerJournalTest, ARepeatOfWhatIsOverIsKnownByItsFieldsAndByItsBody) {
    auto asked = charge("k1");
    asked.order.fornecedor = "Metro";
    asked.order.estabelecimento = "77";
    asked.names_estabelecimento = true;
    ASSERT_EQ(rig.clock->run(rig.seller->sell(SellOrder(asked))).refusal, Refusal::none);
    rig.clock->settle();
    ASSERT_EQ(rig.seller->under_way(), 0u);
    for (const auto ending : {Ending::done, Ending::not_done_and_unknown}) {
        auto other = asked;
        other.digest = "another";
        other.patience = rig.clock->now() + 10s;
        rig.doubtful->endings = {ending};
        EXPECT_TRUE(rig.clock->run(rig.seller->sell(std::move(other))).replayed);
        auto same = asked;
        same.order.produto = "what the menu calls it by now";
        same.patience = rig.clock->now() + 10s;
        rig.doubtful->endings = {ending};
        EXPECT_TRUE(rig.clock->run(rig.seller->sell(std::move(same))).replayed);
    }
}

TEST_F(SellerJournalTest, ACommandThatIsNotDecidedInTimeMayBeAllTheSame) {
    const auto id = rig.held_sale();
    rig.doubtful->endings = {Ending::not_done_and_unknown, Ending::not_done_and_unknown};
    EXPECT_EQ(tell(id, ConfirmAsked{}, 100ms).error(), errc::commit_unknown);
    EXPECT_EQ(tell(id, CancelAsked{}).error(), errc::commit_unknown) << "nothing is asked of it meanwhile";
    EXPECT_EQ(rig.kept(id).current().state, AttemptState::held);
    rig.clock->advance(5s);
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA) << "it was decided once the doubt had ended";
}

TEST_F(SellerJournalTest, WhatAStatementSaysWaitsForAnAnswerOnlySoLong) {
    rig.network->then(answered(200, "{}"), 10s);
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    EXPECT_EQ(state(id, Status::CANCELADA, 1s).error(), errc::timed_out);
}

TEST_F(SellerJournalTest, WhatItDoesNotTakeOfAStatementIsNotDecided) {
    const auto id = sold_sale();
    rig.doubtful->endings = {Ending::not_done};
    EXPECT_EQ(state(id, Status::AUTORIZADA).error(), errc::journal_unavailable);
}

TEST_F(SellerJournalTest, ACommandForNoSaleIsRefused) {
    const auto nobody = SaleId::make(rig.clock->wall(), rig.random);
    EXPECT_EQ(tell(nobody, CancelAsked{}).error(), errc::not_found);
    rig.doubtful->refuses_claims = errc::journal_unavailable;
    EXPECT_EQ(tell(nobody, CancelAsked{}).error(), errc::journal_unavailable);
}

TEST_F(SellerJournalTest, OfASettledSaleACommandIsDecidedWithPriority) {
    const auto id = sold_sale();
    std::optional<Stage> stage;
    rig.doubtful->before_next_record = [&] { stage = rig.seller->live().at(id)->stage(); };
    EXPECT_EQ(state(id, Status::AUTORIZADA).value(), StatedEffect::repeated);
    EXPECT_EQ(stage, Stage::unattended) << "what a statement says has none";
    rig.clock->settle();
    ASSERT_EQ(rig.seller->under_way(), 0u);
    auto marked = rig.sell("k2", ConfirmMode::manual).sale;
    rig.clock->settle();
    ASSERT_TRUE(tell(marked->sale().id, ConfirmAsked{}).has_value());
    rig.clock->settle();
    ASSERT_TRUE(state(marked->sale().id, Status::CANCELADA).has_value());
    ASSERT_EQ(rig.kept(marked->sale().id).attention, Attention::contradiction);
    rig.doubtful->before_next_record = [&] { stage = rig.seller->live().at(marked->sale().id)->stage(); };
    ASSERT_TRUE(tell(marked->sale().id, Resolved{.note = "n"}).has_value());
    EXPECT_EQ(stage, Stage::attended);
}

TEST_F(SellerJournalTest, ACommandGivesAFoundSalePriority) {
    rig.books.answers_confirms = false;
    const auto id = rig.held_sale();
    rig.crash();
    ASSERT_EQ(rig.seller->live().at(id)->stage(), Stage::unattended);
    ASSERT_TRUE(tell(id, ConfirmAsked{}).has_value());
    EXPECT_EQ(rig.seller->live().at(id)->stage(), Stage::attended);
}

TEST_F(SellerJournalTest, AKeyThatItDoesNotCancelIsNotTriedAgain) {
    rig.doubtful->endings = {Ending::not_done};
    EXPECT_EQ(cancel("k1").error(), errc::journal_unavailable);
    EXPECT_EQ(rig.doubtful->writes, 1);
    EXPECT_EQ(rig.sell("k1").refusal, Refusal::none);
}

TEST_F(SellerJournalTest, ACancelledKeyInDoubtIsTriedEveryHalfSecondUntilTheDeadlineAndStaysInDoubt) {
    rig.doubtful->endings = {Ending::not_done_and_unknown, Ending::not_done, Ending::not_done};
    const auto before = rig.clock->now();
    EXPECT_EQ(cancel("k1", 1s).error(), errc::commit_unknown);
    EXPECT_EQ(rig.clock->now() - before, 1s);
    EXPECT_EQ(rig.doubtful->writes, 3);
}

TEST_F(SellerJournalTest, AKeyThatHasItsSaleIsNotCancelled) {
    const auto id = sold_sale();
    const auto found = cancel("k1").value();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->sale().id, id);
    EXPECT_EQ(found->stage(), Stage::resting) << "it is only looked at";
}

TEST_F(SellerJournalTest, ACopyFromAJournalOfItsOwnIsReadOnce) {
    auto sale = new_sale(*rig.clock, rig.random);
    ASSERT_TRUE(rig.clock->run(rig.journal->begin(sale)).has_value());
    const auto copy = rig.clock->run(rig.seller->find(sale.id)).value();
    rig.clock->advance(10s);
    EXPECT_EQ(rig.doubtful->reads, 1);
    EXPECT_EQ(copy->stage(), Stage::resting);
}

TEST_F(SellerJournalTest, ASaleThatCannotBeReadIsNotFound) {
    const auto id = sold_sale();
    damage(id);
    EXPECT_EQ(rig.clock->run(rig.seller->find(id)).error(), errc::sale_unreadable);
    rig.doubtful->refuses_reads = errc::journal_unavailable;
    EXPECT_EQ(rig.clock->run(rig.seller->find(id)).error(), errc::journal_unavailable);
}

TEST_F(SellerJournalTest, AStartThatCannotReadItSaysSo) {
    rig.doubtful->refuses_sharing = errc::journal_unavailable;
    EXPECT_EQ(rig.clock->run(rig.seller->adopt_unfinished()).error(), errc::journal_unavailable);
}

// The sales that the start finds before and after it are held, and a held sale keeps nobody waiting.
TEST_F(SellerJournalTest, OfTheSalesOfACardThatAStartFindsThePendingOneHasTheTurn) {
    rig.books.answers_confirms = false;
    std::vector<SaleId> held;
    for (const auto* key : {"k0", "k1", "k2"}) {
        auto order = charge(key);
        order.order.mode = ConfirmMode::manual;
        held.push_back(rig.clock->run(rig.seller->sell(std::move(order))).sale->sale().id);
        rig.clock->advance(1s);
    }
    ASSERT_TRUE(tell(held[1], ConfirmAsked{}).has_value());
    rig.crash();
    ASSERT_EQ(rig.adopted, 3u);
    rig.patience = 20s;
    std::optional<SellResult> next;
    start(charge("k3"), next);
    EXPECT_FALSE(next);
}

TEST_F(SellerJournalTest, WhatHasNoFieldsAnyMoreIsCarriedOnAllTheSame) {
    auto sale = new_sale(*rig.clock, rig.random);
    ASSERT_TRUE(rig.clock->run(rig.journal->begin(sale)).has_value());
    rig.crash();
    EXPECT_EQ(rig.adopted, 1u);
    rig.clock->advance(5min);
    EXPECT_EQ(rig.kept(sale.id).status, Status::CANCELADA);
}

// Two callers need the sale at once, and the journal is late for one of them.
TEST_F(SellerJournalTest, OfTwoClaimsOfASaleTheEarlierOneCounts) {
    const auto id = sold_sale();
    rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    rig.doubtful->before_next_answer = [this] { return rig.clock->sleep_for(1s); };
    auto late = rig.seller->tell(id, CancelAsked{}, "r2", never);
    boost::asio::co_spawn(*rig.io, std::move(late), boost::asio::detached);
    rig.clock->settle();
    ASSERT_EQ(state(id, Status::AUTORIZADA).value(), StatedEffect::repeated);
    const auto live = rig.seller->live().at(id);
    rig.clock->advance(1s);
    EXPECT_EQ(rig.seller->live().at(id), live);
    EXPECT_EQ(live->stage(), Stage::attended) << "the command has come";
}

TEST_F(SellerJournalTest, AClaimThatFailsIsNoCommandForASaleThatCameMeanwhile) {
    const auto id = sold_sale();
    rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    rig.doubtful->before_next_answer = [this]() -> boost::asio::awaitable<void> {
        co_await rig.clock->sleep_for(1s);
        rig.doubtful->refuses_claims = errc::journal_unavailable;
    };
    std::optional<Found> told;
    auto telling = [](FlowRig& r, SaleId sale, std::optional<Found>& out) -> boost::asio::awaitable<void> {
        Event command = CancelAsked{};
        out.emplace(co_await r.seller->tell(sale, std::move(command), "r2", never));
    };
    boost::asio::co_spawn(*rig.io, telling(rig, id, told), boost::asio::detached);
    rig.clock->settle();
    ASSERT_EQ(state(id, Status::AUTORIZADA).value(), StatedEffect::repeated);
    rig.clock->advance(1s);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->error(), errc::journal_unavailable);
}

TEST_F(SellerJournalTest, AMarkThatADoubtHasReadIsNotSetAgain) {
    const auto id = rig.held_sale();
    rig.doubtful->endings = {Ending::not_done_and_unknown};
    auto telling = rig.seller->tell(id, ConfirmAsked{}, "r2", never);
    boost::asio::co_spawn(*rig.io, std::move(telling), boost::asio::detached);
    rig.clock->settle();
    rig.seller->found_unreadable(id);
    rig.clock->advance(5s);
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
    EXPECT_EQ(rig.clock->run(rig.seller->find(id)).value()->sale().attention, Attention::none);
}

TEST_F(SellerJournalTest, AMarkThatCameDuringADecisionThatFailedIsSetAfterIt) {
    const auto id = rig.held_sale();
    const auto live = rig.seller->live().at(id);
    rig.doubtful->endings = {Ending::not_done};
    rig.doubtful->before_next_record = [&] { rig.seller->found_unreadable(id); };
    EXPECT_EQ(tell(id, ConfirmAsked{}).error(), errc::journal_unavailable);
    EXPECT_EQ(live->sale().attention, Attention::unreadable);
}

TEST_F(SellerJournalTest, AMarkThatIsKnownAlreadyDoesNotComeBackWhenAPersonHasDealtWithIt) {
    const auto live = rig.seller->live().at(rig.held_sale());
    const auto id = live->sale().id;
    rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    ASSERT_TRUE(tell(id, ConfirmAsked{}).has_value());
    ASSERT_TRUE(tell(id, CancelAsked{}).has_value());
    rig.seller->found_unreadable(id);
    ASSERT_EQ(live->sale().attention, Attention::unreadable);
    ASSERT_EQ(live->sale().current().state, AttemptState::disputing);
    rig.doubtful->before_next_record = [&] { rig.seller->found_unreadable(id); };
    ASSERT_TRUE(tell(id, Resolved{.status = Status::CANCELADA, .note = "n"}).has_value());
    EXPECT_EQ(live->sale().attention, Attention::none);
}

}  // namespace
}  // namespace gateway::test
