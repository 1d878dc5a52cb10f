// Tests how what a statement says reaches the law, through the seller and the driver.
#include "flow/seller.hpp"
#include "unit/flow/rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class StatementTest : public testing::Test {
  protected:
    using Told = std::optional<Result<StatedEffect>>;

    static Stated says(Status status) { return {.status = status, .source = "statement of 2024-05-02, line 7"}; }
    Result<StatedEffect> state(SaleId id, Status status, std::size_t attempt = 0) {
        const auto named = rig.kept(id).attempts.at(attempt).id_externo;
        return rig.clock->run(rig.seller->state(id, named, says(status), rig.clock->now() + 5s));
    }
    // Does not wait, because the driver decides when it is done.
    void post(SaleId id, Status status, Told& told, std::size_t attempt = 0) {
        auto stating = [](FlowRig& r, SaleId sale, IdExterno named, Stated word,
                          Told& out) -> boost::asio::awaitable<void> {
            out.emplace(co_await r.seller->state(sale, named, std::move(word), never));
        };
        const auto named = rig.kept(id).attempts.at(attempt).id_externo;
        boost::asio::co_spawn(*rig.io, stating(rig, id, named, says(status), told), boost::asio::detached);
        rig.clock->settle();
    }
    // Makes a sale that is sold and over, so that it is no longer in memory.
    SaleId sold_sale() {
        const auto id = rig.sell("k1").sale->sale().id;
        rig.clock->settle();
        EXPECT_TRUE(rig.kept(id).settled);
        EXPECT_EQ(rig.seller->under_way(), 0u);
        return id;
    }
    // Makes a sale in dispute: the provider answers neither confirm nor cancel.
    SaleId disputed_sale() {
        only_requests_are_answered();
        const auto id = rig.sell("k1").sale->sale().id;
        rig.clock->advance(rig.rules.confirm_window + 1s);
        EXPECT_EQ(rig.kept(id).current().state, AttemptState::disputing);
        return id;
    }
    void only_requests_are_answered() {
        rig.network->otherwise = [this](const http::ClientRequest& request) {
            return request.target.ends_with("/solicitar") ? rig.books.answer(request) : lost();
        };
    }
    void everything_is_answered() {
        rig.network->otherwise = [this](const http::ClientRequest& request) { return rig.books.answer(request); };
    }
    std::string& book(SaleId id) { return rig.books.status[rig.kept(id).attempts.front().id_externo.str()]; }

    FlowRig rig;
};

TEST_F(StatementTest, WhatTheProviderDidNotAnswerIsSettled) {
    const auto id = disputed_sale();
    EXPECT_EQ(state(id, Status::CANCELADA).value(), StatedEffect::settled);
    const auto sale = rig.kept(id);
    EXPECT_EQ(sale.status, Status::CANCELADA);
    EXPECT_EQ(sale.reason->code, ReasonCode::by_statement);
    EXPECT_TRUE(sale.settled);
    rig.clock->settle();
    EXPECT_EQ(rig.seller->under_way(), 0u);
    const auto history = rig.clock->run(rig.journal->history(id)).value().events;
    const auto& last = history.back();
    EXPECT_EQ(last.event, "statement");
    EXPECT_EQ(last.verdict, "CANCELADA");
    EXPECT_EQ(last.detail, "statement of 2024-05-02, line 7");
    EXPECT_TRUE(rig.log.has("step=statement"));
}

TEST_F(StatementTest, ASettledSaleIsTakenUpAgainAndItsConfirmRepeated) {
    const auto id = sold_sale();
    book(id) = "AUTORIZADA";  // the confirm never arrived
    EXPECT_EQ(state(id, Status::AUTORIZADA).value(), StatedEffect::repeated);
    rig.clock->settle();
    EXPECT_EQ(book(id), "EFETIVADA");
    EXPECT_TRUE(rig.kept(id).settled);
    EXPECT_EQ(rig.seller->under_way(), 0u);
    EXPECT_EQ(rig.events(id), (std::vector<std::string>{"begun", "solicitar", "confirmar", "statement", "confirmar"}));
    const auto& seen = rig.network->seen;
    EXPECT_EQ(seen.at(1).request.body, seen.at(2).request.body) << "word for word";
    EXPECT_EQ(rig.log.count("sale.closed"), 2u);
}

TEST_F(StatementTest, ARepeatThatACrashInterruptedIsMadeAfterIt) {
    const auto id = sold_sale();
    book(id) = "AUTORIZADA";
    only_requests_are_answered();
    EXPECT_EQ(state(id, Status::AUTORIZADA).value(), StatedEffect::repeated);
    rig.crash();
    EXPECT_EQ(rig.adopted, 1u);
    EXPECT_EQ(book(id), "EFETIVADA");
    EXPECT_TRUE(rig.kept(id).settled);
}

TEST_F(StatementTest, WhatAgreesTakesNothingUp) {
    const auto id = sold_sale();
    EXPECT_EQ(state(id, Status::EFETIVADA).value(), StatedEffect::nothing);
    rig.clock->settle();
    EXPECT_EQ(rig.seller->under_way(), 0u);
    EXPECT_EQ(rig.events(id), (std::vector<std::string>{"begun", "solicitar", "confirmar"}));
}

