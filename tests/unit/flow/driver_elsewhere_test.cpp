// These tests say what the driver does with a message of a sale that another gateway takes over meanwhile.
#include "flow/driver.hpp"
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

class DriverElsewhere : public Test {
  protected:
    using Told = std::optional<Result<std::shared_ptr<LiveSale>>>;

    DriverElsewhere() { rig.doubtful->is_shared = true; }

    // Does not wait, because the driver or the other gateway decides when it is done.
    void post(SaleId id, Event event, Told& told) {
        auto telling = [](FlowRig& r, SaleId sale, Event what, Told& out) -> boost::asio::awaitable<void> {
            out.emplace(co_await r.seller->tell(sale, std::move(what), "r2", r.clock->now() + 1min));
        };
        boost::asio::co_spawn(*rig.io, telling(rig, id, std::move(event), told), boost::asio::detached);
        rig.clock->settle();
    }
    std::shared_ptr<LiveSale> held_sale() { return rig.seller->live().at(rig.held_sale()); }
    // Returns how many commands wait for the gateway that owns the sale.
    std::size_t forwarded() const { return rig.doubtful->forwarded.size(); }
    auto taken_away(SaleId id) {
        return [this, id] { rig.doubtful->elsewhere.insert(id); };
    }
    // Another gateway takes the sale over, and this one notices while a record is under way.
    auto dropped(const std::shared_ptr<LiveSale>& live) {
        return [this, live] {
            rig.doubtful->elsewhere.insert(live->sale().id);
            Driver::drop(*live);
            rig.doubtful->elsewhere.erase(live->sale().id);
            rig.doubtful->owned.erase(live->sale().id);
        };
    }

    FlowRig rig;
};

TEST_F(DriverElsewhere, ACommandThatTheJournalRefusesIsForwarded) {
    const auto live = held_sale();
    rig.doubtful->before_next_record = taken_away(live->sale().id);
    Told told;
    post(live->sale().id, ConfirmAsked{}, told);
    EXPECT_EQ(live->stage(), LiveSale::Stage::elsewhere);
    EXPECT_TRUE(live->outdated());
    EXPECT_EQ(forwarded(), 1u);
    EXPECT_FALSE(told) << "the other gateway decides it";
    EXPECT_EQ(rig.log.count("journal.failed"), 0u) << "the journal has not failed";
}

TEST_F(DriverElsewhere, ACommandInDoubtIsForwardedOnceAnotherGatewayIsKnownToOwnTheSale) {
    const auto live = held_sale();
    rig.doubtful->endings = {Ending::not_done_and_unknown};
    rig.doubtful->before_next_reread = taken_away(live->sale().id);
    Told told;
    post(live->sale().id, ConfirmAsked{}, told);
    EXPECT_EQ(live->stage(), LiveSale::Stage::in_doubt);
    rig.clock->advance(500ms);
    EXPECT_EQ(live->stage(), LiveSale::Stage::elsewhere);
    EXPECT_EQ(forwarded(), 1u);
    EXPECT_FALSE(told);
}

TEST_F(DriverElsewhere, AnAnswerInDoubtIsNotTakenForALostOneWhereAnotherGatewayOwnsTheSale) {
    rig.doubtful->endings = {Ending::done, Ending::not_done_and_unknown};
    const auto live = rig.sell("k1").sale;
    rig.doubtful->before_next_reread = taken_away(live->sale().id);
    rig.clock->settle();
    ASSERT_EQ(live->stage(), LiveSale::Stage::in_doubt);
    rig.clock->advance(500ms);
    EXPECT_EQ(live->stage(), LiveSale::Stage::elsewhere);
    EXPECT_THAT(rig.events(live->sale().id), ElementsAre("begun"));
    EXPECT_FALSE(rig.seller->live().contains(live->sale().id));
}

TEST_F(DriverElsewhere, NoDoubtIsResolvedOfASaleThatWasDropped) {
    const auto live = held_sale();
    rig.doubtful->endings = {Ending::not_done_and_unknown};
    rig.doubtful->before_next_record = dropped(live);
    rig.doubtful->before_next_reread = [] { ADD_FAILURE() << "the new owner has moved its term"; };
    Told told;
    post(live->sale().id, ConfirmAsked{}, told);
    EXPECT_EQ(live->stage(), LiveSale::Stage::elsewhere);
    rig.doubtful->elsewhere.insert(live->sale().id);
    rig.clock->advance(500ms);
    EXPECT_EQ(live->stage(), LiveSale::Stage::elsewhere);
    EXPECT_EQ(forwarded(), 1u);
    rig.doubtful->before_next_reread = {};
}

