// These tests say to the millisecond what the driver does when the journal, the lease or the program itself fails.
#include "flow/driver.hpp"
#include "journal/sqlite/database.hpp"
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
using Ending = DoubtfulJournal::Ending;

class DriverFaults : public Test {
  protected:
    std::vector<PastEvent> history(SaleId id) { return rig.clock->run(rig.journal->history(id)).value().events; }
    // Does not wait, because the driver decides when it is done.
    void post(SaleId id, Event event) {
        auto telling = rig.seller->tell(id, std::move(event), "r2", rig.clock->now() + 1min);
        boost::asio::co_spawn(*rig.io, std::move(telling), boost::asio::detached);
        rig.clock->settle();
    }
    int calls(const std::string& step) { return rig.books.calls["/venda/tv/" + step]; }
    void fault_at_the_next_record() {
        rig.doubtful->before_next_record = [] { throw std::runtime_error("a deliberate fault"); };
    }

    FlowRig rig;
};

TEST_F(DriverFaults, AStepThatTheJournalDoesNotTakeIsWrittenEveryHalfSecondAndSaidOnce) {
    rig.doubtful->endings = {Ending::done, Ending::not_done, Ending::not_done};
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    EXPECT_EQ(rig.doubtful->writes, 2);
    EXPECT_EQ(rig.log.count("error journal.failed sale=" + id.str()), 1u);
    EXPECT_TRUE(rig.log.has("terminal=caixa-01 request=r step=solicitar"));
    rig.clock->advance(499ms);
    EXPECT_EQ(rig.doubtful->writes, 2);
    rig.clock->advance(1ms);
    EXPECT_EQ(rig.doubtful->writes, 3);
    rig.clock->advance(500ms);
    EXPECT_EQ(rig.log.count("error journal.failed"), 1u);
    EXPECT_EQ(rig.log.count("debug journal.failed"), 1u);
    EXPECT_EQ(rig.metrics->journal_failures, 2u);
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
    EXPECT_THAT(rig.events(id), ElementsAre("begun", "solicitar", "confirmar"));
}

TEST_F(DriverFaults, ACommandThatTheJournalDoesNotTakeIsRefusedAtOnceAndForgotten) {
    const auto id = rig.held_sale();
    rig.doubtful->endings = {Ending::not_done};
    auto telling = rig.seller->tell(id, ConfirmAsked{}, "r2", rig.clock->now() + 1min);
    const auto before = rig.clock->now();
    EXPECT_EQ(rig.clock->run(std::move(telling)).error(), errc::journal_unavailable);
    EXPECT_EQ(rig.clock->now(), before);
    EXPECT_TRUE(rig.log.has("request=r2 step=confirm_asked"));
    rig.clock->advance(1s);
    EXPECT_EQ(rig.kept(id).current().state, AttemptState::held);
}

TEST_F(DriverFaults, ADoubtIsResolvedEveryHalfSecond) {
    rig.doubtful->endings = {Ending::done, Ending::done_but_unknown, Ending::not_done_and_unknown};
    const auto live = rig.sell("k1").sale;
    rig.clock->settle();
    EXPECT_EQ(live->stage(), LiveSale::Stage::in_doubt);
    rig.clock->advance(499ms);
    EXPECT_EQ(rig.doubtful->writes, 2);
    rig.clock->advance(1ms);
    EXPECT_EQ(rig.doubtful->writes, 3);
    EXPECT_EQ(live->stage(), LiveSale::Stage::in_doubt);
    rig.clock->advance(500ms);
    EXPECT_NE(live->stage(), LiveSale::Stage::in_doubt);
    EXPECT_EQ(rig.kept(live->sale().id).status, Status::EFETIVADA);
    EXPECT_THAT(rig.events(live->sale().id), ElementsAre("begun", "solicitar", "confirmar"));
}

TEST_F(DriverFaults, WhereTheLeaseIsNotTrustedTheNextLookIsAQuarterOfASecondLater) {
    rig.doubtful->is_shared = true;
    const auto id = rig.held_sale();
    rig.doubtful->is_trusted = false;
    post(id, CancelAsked{});
    rig.doubtful->is_trusted = true;
    rig.clock->advance(249ms);
    EXPECT_EQ(calls("cancelar"), 0);
    rig.clock->advance(1ms);
    EXPECT_EQ(calls("cancelar"), 1);
}

