#include "flow/attention_list.hpp"

#include "base/wall_time.hpp"
#include "journal/sqlite/database.hpp"
#include "sale/advice.hpp"
#include "unit/flow/rig.hpp"

#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class AttentionListTest : public testing::Test {
  protected:
    AttentionList& list() { return *rig.attention; }
    std::size_t said(const std::string& text) const { return rig.log.count(text); }
    std::uint64_t counted(Attention mark) const {
        return rig.metrics->attention_raised.at(static_cast<std::size_t>(mark));
    }
    std::size_t listed(Attention mark) { return list().by_mark().at(static_cast<std::size_t>(mark)); }

    // Makes a sale whose cancel the provider never answers.
    SaleId unsettled() {
        rig.answers_are_lost = true;
        const auto sold = rig.sell("k" + std::to_string(++keys_));
        const auto id = sold.sale->sale().id;
        rig.clock->advance(rig.rules.attention_after + 1s);
        EXPECT_EQ(rig.kept(id).attention, Attention::unsettled);
        return id;
    }
    Sale settled(Attention mark) {
        auto made = rig.sell("k" + std::to_string(++keys_)).sale->sale();
        rig.clock->settle();
        made = rig.kept(made.id);
        EXPECT_TRUE(made.settled);
        made.attention = mark;
        return made;
    }

    // Alters the row as another program does, and lets the journal meet that.
    void damage(SaleId id) {
        auto database = *sqlite::Database::open(rig.folder.path("journal.db"), nullptr);
        ASSERT_TRUE(database.ask("UPDATE sales SET attempts = 'garbage' WHERE id = ?", id.text()).has_value());
        ASSERT_EQ(rig.clock->run(rig.journal->find(id)).error(), make_error_code(errc::sale_unreadable));
    }

    FlowRig rig;

  private:
    int keys_ = 0;
};

TEST_F(AttentionListTest, ASaleThatNeedsAPersonIsSaidLoudlyOnceAndCounted) {
    const auto id = unsettled();
    rig.clock->advance(5h);
    EXPECT_EQ(said("error sale.attention"), 1u);
    EXPECT_TRUE(rig.log.has(id.str()));
    const auto [known, not_known, to_do] = advice(Attention::unsettled);
    for (const auto sentence : {known, not_known, to_do})
        EXPECT_TRUE(rig.log.has(sentence)) << sentence;
    EXPECT_EQ(list().size(), 1u);
    EXPECT_EQ(listed(Attention::unsettled), 1u);
    EXPECT_EQ(counted(Attention::unsettled), 1u);
}

TEST_F(AttentionListTest, WhatAnotherGatewayMarksOrDealsWithIsKnownAtTheNextLook) {
    rig.doubtful->is_shared = true;
    auto made = settled(Attention::none);
    const auto becomes = [&](Attention mark) {
        Change change{.at = rig.clock->wall(), .attempt = 0, .next = made.current()};
        change.status = made.status;
        change.settled = true;
        change.attention = mark;
        EXPECT_TRUE(rig.clock->run(rig.journal->record(made, change, nullptr, {.event = "test"})).has_value());
        made.attention = mark;
        EXPECT_TRUE(rig.clock->run(list().keep_up()).has_value());
        rig.clock->jump(5s);
    };
    becomes(Attention::no_callback);
    EXPECT_EQ(listed(Attention::no_callback), 1u);
    becomes(Attention::contradiction);
    EXPECT_EQ(listed(Attention::contradiction), 1u);
    EXPECT_EQ(list().size(), 1u);
    becomes(Attention::none);
    EXPECT_EQ(list().size(), 0u);
    EXPECT_EQ(counted(Attention::no_callback), 0u) << "the other gateway has counted it";
}

TEST_F(AttentionListTest, OneThatComesRightByItselfLeaves) {
    unsettled();
    rig.network->otherwise = [this](const http::ClientRequest& request) { return rig.books.answer(request); };
    rig.clock->advance(1h);
    EXPECT_EQ(list().size(), 0u);
    EXPECT_EQ(listed(Attention::unsettled), 0u);
    EXPECT_EQ(counted(Attention::unsettled), 1u) << "what was raised stays raised";
}