TEST_F(DriverElsewhere, ACommandThatTheJournalDidNotTakeIsForwardedWhereTheSaleWasDroppedMeanwhile) {
    const auto live = held_sale();
    rig.doubtful->endings = {Ending::not_done};
    rig.doubtful->before_next_record = dropped(live);
    Told told;
    post(live->sale().id, ConfirmAsked{}, told);
    rig.doubtful->elsewhere.insert(live->sale().id);
    EXPECT_FALSE(told);
    rig.clock->advance(500ms);
    EXPECT_FALSE(told);
    EXPECT_EQ(forwarded(), 1u);
}

// Two commands wait behind an answer that the journal does not take, and so does a message that nobody waits for.
TEST_F(DriverElsewhere, EveryCallerThatWaitsIsToldWhenTheSaleIsDropped) {
    rig.doubtful->endings = {Ending::done, Ending::not_done};
    const auto live = rig.sell("k1").sale;
    const auto id = live->sale().id;
    rig.clock->settle();
    Told confirm;
    Told cancel;
    post(id, ConfirmAsked{}, confirm);
    post(id, CancelAsked{}, cancel);
    Driver::expect_no_answers(*live);
    rig.doubtful->elsewhere.insert(id);
    Driver::drop(*live);
    EXPECT_TRUE(live->outdated());
    rig.clock->settle();
    EXPECT_EQ(forwarded(), 2u);
    rig.clock->advance(500ms);
    EXPECT_EQ(forwarded(), 2u);
    EXPECT_FALSE(confirm);
    EXPECT_FALSE(cancel);
    EXPECT_THAT(rig.events(id), ElementsAre("begun"));
}

TEST_F(DriverElsewhere, ForwardedCommandsThatChangeNothingAreDismissedUntilTheJournalSaysSo) {
    const auto live = held_sale();
    const auto id = live->sale().id;
    rig.doubtful->forwarded.push_back({.number = 7, .sale = id, .event = Lost{}, .request_id = "r7"});
    rig.doubtful->before_next_dismissal = taken_away(id);
    boost::asio::co_spawn(*rig.io, rig.seller->keep_adopting(), boost::asio::detached);
    rig.clock->advance(1s);
    EXPECT_FALSE(rig.doubtful->before_next_dismissal);
    EXPECT_EQ(live->stage(), LiveSale::Stage::elsewhere) << "the journal has said that another gateway owns it";
    EXPECT_EQ(forwarded(), 1u);
}

TEST_F(DriverElsewhere, AForwardedCommandThatChangesNothingIsStillLogged) {
    const auto live = held_sale();
    rig.doubtful->forwarded.push_back({.number = 7, .sale = live->sale().id, .event = Lost{}, .request_id = "r7"});
    const auto said = rig.log.count("step=adopted");
    boost::asio::co_spawn(*rig.io, rig.seller->keep_adopting(), boost::asio::detached);
    rig.clock->advance(1s);
    EXPECT_EQ(forwarded(), 0u);
    EXPECT_EQ(rig.log.count("step=adopted"), said + 1);
    EXPECT_EQ(live->request_id(), "r") << "it has changed nothing";
}

TEST_F(DriverElsewhere, AForwardedStatementHasNoCallerToTell) {
    rig.network->otherwise = [this](const http::ClientRequest& request) {
        return request.target.ends_with("/solicitar") ? rig.books.answer(request) : lost();
    };
    const auto live = rig.sell("k1").sale;
    const auto id = live->sale().id;
    rig.clock->advance(rig.rules.confirm_window + 1s);
    rig.doubtful->forwarded.push_back({.number = 7,
                                       .sale = id,
                                       .attempt = live->sale().current().id_externo,
                                       .event = Stated{.status = Status::CANCELADA, .source = "a statement"},
                                       .request_id = "r7"});
    boost::asio::co_spawn(*rig.io, rig.seller->keep_adopting(), boost::asio::detached);
    rig.clock->advance(1s);
    EXPECT_EQ(rig.kept(id).status, Status::CANCELADA);
    EXPECT_EQ(rig.log.count("sale.fault"), 0u);
    EXPECT_EQ(live->request_id(), "r7");
}

}  // namespace
}  // namespace gateway::test