TEST_F(StatementTest, AContradictionIsLoud) {
    const auto id = sold_sale();
    EXPECT_EQ(state(id, Status::CANCELADA).value(), StatedEffect::contradiction);
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
    EXPECT_EQ(rig.kept(id).attention, Attention::contradiction);
    EXPECT_TRUE(rig.log.has("error sale.attention"));
    EXPECT_EQ(state(id, Status::CANCELADA).value(), StatedEffect::contradiction);
    EXPECT_EQ(rig.log.count("error sale.attention"), 1u) << "once";
}

TEST_F(StatementTest, OnlyAnAttemptOfTheSaleIsSpokenOf) {
    const auto id = sold_sale();
    const auto other = IdExterno::make(rig.clock->wall(), rig.random);
    EXPECT_EQ(rig.clock->run(rig.seller->state(id, other, says(Status::CANCELADA), never)).error(), errc::not_found);
    const auto nobody = SaleId::make(rig.clock->wall(), rig.random);
    EXPECT_EQ(rig.clock->run(rig.seller->state(nobody, other, says(Status::CANCELADA), never)).error(),
              errc::not_found);
}

// A file that was read wrongly may repeat the sales of a whole day at once. The terminals must not notice it.
TEST_F(StatementTest, WhatIsRepeatedTakesNoNewSalesPlace) {
    rig.in_flight = 1;
    rig.crash();
    const auto id = sold_sale();
    only_requests_are_answered();
    EXPECT_EQ(state(id, Status::AUTORIZADA).value(), StatedEffect::repeated);
    EXPECT_EQ(rig.seller->under_way(), 1u);
    everything_is_answered();
    EXPECT_EQ(rig.sell("k2", ConfirmMode::manual).refusal, SellRefusal::none);
    rig.clock->settle();
    EXPECT_EQ(rig.sell("k3").refusal, SellRefusal::overloaded) << "the held one has the place";
    rig.clock->advance(rig.rules.hold + 1min);
    EXPECT_EQ(rig.seller->under_way(), 0u);
    EXPECT_EQ(rig.sell("k4", ConfirmMode::manual).refusal, SellRefusal::none);
    rig.clock->settle();
    EXPECT_EQ(rig.sell("k5").refusal, SellRefusal::overloaded) << "and no place was given back twice";
}

TEST_F(StatementTest, WaitsForTheAnswerToWhatHasLeftForItsAttempt) {
    const auto id = disputed_sale();
    rig.network->then(answered(200, R"({"transacao":{"status":"EFETIVADA"}})"), 5s);
    while (rig.network->under_way == 0)
        rig.clock->advance(1s);
    Told told;
    post(id, Status::CANCELADA, told);
    EXPECT_FALSE(told);
    EXPECT_EQ(rig.kept(id).status, Status::AUTORIZADA) << "whose answer may make it untrue";
    rig.clock->advance(5s);
    ASSERT_TRUE(told);
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
    EXPECT_EQ(told->value(), StatedEffect::contradiction);
}

TEST_F(StatementTest, HindersNoOtherAttempt) {
    rig.patience = 60s;
    rig.network->then(answered(500, "oops"));
    rig.network->then(answered(200, R"({"transacao":{"status":"CANCELADA"}})"));
    const auto id = rig.sell("k1", ConfirmMode::manual).sale->sale().id;
    rig.clock->advance(2s);
    ASSERT_EQ(rig.kept(id).attempts.size(), 2u);
    // The further cancel of the first takes long. The second is confirmed meanwhile.
    rig.network->then(lost(), 14s);
    while (rig.network->under_way == 0)
        rig.clock->advance(1s);
    Told told;
    post(id, Status::AUTORIZADA, told);
    Event confirm = ConfirmAsked{};
    EXPECT_TRUE(rig.clock->run(rig.seller->tell(id, std::move(confirm), "r2", never)).has_value());
    rig.clock->settle();
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
    EXPECT_FALSE(told) << "its own attempt's answer has not come";
    rig.clock->advance(15s);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->value(), StatedEffect::nothing);
}

TEST_F(StatementTest, WhatBecameOfItIsToldThoughTheRecordWasInDoubt) {
    using Ending = DoubtfulJournal::Ending;
    for (const auto ending : {Ending::done_but_unknown, Ending::not_done_and_unknown}) {
        const auto id = rig.sell(ending == Ending::done_but_unknown ? "k1" : "k2").sale->sale().id;
        rig.clock->settle();
        book(id) = "AUTORIZADA";
        rig.doubtful->endings = {ending};
        Told told;
        post(id, Status::AUTORIZADA, told);
        EXPECT_FALSE(told) << "nothing is known yet";
        EXPECT_EQ(book(id), "AUTORIZADA");
        rig.clock->advance(1min);
        ASSERT_TRUE(told && told->has_value());
        EXPECT_EQ(told->value(), StatedEffect::repeated);
        EXPECT_EQ(book(id), "EFETIVADA");
        EXPECT_TRUE(rig.kept(id).settled);
    }
}

}  // namespace
}  // namespace gateway::test