TEST_F(AttentionListTest, OneThatIsSettledStaysUntilAPersonHasDealtWithIt) {
    for (const auto mark : all_attentions) {
        if (mark == Attention::none) continue;
        auto sale = settled(mark);
        list().follow(sale);
        list().follow(sale);
        EXPECT_EQ(said("error sale.attention sale=" + sale.id.str()), 1u) << to_string(mark);
        EXPECT_EQ(listed(mark), 1u);
        EXPECT_EQ(counted(mark), 1u);
        sale.attention = Attention::none;
        list().follow(sale);
        EXPECT_EQ(list().size(), 0u);
    }
}

TEST_F(AttentionListTest, AnotherMarkOfTheSameSaleIsSaidToo) {
    auto sale = settled(Attention::unsettled);
    list().follow(sale);
    sale.attention = Attention::contradiction;
    list().follow(sale);
    EXPECT_EQ(said("error sale.attention"), 2u);
    EXPECT_EQ(list().size(), 1u);
    EXPECT_EQ(listed(Attention::contradiction), 1u);
}

TEST_F(AttentionListTest, WhatTheJournalHasIsFoundAtStartAndNotSaidTwice) {
    const auto id = unsettled();
    rig.log.lines.clear();
    rig.crash();
    EXPECT_EQ(said("error sale.attention sale=" + id.str()), 1u);
    EXPECT_EQ(listed(Attention::unsettled), 1u);
    EXPECT_EQ(counted(Attention::unsettled), 0u) << "it came to need a person in another life";
    ASSERT_TRUE(rig.clock->run(list().look()).has_value());
    EXPECT_EQ(said("error sale.attention"), 1u);
}

TEST_F(AttentionListTest, WhatIsFollowedWhileTheJournalIsAskedIsNewerThanItsAnswer) {
    auto sale = rig.kept(unsettled());
    auto look = boost::asio::co_spawn(*rig.io, list().look(), boost::asio::use_future);
    rig.io->restart();
    ASSERT_EQ(rig.io->poll_one(), 1u) << "the look has begun; the journal has not answered";
    sale.attention = Attention::none;
    list().follow(sale);
    rig.clock->settle();
    EXPECT_TRUE(look.get().has_value());
    EXPECT_EQ(list().size(), 0u) << "it came right meanwhile";
    ASSERT_TRUE(rig.clock->run(list().look()).has_value());
    EXPECT_EQ(list().size(), 1u) << "the next look believes the journal again";
}

TEST_F(AttentionListTest, AMarkOfTheJournalsStaysThoughTheGatewayMendsTheRowByItsNextStep) {
    rig.answers_are_lost = true;
    const auto live = rig.sell("k1").sale;
    const auto id = live->sale().id;
    ASSERT_EQ(live->sale().attention, Attention::none);
    damage(id);
    ASSERT_TRUE(rig.clock->run(list().keep_up()).has_value());
    EXPECT_EQ(live->sale().attention, Attention::unreadable);
    for (const auto pause : {Duration(1min), Duration(rig.rules.attention_after)}) {
        rig.clock->advance(pause);
        EXPECT_EQ(rig.kept(id).attention, Attention::unreadable) << "the row is whole again";
        EXPECT_EQ(listed(Attention::unreadable), 1u);
        EXPECT_EQ(list().size(), 1u);
    }
    rig.answers_are_lost = false;
    rig.clock->advance(1h);
    ASSERT_TRUE(rig.kept(id).settled);
    EXPECT_EQ(listed(Attention::unreadable), 1u) << "until a person has dealt with it";
    EXPECT_EQ(counted(Attention::unreadable), 1u);
    EXPECT_EQ(said("error sale.attention sale=" + id.str()), 1u);

    auto told = rig.seller->tell(id, Resolved{.note = "looked at"}, "r", rig.clock->now() + 1min);
    ASSERT_TRUE(rig.clock->run(std::move(told)).has_value());
    EXPECT_EQ(rig.kept(id).attention, Attention::none);
    EXPECT_EQ(list().size(), 0u);
    rig.clock->settle();
    ASSERT_TRUE(rig.clock->run(list().look()).has_value());
    EXPECT_EQ(list().size(), 0u);
}

