// What every journal promises of the erasure of old personal fields: a part of journal_conformance.hpp.
#pragma once

#include "unit/journal/journal_conformance.hpp"

namespace gateway::test {

TEST_P(JournalConformance, ErasesPersonalFieldsOfOldSettledSalesAndOfOthersOnceTheyAreSettled) {
    auto settled = watched("k1");
    settled.cashier = "Rita";
    ASSERT_EQ(duplicate_of(settled), std::nullopt);
    become(settled, Status::EFETIVADA, true, AttemptState::sold);
    auto open_one = begun("k2");
    clock.jump(24h);
    auto young = begun("k3");
    become(young, Status::EFETIVADA, true, AttemptState::sold);
    const auto cutoff = clock.wall() - 1h;
    EXPECT_EQ(clock.run(journal->erase_personal(cutoff)).value().sales, 1u);
    EXPECT_TRUE(found(settled.id).request.empty());
    EXPECT_EQ(found(settled.id).cashier, "");
    EXPECT_EQ(found(settled.id).valor, Cents{2500});
    EXPECT_FALSE(found(open_one.id).request.empty());
    EXPECT_FALSE(found(young.id).request.empty());
    become(open_one, Status::CANCELADA, true, AttemptState::cancelled);
    EXPECT_EQ(clock.run(journal->erase_personal(cutoff)).value().sales, 1u);
    EXPECT_TRUE(found(open_one.id).request.empty());
    EXPECT_EQ(clock.run(journal->erase_personal(cutoff)).value().sales, 0u);
}

TEST_P(JournalConformance, WhatWasErasedHasNoDuplicates) {
    auto old = watched("k1");
    old.duplicate_check->window = 48h;
    ASSERT_EQ(duplicate_of(old), std::nullopt);
    become(old, Status::EFETIVADA, true, AttemptState::sold);
    auto again = watched("k2");
    again.duplicate_check->window = 48h;
    clock.jump(24h);
    EXPECT_EQ(duplicate_of(again), old.id);
    EXPECT_EQ(clock.run(journal->erase_personal(clock.wall() - 1h)).value().sales, 1u);
    EXPECT_EQ(duplicate_of(again), std::nullopt);
}

class LateJournalConformance : public JournalConformance {
  protected:
    static constexpr Duration retention = 90 * 24h;

    // The erasure has passed a sale.
    LateJournalConformance() {
        passed = std::make_unique<Sale>(begun("k1"));
        become(*passed, Status::EFETIVADA, true, AttemptState::sold);
        clock.jump(retention + 1h);
        EXPECT_EQ(erase().sales, 1u);
    }
    Erased erase() { return clock.run(journal->erase_personal(clock.wall() - retention)).value(); }
    // Erases nothing now nor at the end of the retention; how many afterwards.
    std::size_t erased_after_the_retention() {
        EXPECT_EQ(erase().sales, 0u);
        clock.jump(retention - 1h);
        EXPECT_EQ(erase().sales, 0u);
        clock.jump(2h);
        const auto erased = erase().sales;
        EXPECT_EQ(erase().sales, 0u);
        return erased;
    }
    Sale sold_with_the_clock_behind(std::string key) {
        clock.shift_wall(-1000 * 24h);
        auto made = begun(std::move(key));
        become(made, Status::EFETIVADA, true, AttemptState::sold);
        clock.shift_wall(1000 * 24h);
        return made;
    }

    std::unique_ptr<Sale> passed;
};

TEST_P(LateJournalConformance, ErasesASaleThatWasMadeWithAClockThatWasBehind) {
    const auto late = sold_with_the_clock_behind("k2");
    EXPECT_EQ(erased_after_the_retention(), 1u);
    EXPECT_TRUE(found(late.id).request.empty());
}

TEST_P(LateJournalConformance, KnowsAfterARestartHowFarTheErasureHasCome) {
    open();
    const auto late = sold_with_the_clock_behind("k2");
    open();
    EXPECT_EQ(erased_after_the_retention(), 1u);
    EXPECT_TRUE(found(late.id).request.empty());
}

TEST_P(LateJournalConformance, ErasesWhatIsWrittenLate) {
    ASSERT_TRUE(clock.run(journal->claim(passed->id)).has_value());
    Change change{.at = clock.wall(), .attempt = 0, .next = passed->current(), .status = passed->status};
    change.settled = true;
    change.reason = Reason{.code = ReasonCode::by_operator, .detail = "Maria said so"};
    change.details = TransactionDetails{};
    change.details->instrucao = Secret("PIN 1");
    change.esim = EsimDetails{.uuid = "u"};
    change.esim->msisdn = Secret("55");
    ASSERT_TRUE(clock.run(journal->record(*passed, change, nullptr, {.event = "resolved", .detail = "Maria said so"})));
    const auto note = [&] {
        const auto history = clock.run(journal->history(passed->id)).value();
        return history.back().as_object().contains("detail");
    };
    EXPECT_TRUE(note());
    EXPECT_EQ(erased_after_the_retention(), 1u);
    EXPECT_FALSE(note());
    const auto kept = found(passed->id);
    EXPECT_TRUE(kept.details.instrucao.empty() && !kept.esim && kept.reason->detail.empty());
}

TEST_P(LateJournalConformance, ErasesACallbackThatComesLate) {
    ASSERT_TRUE(clock.run(journal->keep_callback(passed->id, "sale", true, Secret("{}"))).has_value());
    const auto body = [&] { return clock.run(journal->callbacks(passed->id)).value()[0].as_object().contains("body"); };
    EXPECT_TRUE(body());
    EXPECT_EQ(erased_after_the_retention(), 1u);
    EXPECT_FALSE(body());
}

TEST_P(LateJournalConformance, WhatIsWrittenLateOfAnOpenSaleWaitsUntilItIsSettled) {
    clock.shift_wall(-1000 * 24h);
    auto late = begun("k2");
    clock.shift_wall(1000 * 24h);
    EXPECT_EQ(erased_after_the_retention(), 0u);
    become(late, Status::CANCELADA, true, AttemptState::cancelled);
    EXPECT_EQ(erase().sales, 1u);
    EXPECT_TRUE(found(late.id).request.empty());
}

TEST_P(LateJournalConformance, WhatWasMetByAClockThatWasAheadIsMetAgain) {
    const auto late = sold_with_the_clock_behind("k2");
    clock.shift_wall(10 * 365 * 24h);
    EXPECT_EQ(clock.run(journal->erase_personal(WallTime())).value().sales, 0u);
    clock.shift_wall(-10 * 365 * 24h);
    EXPECT_EQ(erased_after_the_retention(), 1u);
    EXPECT_TRUE(found(late.id).request.empty());
}

TEST_P(LateJournalConformance, ComesBackToAFewAtATimeAndToAllOfThem) {
    constexpr std::size_t many = 450;
    for (std::size_t i = 0; i < many; ++i)
        sold_with_the_clock_behind("late-" + std::to_string(i));
    const auto round = [&] {
        std::size_t erased = 0;
        std::size_t passes = 1;
        for (auto pass = erase();; pass = erase(), ++passes) {
            EXPECT_LE(pass.sales, 200u);
            erased += pass.sales;
            if (!pass.more) break;
        }
        EXPECT_EQ(passes, 3u);
        return erased;
    };
    EXPECT_EQ(round(), 0u);
    clock.jump(retention + 1h);
    EXPECT_EQ(round(), many);
    EXPECT_FALSE(erase().more);
}

}  // namespace gateway::test
