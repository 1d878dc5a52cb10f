// Tests what a sale takes over from its order, and what the seller says and counts of it.
#include "flow/seller.hpp"
#include "unit/flow/rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using Ending = DoubtfulJournal::Ending;

class SellerWordsTest : public Test {
  protected:
    SellerWordsTest() {
        rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    }
    SellOrder esim(std::string key) {
        auto order = rig.order(std::move(key));
        order.order.family = Family::esim;
        return order;
    }
    SaleId sell(SellOrder order) { return rig.clock->run(rig.seller->sell(std::move(order))).sale->sale().id; }
    SellResult sell_again(std::string key, bool hammers = false) {
        auto order = rig.order(std::move(key));
        order.hammers = hammers;
        order.patience = rig.clock->now() + 10s;
        return rig.clock->run(rig.seller->sell(std::move(order)));
    }
    void look_for_duplicates(Duration window) {
        rig.duplicate_window = window;
        rig.crash();
    }

    FlowRig rig;
};

TEST_F(SellerWordsTest, ASaleHasWhatItsOrderSays) {
    auto order = rig.order("k1");
    order.order.fornecedor = "Sky";
    order.order.segment = "s";
    order.cashier = "Rita";
    order.redemption = "Digite o PIN.";
    const auto sold = rig.clock->run(rig.seller->sell(std::move(order))).sale;
    const auto& sale = sold->sale();
    EXPECT_EQ(sale.terminal, "caixa-01");
    EXPECT_EQ(sale.key, "k1");
    EXPECT_EQ(sale.digest, "d");
    EXPECT_EQ(sale.estabelecimento, "12345678");
    EXPECT_EQ(sale.produto, "TV Mensal");
    EXPECT_EQ(sale.fornecedor, "Sky");
    EXPECT_EQ(sale.valor, Cents{2500});
    EXPECT_EQ(sale.segment, "s");
    EXPECT_EQ(sale.cashier, "Rita");
    EXPECT_EQ(sale.redemption, "Digite o PIN.");
    EXPECT_EQ(sale.created_at, rig.clock->wall());
    EXPECT_EQ(sale.updated_at, rig.clock->wall());
    EXPECT_EQ(sold->stage(), LiveSale::Stage::attended);
    EXPECT_TRUE(rig.log.has("info sale.begun sale=" + sale.id.str() + " idExterno=" + sale.current().id_externo.str() +
                            " terminal=caixa-01 request=r family=tv produto=\"TV Mensal\" valor=2500 cashier=Rita"));
}

TEST_F(SellerWordsTest, ASaleThatBeganIsCountedAndItsTimeNoted) {
    rig.network->then(lost(), 10s);
    sell(rig.order("k1"));
    EXPECT_EQ(rig.metrics->begun.at(index_of(Family::tv)), 1u);
    EXPECT_EQ(rig.metrics->newest_record, rig.clock->wall());
    EXPECT_EQ(rig.metrics->durable_time.count(), 1u);
    EXPECT_EQ(rig.metrics->replays, 0u);
    sell(rig.order("k1"));
    EXPECT_EQ(rig.metrics->begun.at(index_of(Family::tv)), 1u);
    EXPECT_EQ(rig.metrics->replays, 1u);
}

TEST_F(SellerWordsTest, OnlyASaleThatACallbackDecidesHasASecretAndEachHasItsOwn) {
    const auto secret_of = [this](SellOrder order) {
        return rig.clock->run(rig.seller->sell(std::move(order))).sale->sale().callback_secret.reveal();
    };
    const auto one = secret_of(esim("k1"));
    const auto other = secret_of(esim("k2"));
    EXPECT_EQ(one.size(), 48u);
    EXPECT_NE(one, other);
    EXPECT_EQ(secret_of(rig.order("k3")), "");
}

TEST_F(SellerWordsTest, ADuplicateIsSaidOnceForEachCallUnlessItsTerminalHammers) {
    look_for_duplicates(5min);
    rig.network->then(lost(), 1min);
    const auto id = sell(rig.order("k1"));
    for (const auto ending : {Ending::done, Ending::not_done_and_unknown}) {
        rig.log.lines.clear();
        rig.doubtful->endings = {ending};
        EXPECT_EQ(sell_again("k2", true).refusal, SellRefusal::possible_duplicate);
        EXPECT_EQ(rig.log.count("sale.possible_duplicate"), 0u);
        rig.doubtful->endings = {ending};
        EXPECT_EQ(sell_again("k2").refusal, SellRefusal::possible_duplicate);
        EXPECT_EQ(rig.log.count("info sale.possible_duplicate sale=" + id.str() + " terminal=caixa-01 request=r"), 1u);
    }
}