TEST_F(DriverFaults, AFaultOfThisProgramIsTakenForACrashASecondLater) {
    fault_at_the_next_record();
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    EXPECT_EQ(rig.log.count("error sale.fault sale=" + id.str() + " terminal=caixa-01 detail=\"a deliberate fault\""),
              1u);
    EXPECT_THAT(rig.events(id), ElementsAre("begun"));
    rig.clock->advance(999ms);
    EXPECT_THAT(rig.events(id), ElementsAre("begun"));
    rig.clock->advance(1ms);
    EXPECT_THAT(rig.events(id), ElementsAre("begun", "adopted", "cancelar"));
    EXPECT_EQ(history(id).at(1).detail, "a fault in the gateway");
    EXPECT_EQ(rig.kept(id).status, Status::CANCELADA);
}

TEST_F(DriverFaults, AfterAFaultTheAnswerToWhatIsUnderWayIsStillExpected) {
    rig.network->then(answered(500, ""), 5s);
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    fault_at_the_next_record();
    post(id, CancelAsked{});
    EXPECT_EQ(rig.log.count("sale.fault"), 1u);
    rig.clock->advance(4s);
    EXPECT_THAT(rig.events(id), ElementsAre("begun"));
    rig.clock->advance(1s);
    EXPECT_THAT(rig.events(id), ElementsAre("begun", "solicitar", "cancelar"));
}

TEST_F(DriverFaults, AFaultInAnExchangeIsALostAnswer) {
    rig.network->otherwise = [this](const http::ClientRequest& request) -> Reply {
        if (request.target.ends_with("/solicitar")) throw std::runtime_error("a deliberate fault");
        return rig.books.answer(request);
    };
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    EXPECT_EQ(rig.log.count("error sale.fault sale=" + id.str() +
                            " terminal=caixa-01 step=solicitar detail=\"a deliberate fault\""),
              1u);
    const auto kept = rig.kept(id);
    EXPECT_EQ(kept.status, Status::CANCELADA);
    ASSERT_TRUE(kept.reason.has_value());
    EXPECT_EQ(kept.reason->code, ReasonCode::response_lost);
    EXPECT_EQ(kept.reason->detail, "a fault in the gateway");
    EXPECT_THAT(rig.events(id), ElementsAre("begun", "solicitar", "cancelar"));
    EXPECT_EQ(history(id).at(1).verdict, "unknown");
}

TEST_F(DriverFaults, AFaultInAnExchangeIsTheLastErrorByItsVerdict) {
    rig.network->otherwise = [this](const http::ClientRequest& request) -> Reply {
        if (request.target.ends_with("/confirmar")) throw std::runtime_error("a deliberate fault");
        return rig.books.answer(request);
    };
    const auto live = rig.sell("k1").sale;
    rig.clock->settle();
    ASSERT_TRUE(live->last_error());
    EXPECT_EQ(live->last_error()->text, "unknown");
}

TEST_F(DriverFaults, ThirtyTwoExchangesOfFinalSalesAreUnderWayAtOnce) {
    for (int i = 0; i < 40; ++i) {
        rig.network->then(lost());
        const auto id = rig.sell("k" + std::to_string(i)).sale->sale().id;
        rig.clock->settle();
        ASSERT_EQ(rig.kept(id).status, Status::CANCELADA);
    }
    ASSERT_EQ(calls("cancelar"), 40);
    for (int i = 0; i < 40; ++i)
        rig.network->then(answered(404, "{}"), 1s);
    rig.clock->advance(rig.rules.late_arrival + 10s);
    EXPECT_EQ(rig.network->most_under_way, 32);
    EXPECT_EQ(rig.network->under_way, 0);
}

TEST_F(DriverFaults, ANewSaleDoesNotWaitBehindExchangesOfFinalSales) {
    for (int i = 0; i < 40; ++i) {
        rig.network->then(lost());
        rig.sell("k" + std::to_string(i));
        rig.clock->settle();
    }
    for (int i = 0; i < 32; ++i)
        rig.network->then(answered(404, "{}"), 10s);
    while (rig.network->under_way < 32)
        rig.clock->advance(100ms);
    const auto id = rig.sell("new").sale->sale().id;
    rig.clock->settle();
    EXPECT_EQ(rig.kept(id).status, Status::EFETIVADA);
}

