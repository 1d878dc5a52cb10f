// These tests say what the driver counts, what it tells of a sale that is in memory, and for whom a failed sale counts.
#include "flow/driver.hpp"
#include "unit/flow/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

constexpr auto tv = static_cast<std::size_t>(Family::tv);

class DriverCounts : public Test {
  protected:
    std::uint64_t answers(Step step, Verdict verdict) const {
        return rig.metrics->answers.at(tv).at(static_cast<std::size_t>(step)).at(static_cast<std::size_t>(verdict));
    }
    std::uint64_t exchanges(Step step) const {
        return rig.metrics->exchange_time.at(tv).at(static_cast<std::size_t>(step)).count();
    }
    std::uint64_t ended(Status status) const { return rig.metrics->final.at(tv).at(static_cast<std::size_t>(status)); }
    std::uint64_t timed_sales() const { return rig.metrics->sale_time.at(tv).count(); }
    // Returns how many exchanges of the last hour counted, and how many of these had no usable answer.
    std::pair<std::uint64_t, std::uint64_t> recent() {
        std::pair<std::uint64_t, std::uint64_t> counted;
        for (const auto& minute : rig.metrics->recent_exchanges.minutes(RunMoment(*rig.clock))) {
            counted.first += minute.took.count();
            counted.second += minute.unknown;
        }
        return counted;
    }
    // Returns how many sales counted as refused while the provider was away.
    std::uint64_t refused() const {
        const auto& outage = rig.provider->reachability().outage();
        return outage ? outage->refused : 0;
    }
    std::shared_ptr<LiveSale> sell(std::string key = "k1", ConfirmMode mode = ConfirmMode::automatic) {
        auto sold = rig.sell(std::move(key), mode).sale;
        rig.clock->settle();
        return sold;
    }

    FlowRig rig;
};

TEST_F(DriverCounts, EachExchangeAndEachEndOfASale) {
    sell();
    EXPECT_EQ(answers(Step::solicitar, Verdict::authorised), 1u);
    EXPECT_EQ(answers(Step::confirmar, Verdict::sold), 1u);
    EXPECT_EQ(exchanges(Step::solicitar), 1u);
    EXPECT_EQ(exchanges(Step::confirmar), 1u);
    EXPECT_EQ(recent(), std::pair(std::uint64_t{2}, std::uint64_t{0}));
    EXPECT_EQ(ended(Status::EFETIVADA), 1u);
    EXPECT_EQ(timed_sales(), 1u);
    EXPECT_EQ(rig.metrics->durable_time.count(), 3u) << "the begin and two steps";
}

TEST_F(DriverCounts, AnAnswerThatIsLostAsUnknown) {
    rig.network->then(lost());
    sell();
    EXPECT_EQ(answers(Step::solicitar, Verdict::unknown), 1u);
    EXPECT_EQ(answers(Step::cancelar, Verdict::no_such_sale), 1u);
    EXPECT_EQ(recent(), std::pair(std::uint64_t{2}, std::uint64_t{1}));
}

TEST_F(DriverCounts, WhatWasNeverSentTellsNothingOfHowWellTheProviderDoes) {
    rig.network->then(unsent());
    sell();
    EXPECT_EQ(answers(Step::solicitar, Verdict::unsent), 1u);
    EXPECT_EQ(recent().first, 0u);
}

TEST_F(DriverCounts, AStatusThatSaysNothingYetTellsNothingEither) {
    rig.rules.can_ask = true;
    rig.provider_options.status_path = "/status/{idExterno}";
    rig.crash();
    rig.books.answers_confirms = false;
    sell();
    rig.clock->advance(1min);
    ASSERT_GT(exchanges(Step::consultar), 0u);
    EXPECT_EQ(recent().first, exchanges(Step::solicitar) + exchanges(Step::confirmar));
}

TEST_F(DriverCounts, HowLongASaleTookOnlyWhereSomebodyWaitedForIt) {
    rig.books.answers_confirms = false;
    sell();
    rig.books.answers_confirms = true;
    rig.crash();
    rig.clock->advance(1min);
    EXPECT_EQ(ended(Status::EFETIVADA), 1u);
    EXPECT_EQ(timed_sales(), 0u) << "a start found it";
}

TEST_F(DriverCounts, TheEndOfASaleOnce) {
    const auto sale = sell("k1", ConfirmMode::manual);
    rig.answers_are_lost = true;
    Event cancel = CancelAsked{};
    ASSERT_TRUE(rig.clock->run(rig.seller->tell(sale->sale().id, std::move(cancel), "r", never)).has_value());
    rig.clock->advance(1min);
    rig.answers_are_lost = false;
    rig.clock->advance(1h);
    EXPECT_TRUE(sale->sale().settled);
    EXPECT_EQ(ended(Status::CANCELADA), 1u);
    EXPECT_EQ(timed_sales(), 1u);
}

// Three requests that fail in a row begin an outage, which tells how many sales it has cost. A request whose answer is
// lost begins one by itself, which the answer to the cancel ends.
class FailedSales : public DriverCounts, public WithParamInterface<int> {};