TEST_F(SellerWordsTest, TheShortestWindowFindsWhatIsSoldInTheSameMoment) {
    look_for_duplicates(1ms);
    rig.network->then(lost(), 1min);
    sell(rig.order("k1"));
    EXPECT_EQ(sell_again("k2").refusal, SellRefusal::possible_duplicate);
}

TEST_F(SellerWordsTest, WhatHasNoCardWaitsForNobody) {
    rig.network->then(lost(), 10s);
    rig.network->then(lost(), 10s);
    sell(rig.order("k1"));
    rig.patience = 10s;
    const auto before = rig.clock->now();
    EXPECT_EQ(rig.sell("k2").refusal, SellRefusal::none);
    EXPECT_EQ(rig.clock->now(), before);
}

TEST_F(SellerWordsTest, AHurryLetsWatchersLookAgain) {
    rig.network->then(lost(), 1min);
    const auto live = rig.clock->run(rig.seller->sell(rig.order("k1"))).sale;
    EXPECT_FALSE(rig.seller->hurried());
    bool is_over = false;
    auto watching = [](Seller& seller, std::shared_ptr<LiveSale> sale, bool& over) -> boost::asio::awaitable<void> {
        auto enough = [&] { return seller.hurried(); };
        co_await sale->watch_until(never, enough);
        over = true;
    };
    boost::asio::co_spawn(*rig.io, watching(*rig.seller, live, is_over), boost::asio::detached);
    rig.clock->settle();
    EXPECT_FALSE(is_over);
    rig.seller->hurry();
    rig.clock->settle();
    EXPECT_TRUE(is_over);
    EXPECT_TRUE(rig.seller->hurried());
}

TEST_F(SellerWordsTest, NobodyWaitsAtACounterForACallback) {
    rig.network->then(lost(), 10s);
    const auto id = sell(esim("k1"));
    rig.clock->settle();
    EXPECT_EQ(rig.seller->undecided(), 1u);
    rig.clock->advance(10s);
    ASSERT_EQ(rig.kept(id).current().state, AttemptState::awaiting);
    EXPECT_EQ(rig.seller->undecided(), 0u);
}

// The gateway may have been stopped meanwhile, so that the wall clock counts; but it may have been set back.
TEST_F(SellerWordsTest, ASaleTakesAsLongAsTheWallClockSaysSinceItWasMade) {
    for (const auto& [key, age, told] :
         {std::tuple{"k1", 3000ms, "attempts=1 durationMs=3000"}, {"k2", -3000ms, "attempts=1 durationMs=0"}}) {
        const auto sold = rig.sell(key, ConfirmMode::manual).sale;
        auto sale = sold->sale();
        sale.id = SaleId::make(rig.clock->wall(), rig.random);
        sale.key += " of another start";
        sale.status = Status::PENDENTE;
        sale.attempts = {{.id_externo = IdExterno::make(rig.clock->wall(), rig.random)}};
        sale.created_at = rig.clock->wall() - age;
        ASSERT_TRUE(rig.clock->run(rig.journal->begin(sale)).has_value());
        Event command = CancelAsked{};
        ASSERT_TRUE(rig.clock->run(rig.seller->tell(sale.id, std::move(command), "r2", never)).has_value());
        const auto is_final = [&](const auto& line) {
            return line.starts_with("info sale.final sale=" + sale.id.str());
        };
        const auto line = std::ranges::find_if(rig.log.lines, is_final);
        ASSERT_NE(line, rig.log.lines.end());
        EXPECT_THAT(*line, HasSubstr(told));
    }
}

TEST_F(SellerWordsTest, WhatRestsUntilAPersonHasLookedIsAtRest) {
    rig.rules.can_cancel.at(index_of(Family::health)) = false;
    rig.crash();
    rig.network->then(lost());
    auto order = rig.order("k1");
    order.order.family = Family::health;
    const auto sold = rig.clock->run(rig.seller->sell(std::move(order))).sale;
    rig.clock->settle();
    ASSERT_EQ(sold->sale().attention, Attention::no_cancel_path);
    EXPECT_EQ(sold->stage(), LiveSale::Stage::resting);
}

}  // namespace
}  // namespace gateway::test