// A start finds sales whose confirms were not answered for so long that a person was asked.
class DriverUnattended : public DriverFaults {
  protected:
    void find_unconfirmed_sales(int number, Duration answered_after) {
        rig.network->otherwise = [this](const http::ClientRequest& request) {
            return request.target.ends_with("/solicitar") ? rig.books.answer(request) : lost();
        };
        for (int i = 0; i < number; ++i) {
            ids.push_back(rig.sell("k" + std::to_string(i)).sale->sale().id);
            rig.clock->settle();
        }
        rig.clock->advance(20min);
        for (const auto& id : ids)
            EXPECT_EQ(rig.kept(id).attention, Attention::unsettled);
        rig.before_adopting = [this, number, answered_after] {
            for (int i = 0; i < number; ++i)
                rig.network->then(answered(200, R"({"transacao":{"status":"EFETIVADA"}})"), answered_after);
        };
        rig.crash();
        while (!std::ranges::all_of(rig.seller->live(),
                                    [](const auto& one) { return one.second->under_way(0).has_value(); }))
            rig.clock->advance(100ms);
    }

    std::vector<SaleId> ids;
};

TEST_F(DriverUnattended, ThirtyTwoOfTheirExchangesAreUnderWayAtOnce) {
    find_unconfirmed_sales(40, 5s);
    rig.clock->advance(20s);
    EXPECT_EQ(rig.network->most_under_way, 32);
    EXPECT_EQ(rig.seller->under_way(), 0u);
}

TEST_F(DriverUnattended, WhatAPersonHasEndedBeforeItsTurnIsNotSent) {
    find_unconfirmed_sales(33, 10s);
    const auto has_left = [&](SaleId id) {
        const auto named = rig.kept(id).current().id_externo.str();
        return std::ranges::any_of(rig.network->seen, [&](const auto& seen) {
            return seen.request.body.reveal().find(named) != std::string::npos;
        });
    };
    const auto waits = std::ranges::find_if_not(ids, has_left);
    ASSERT_NE(waits, ids.end());
    auto expected = rig.events(*waits);
    post(*waits, Resolved{.status = Status::CANCELADA, .note = "not in the portal"});
    EXPECT_EQ(rig.events(*waits), expected) << "its exchange has begun";
    rig.clock->advance(11s);
    expected.emplace_back("resolved");
    EXPECT_EQ(rig.events(*waits), expected);
    EXPECT_EQ(rig.kept(*waits).status, Status::CANCELADA);
    for (const auto& by_verdict : rig.metrics->answers.at(static_cast<std::size_t>(Family::tv)))
        EXPECT_EQ(by_verdict.at(static_cast<std::size_t>(Verdict::unsent)), 0u) << "nothing was prepared in vain";
    EXPECT_EQ(rig.network->seen.size(), 32u);
}

TEST_F(DriverFaults, WhatIsWithdrawnIsWrittenDownAsUnsent) {
    rig.token_service->then(answered(200, R"({"access_token":"t2","expires_in":3600})"), 5s);
    const auto id = rig.sell("k1").sale->sale().id;
    post(id, CancelAsked{});
    rig.clock->advance(1min);
    const auto lines = history(id);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines.at(2).event, "solicitar");
    EXPECT_EQ(lines.at(2).verdict, "unsent");
    EXPECT_EQ(lines.at(2).detail, "nothing was sent: not wanted any more when it could have been sent");
    EXPECT_EQ(lines.at(2).http_status, 0);
    EXPECT_EQ(lines.at(2).duration, Duration(5s));
}

TEST_F(DriverFaults, WhatIsWithdrawnBecauseTheLeaseIsNotTrustedWasNeverSent) {
    rig.doubtful->is_shared = true;
    rig.token_service->then(answered(200, R"({"access_token":"t2","expires_in":3600})"), 5s);
    const auto id = rig.sell("k1").sale->sale().id;
    rig.doubtful->is_trusted = false;
    rig.clock->advance(5s);
    const auto kept = rig.kept(id);
    EXPECT_EQ(kept.current().state, AttemptState::unsent);
    ASSERT_TRUE(kept.reason.has_value());
    EXPECT_EQ(kept.reason->code, ReasonCode::never_sent);
    EXPECT_THAT(rig.network->seen, IsEmpty());
}