TEST_F(AttentionListTest, AMarkOfTheJournalsTakesThePlaceOfOneThatPasses) {
    const auto id = unsettled();
    damage(id);
    ASSERT_TRUE(rig.clock->run(list().keep_up()).has_value());
    EXPECT_EQ(listed(Attention::unsettled), 0u);
    EXPECT_EQ(listed(Attention::unreadable), 1u);
    EXPECT_EQ(counted(Attention::unreadable), 1u);
    rig.answers_are_lost = false;
    rig.clock->advance(1h);
    EXPECT_TRUE(rig.kept(id).settled);
    EXPECT_EQ(listed(Attention::unreadable), 1u);
}

TEST_F(AttentionListTest, AStepThatWasDecidedBeforeTheMarkWasKnownDoesNotTakeItAway) {
    rig.answers_are_lost = true;
    const auto live = rig.sell("k1").sale;
    const auto id = live->sale().id;
    damage(id);
    // The next step is on its way to the journal when the list learns of the mark.
    rig.doubtful->before_next_record = [&] {
        ASSERT_TRUE(live->deciding());
        live->found_unreadable();
        EXPECT_EQ(live->sale().attention, Attention::none) << "what is being decided does not know of it";
    };
    rig.clock->advance(1min);
    EXPECT_FALSE(rig.doubtful->before_next_record);
    EXPECT_EQ(live->sale().attention, Attention::unreadable);
    EXPECT_EQ(rig.kept(id).attention, Attention::unreadable);
    EXPECT_EQ(listed(Attention::unreadable), 1u);
}

TEST_F(AttentionListTest, WhatIsFollowedDuringALookHidesNoMarkOfTheJournalsUnlessAPersonTookItAway) {
    const auto sale = settled(Attention::none);
    damage(sale.id);
    const auto look = [&](Attention meanwhile) {
        auto looked = boost::asio::co_spawn(*rig.io, list().look(), boost::asio::use_future);
        rig.io->restart();
        ASSERT_EQ(rig.io->poll_one(), 1u) << "the look has begun; the journal has not answered";
        auto followed = sale;
        followed.attention = meanwhile;
        list().follow(followed);
        rig.clock->settle();
        EXPECT_TRUE(looked.get().has_value());
    };
    look(Attention::none);
    EXPECT_EQ(listed(Attention::unreadable), 1u) << "memory did not know of it, and left it in the row";
    look(Attention::none);
    EXPECT_EQ(list().size(), 0u);
}

TEST_F(AttentionListTest, AReminderSaysHowTheSaleStandsNow) {
    auto sale = settled(Attention::restored);
    sale.status = Status::AUTORIZADA;
    list().follow(sale);
    sale.status = Status::EFETIVADA;
    list().follow(sale);
    rig.log.lines.clear();
    list().remind();
    EXPECT_EQ(said("warn sale.attention sale=" + sale.id.str()), 1u);
    EXPECT_TRUE(rig.log.has("status=EFETIVADA mark=restored"));
    EXPECT_EQ(rig.log.lines.size(), 1u);
}

TEST_F(AttentionListTest, SaysSinceWhenAlsoAfterARestart) {
    const auto id = unsettled();
    const auto since = "markedAt=" + to_rfc3339(rig.kept(id).updated_at);
    EXPECT_EQ(said(since), 1u);
    rig.clock->advance(2h);
    list().remind();
    EXPECT_EQ(said(since), 2u) << "not since the last try";
    rig.crash();
    list().remind();
    EXPECT_EQ(said(since), 4u) << "at the start, and then again";
}

TEST_F(AttentionListTest, ThousandsDoNotFloodTheLog) {
    auto sale = settled(Attention::restored);
    for (int i = 0; i < 150; ++i) {
        sale.id = SaleId::make(rig.clock->wall(), rig.random);
        list().follow(sale);
    }
    rig.log.lines.clear();
    list().remind();
    EXPECT_EQ(said("warn sale.attention sale="), 100u);
    EXPECT_EQ(said("warn sale.attention_more sales=50"), 1u);
    EXPECT_EQ(list().size(), 150u);
}

}  // namespace
}  // namespace gateway::test
