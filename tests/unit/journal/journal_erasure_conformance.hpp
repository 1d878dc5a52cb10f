// Tests what every journal promises about the erasure of old personal fields: a part of journal_conformance.hpp.
#pragma once

#include "unit/journal/journal_conformance.hpp"

#include <functional>

namespace gateway::test {

TEST_P(JournalConformance, ErasesPersonalFieldsOfOldSettledSalesAndOfOthersOnceTheyAreSettled) {
    auto settled = watched("k1");
    settled.cashier = "Rita";
    ASSERT_EQ(duplicate_of(settled), std::nullopt);
    become(settled, AttemptState::sold);
    auto open_one = begun("k2");
    clock.jump(24h);
    const auto young = sold("k3");
    const auto cutoff = clock.wall() - 1h;
    EXPECT_EQ(ask(journal->erase_personal(cutoff)).sales, 1u);
    EXPECT_TRUE(found(settled.id).request.empty());
    EXPECT_EQ(found(settled.id).cashier, "");
    EXPECT_EQ(found(settled.id).valor, Cents{2500});
    EXPECT_FALSE(found(open_one.id).request.empty());
    EXPECT_FALSE(found(young.id).request.empty());
    become(open_one, AttemptState::cancelled);
    EXPECT_EQ(ask(journal->erase_personal(cutoff)).sales, 1u);
    EXPECT_TRUE(found(open_one.id).request.empty());
    EXPECT_EQ(ask(journal->erase_personal(cutoff)).sales, 0u);
}

TEST_P(JournalConformance, NothingPersonalIsLeftOfWhatIsErasedWhetherEncryptedOrNot) {
    for (const auto& keys : {std::vector<Secret>{}, std::vector{first_key}}) {
        begin_anew();
        open(keys);
        const auto made = full("k1", Family::esim);
        clock.jump(24h);
        EXPECT_EQ(ask(journal->erase_personal(clock.wall())).sales, 1u);
        const auto left = found(made.id);
        EXPECT_TRUE(left.request.empty() && left.details.instrucao.empty() && !left.esim && left.cashier.empty());
        EXPECT_EQ(left.reason->code, ReasonCode::by_operator);
        EXPECT_TRUE(left.reason->provider_body.empty() && left.reason->detail.empty());
        EXPECT_EQ(history(made).back().detail, "");
        EXPECT_FALSE(ask(journal->callbacks(made.id))[0].body);
        EXPECT_EQ(journal->stats().unreadable, 0u);
    }
}

TEST_P(JournalConformance, WhatWasErasedHasNoDuplicates) {
    auto old = watched("k1");
    old.duplicate_check->window = 48h;
    ASSERT_EQ(duplicate_of(old), std::nullopt);
    become(old, AttemptState::sold);
    auto again = watched("k2");
    again.duplicate_check->window = 48h;
    clock.jump(24h);
    EXPECT_EQ(duplicate_of(again), old.id);
    EXPECT_EQ(ask(journal->erase_personal(clock.wall() - 1h)).sales, 1u);
    EXPECT_EQ(duplicate_of(again), std::nullopt);
}

class LateJournalConformance : public JournalConformance {
  protected:
    static constexpr Duration retention = 90 * 24h;

    // Here the erasure has already passed a sale.
    LateJournalConformance() : passed(sold("k1")) {
        clock.jump(retention + 1h);
        EXPECT_EQ(erase().sales, 1u);
    }
    Erased erase() { return ask(journal->erase_personal(clock.wall() - retention)); }
    // Checks that nothing is erased now or at the end of the retention. Returns how many sales are erased afterwards.
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
        auto made = sold(std::move(key));
        clock.shift_wall(1000 * 24h);
        return made;
    }

    Sale passed;
};

TEST_P(LateJournalConformance, ErasesASaleThatWasMadeWithAClockThatWasBehindAlsoAfterARestart) {
    for (const bool restarts : {false, true}) {
        if (restarts) open();
        const auto late = sold_with_the_clock_behind(restarts ? "k3" : "k2");
        if (restarts) open();
        EXPECT_EQ(erased_after_the_retention(), 1u);
        EXPECT_TRUE(found(late.id).request.empty());
    }
}

TEST_P(LateJournalConformance, ErasesWhatIsWrittenLate) {
    std::int64_t finding = 0;
    const std::vector<std::pair<std::function<void()>, std::function<bool()>>> written{
        {[&] {
             ask(journal->claim(passed.id));
             auto change = change_to(passed, AttemptState::sold);
             change.reason = Reason{.code = ReasonCode::by_operator, .detail = "Maria said so"};
             change.details = TransactionDetails{};
             change.details->instrucao = Secret("PIN 1");
             change.esim = EsimDetails{.uuid = "u"};
             change.esim->msisdn = Secret("55");
             record(passed, change, {.event = "resolved", .detail = "Maria said so"});
         },
         [&] {
             const auto kept = found(passed.id);
             const bool told = !history(passed).back().detail.empty();
             EXPECT_TRUE(told == !kept.details.instrucao.empty() && told == kept.esim.has_value());
             EXPECT_EQ(told, !kept.reason->detail.empty());
             return told;
         }},
        {[&] { ask(journal->keep_callback(passed.id, "sale", true, Secret("{}"))); },
         [&] { return ask(journal->callbacks(passed.id))[0].body.has_value(); }},
        {[&] {
             const KeptStatement statement{.day = day("2026-11-20"), .source = "file"};
             const Finding about{.kind = FindingKind::sold_there, .sale = passed.id};
             finding = ask(journal->keep_statement(statement, {about})).opened.at(0).number;
             ask(journal->close_finding(finding, "claimed", "rita", clock.wall()));
         },
         [&] { return !ask(journal->findings({.number = finding})).at(0).closed->note.empty(); }}};
    for (const auto& [write, is_there] : written) {
        write();
        EXPECT_TRUE(is_there());
        EXPECT_EQ(erased_after_the_retention(), 1u);
        EXPECT_FALSE(is_there());
    }
}

TEST_P(LateJournalConformance, WhatIsWrittenLateOfAnOpenSaleWaitsUntilItIsSettled) {
    clock.shift_wall(-1000 * 24h);
    auto late = begun("k2");
    clock.shift_wall(1000 * 24h);
    EXPECT_EQ(erased_after_the_retention(), 0u);
    become(late, AttemptState::cancelled);
    EXPECT_EQ(erase().sales, 1u);
    EXPECT_TRUE(found(late.id).request.empty());
}

TEST_P(LateJournalConformance, WhatWasMetByAClockThatWasAheadIsMetAgain) {
    const auto late = sold_with_the_clock_behind("k2");
    clock.shift_wall(10 * 365 * 24h);
    EXPECT_EQ(ask(journal->erase_personal(WallTime())).sales, 0u);
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