TEST_F(DriverFaults, TheHistoryHasTheNoteOfAPersonAndNoStatusWhereNothingWasAnswered) {
    rig.network->otherwise = [this](const http::ClientRequest& request) {
        return request.target.ends_with("/solicitar") ? rig.books.answer(request) : lost();
    };
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->advance(20min);
    ASSERT_EQ(rig.kept(id).attention, Attention::unsettled);
    Event decided = Resolved{.status = Status::EFETIVADA, .note = "asked Maria", .by = "Ana"};
    ASSERT_TRUE(rig.clock->run(rig.seller->tell(id, std::move(decided), "r2", never)).has_value());
    const auto lines = history(id);
    EXPECT_EQ(lines.at(1).http_status, 200);
    EXPECT_EQ(lines.back().event, "resolved");
    EXPECT_EQ(lines.back().detail, "asked Maria");
    EXPECT_EQ(lines.back().by, "Ana");
    EXPECT_EQ(lines.back().http_status, 0);
}

TEST_F(DriverFaults, AnotherAttemptIsMadeNowAndSentAfterItsPause) {
    rig.patience = 60s;
    rig.network->then(unsent());
    const auto id = rig.sell("k1").sale->sale().id;
    const auto begun_at = rig.clock->wall();
    rig.clock->advance(10s);
    const auto sale = rig.kept(id);
    ASSERT_EQ(sale.attempts.size(), 2u);
    EXPECT_EQ(sale.attempts[0].created_at, begun_at);
    EXPECT_EQ(sale.attempts[1].created_at, begun_at);
    ASSERT_EQ(rig.network->seen.size(), 3u);
    EXPECT_GT(rig.network->seen[1].at, rig.network->seen[0].at);
    EXPECT_EQ(rig.metrics->attempts_again, 1u);
    EXPECT_EQ(rig.log.count("info sale.attempt sale=" + id.str() + " idExterno=" + sale.attempts[1].id_externo.str() +
                            " terminal=caixa-01 request=r family=tv attempts=2"),
              1u);
}

TEST_F(DriverFaults, ASaleIsSoldByThreeWrites) {
    rig.sell("k1");
    rig.clock->settle();
    EXPECT_EQ(rig.doubtful->writes, 3);
}

TEST_F(DriverFaults, OfASaleThatAnotherGatewayOwnsNoExchangeBegins) {
    rig.doubtful->is_shared = true;
    rig.network->otherwise = [this](const http::ClientRequest& request) {
        return request.target.ends_with("/confirmar") ? lost() : rig.books.answer(request);
    };
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    rig.doubtful->elsewhere.insert(id);
    const auto seen = rig.network->seen.size();
    rig.clock->advance(1min);
    EXPECT_EQ(rig.network->seen.size(), seen);
}

TEST_F(DriverFaults, AHoldEndsThoughTheLeaseIsNotTrusted) {
    rig.doubtful->is_shared = true;
    const auto id = rig.held_sale();
    rig.doubtful->is_trusted = false;
    rig.clock->advance(rig.rules.hold);
    EXPECT_THAT(rig.events(id), ElementsAre("begun", "solicitar", "elapsed"));
    EXPECT_EQ(calls("cancelar"), 0);
}

TEST_F(DriverFaults, ASaleThatRestsUntilAPersonHasLookedIsNotReadOnceMore) {
    rig.rules.can_cancel.at(index_of(Family::health)) = false;
    rig.crash();
    rig.doubtful->is_shared = true;
    rig.network->then(lost());
    auto order = rig.order("k1");
    order.order.family = Family::health;
    const auto live = rig.clock->run(rig.seller->sell(std::move(order))).sale;
    rig.clock->settle();
    ASSERT_EQ(live->sale().attention, Attention::no_cancel_path);
    ASSERT_TRUE(rig.doubtful->owns(live->sale().id));
    EXPECT_EQ(rig.doubtful->writes, 2);
}

TEST_F(DriverFaults, ARequestThatLeftLateIsDecidedOnceItsAnswerIsThere) {
    rig.doubtful->is_shared = true;
    rig.network->then(answered(500, ""), 5s);
    const auto id = rig.sell("k1").sale->sale().id;
    rig.clock->settle();
    const auto id_externo = rig.kept(id).current().id_externo;
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .attempt = id_externo, .event = SentLate{}});
    boost::asio::co_spawn(*rig.io, rig.seller->keep_adopting(), boost::asio::detached);
    rig.clock->advance(4s);
    EXPECT_EQ(rig.doubtful->forwarded.size(), 1u);
    rig.clock->advance(2s);
    EXPECT_TRUE(rig.doubtful->forwarded.empty());
}