TEST_P(FailedSales, CountForTheProviderWhereNeitherItNorTheCustomerWantedThat) {
    rig.network->otherwise = [](const http::ClientRequest& request) {
        if (!request.target.ends_with("/solicitar")) return answered(404, "{}");
        return GetParam() == 0 ? lost() : answered(static_cast<unsigned>(GetParam()), "{}");
    };
    for (const auto* key : {"k1", "k2", "k3"})
        EXPECT_NE(sell(key)->sale().status, Status::EFETIVADA);
    rig.clock->advance(1min);
    EXPECT_EQ(refused(), GetParam() == 0 ? 1u : 3u);
}

// 0: the answer is lost; the others are what it says.
INSTANTIATE_TEST_SUITE_P(Each, FailedSales, Values(0, 404, 500));

TEST_F(DriverCounts, ASaleThatWasSoldInTheEndAsNoRefusal) {
    rig.books.answers_confirms = false;
    const auto sale = sell();
    rig.clock->advance(5s);
    rig.books.answers_confirms = true;
    rig.clock->advance(5min);
    ASSERT_EQ(sale->sale().status, Status::EFETIVADA);
    rig.network->refuses = true;
    sell("k2");
    EXPECT_EQ(refused(), 1u);
}

// A callback that the provider sends during an outage ends the sale as the provider and the customer want it.
class CalledBackInAnOutage : public DriverCounts, public WithParamInterface<Status> {};

TEST_P(CalledBackInAnOutage, IsNoRefusal) {
    rig.network->then(lost(), 10s);
    auto order = rig.order("k1");
    order.order.family = Family::esim;
    const auto sale = rig.clock->run(rig.seller->sell(std::move(order))).sale;
    rig.network->refuses = true;
    for (const auto* key : {"k2", "k3", "k4"})
        sell(key);
    const auto before = refused();
    ASSERT_GT(before, 0u);
    Event said = CalledBack{.status = GetParam(), .details = {.url = Secret("u")}};
    ASSERT_TRUE(rig.clock->run(rig.seller->tell(sale->sale().id, std::move(said), "r", never)).has_value());
    ASSERT_EQ(sale->sale().status, GetParam());
    EXPECT_EQ(refused(), before);
}

INSTANTIATE_TEST_SUITE_P(Each, CalledBackInAnOutage, Values(Status::EFETIVADA, Status::NEGADA),
                         [](const auto& said) { return std::string(to_string(said.param)); });

// The sale failed because the provider could not say how it stands, and only its cancel lacks a token.
TEST_F(DriverCounts, ASaleWhoseCancelLacksATokenForTheProvider) {
    rig.network->otherwise = [this](const http::ClientRequest& request) {
        if (request.target.ends_with("/solicitar")) return answered(503, "{}");
        rig.token_service->otherwise = [](const http::ClientRequest&) { return unsent(); };
        return answered(401, "{}");
    };
    rig.patience = 60s;
    const auto sale = sell();
    rig.clock->advance(2min);
    ASSERT_EQ(sale->sale().status, Status::CANCELADA);
    const auto& away = rig.tokens->reachability().outage();
    ASSERT_TRUE(away);
    EXPECT_EQ(away->refused, 0u);
}

TEST_F(DriverCounts, ASaleThatItsTerminalCancelledAsNoRefusal) {
    rig.network->refuses = true;
    sell("k1");
    ASSERT_EQ(refused(), 1u);
    rig.patience = 60s;
    const auto sale = rig.sell("k2").sale;
    Event cancel = CancelAsked{};
    ASSERT_TRUE(rig.clock->run(rig.seller->tell(sale->sale().id, std::move(cancel), "r", never)).has_value());
    rig.clock->advance(100ms);
    ASSERT_EQ(sale->sale().reason->code, ReasonCode::terminal_cancelled);
    EXPECT_EQ(refused(), 1u);
}

TEST_F(DriverCounts, TheLastErrorIsTheLastExchangeWithoutAUsableAnswer) {
    rig.books.answers_confirms = false;
    const auto sale = sell();
    ASSERT_TRUE(sale->last_error());
    EXPECT_EQ(sale->last_error()->step, "confirmar");
    EXPECT_THAT(sale->last_error()->text, HasSubstr("503"));
    const auto first = sale->last_error()->at;
    rig.clock->advance(1min);
    EXPECT_GT(sale->last_error()->at, first);
    const auto last = sale->last_error()->at;
    rig.books.answers_confirms = true;
    rig.clock->advance(5min);
    ASSERT_EQ(sale->sale().status, Status::EFETIVADA);
    EXPECT_EQ(sale->last_error()->at, last) << "an answer that is of use is no error";
    EXPECT_FALSE(sell("k2", ConfirmMode::manual)->last_error());
}

TEST_F(DriverCounts, ASaleHasTheRequestIdOfTheLastCallThatChangedIt) {
    rig.books.answers_confirms = false;
    const auto sale = sell("k1", ConfirmMode::manual);
    EXPECT_EQ(sale->request_id(), "r");
    const auto tell = [&](Event event, std::string id) {
        EXPECT_TRUE(rig.clock->run(rig.seller->tell(sale->sale().id, std::move(event), std::move(id), never)));
    };
    tell(ConfirmAsked{}, "r2");
    EXPECT_EQ(sale->request_id(), "r2");
    const auto changed = sale->sale().updated_at;
    rig.clock->advance(10ms);
    tell(ConfirmAsked{}, "r3");
    EXPECT_EQ(sale->request_id(), "r2") << "it was confirmed already";
    EXPECT_EQ(sale->sale().updated_at, changed);
}

}  // namespace
}  // namespace gateway::test