// The gateway that asks the journal once more is the one that owns the sale.
class DriverLetsGo : public DriverFaults {
  protected:
    DriverLetsGo() {
        rig.doubtful->is_shared = true;
        id = rig.sell("k1").sale->sale().id;
        rig.clock->settle();
        EXPECT_TRUE(rig.kept(id).settled);
        EXPECT_FALSE(rig.doubtful->owned.contains(id)) << "the journal gave it up with the last step";
        writes = rig.doubtful->writes;
        EXPECT_EQ(writes, 3) << "it need not be read once more";
    }
    bool is_in_memory() const { return rig.seller->live().contains(id); }
    void cancel_comes_during_the_next_reread() {
        rig.doubtful->before_next_reread = [this] {
            auto telling = [](FlowRig& r, SaleId sale, auto& out) -> boost::asio::awaitable<void> {
                Event cancel = CancelAsked{};
                out = (co_await r.seller->tell(sale, std::move(cancel), "r3", r.clock->now() + 10s)).error();
            };
            boost::asio::co_spawn(*rig.io, telling(rig, id, told), boost::asio::detached);
        };
    }

    SaleId id = SaleId::make(WallTime{}, rig.random);
    int writes = 0;
    std::optional<boost::system::error_code> told;  // what the caller of the cancel was told
};

TEST_F(DriverLetsGo, OfASettledSaleThatWasClaimedForNothing) {
    post(id, ConfirmAsked{});
    EXPECT_EQ(rig.doubtful->writes, writes + 1) << "it was read once more";
    EXPECT_FALSE(rig.doubtful->owned.contains(id));
    EXPECT_FALSE(is_in_memory());
}

TEST_F(DriverLetsGo, OnceTheJournalAnswers) {
    rig.doubtful->endings = {Ending::not_done_and_unknown, Ending::not_done_and_unknown};
    post(id, ConfirmAsked{});
    EXPECT_EQ(rig.doubtful->writes, writes + 1);
    EXPECT_TRUE(is_in_memory());
    rig.clock->advance(499ms);
    EXPECT_EQ(rig.doubtful->writes, writes + 1);
    rig.clock->advance(1ms);
    EXPECT_EQ(rig.doubtful->writes, writes + 2);
    rig.clock->advance(500ms);
    EXPECT_EQ(rig.doubtful->writes, writes + 3);
    EXPECT_FALSE(is_in_memory());
    EXPECT_FALSE(rig.doubtful->owned.contains(id));
}

TEST_F(DriverLetsGo, OfASaleThatAnotherGatewayOwnsMeanwhile) {
    rig.doubtful->before_next_reread = [this] { rig.doubtful->elsewhere.insert(id); };
    post(id, ConfirmAsked{});
    EXPECT_FALSE(rig.doubtful->before_next_reread);
    EXPECT_FALSE(is_in_memory());
}

TEST_F(DriverLetsGo, OnlyAfterTheCommandThatCameMeanwhile) {
    rig.doubtful->endings = {Ending::done_but_unknown};
    cancel_comes_during_the_next_reread();
    post(id, ConfirmAsked{});
    rig.clock->advance(1s);
    EXPECT_EQ(told, boost::system::error_code());
    EXPECT_FALSE(is_in_memory());
}

TEST_F(DriverLetsGo, NotWhileACommandThatCameMeanwhileWaits) {
    cancel_comes_during_the_next_reread();
    post(id, ConfirmAsked{});
    EXPECT_EQ(told, boost::system::error_code());
    EXPECT_FALSE(is_in_memory());
}

TEST_F(DriverLetsGo, OfASaleThatCannotBeReadAnyMore) {
    rig.doubtful->endings = {Ending::not_done_and_unknown};
    post(id, ConfirmAsked{});
    auto database = *sqlite::Database::open(rig.folder.path("journal.db"), nullptr);
    ASSERT_TRUE(database.ask("UPDATE sales SET attempts = 'garbage' WHERE id = ?", id.text()).has_value());
    rig.clock->advance(500ms);
    EXPECT_FALSE(is_in_memory());
    rig.clock->advance(1min);
    EXPECT_EQ(rig.doubtful->writes, writes + 2);
}

}  // namespace
}  // namespace gateway::test
