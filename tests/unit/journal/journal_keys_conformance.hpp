// Tests what every journal promises of keys, and of sales that may be duplicates: a part of journal_conformance.hpp.
#pragma once

#include "unit/journal/journal_conformance.hpp"

namespace gateway::test {

TEST_P(JournalConformance, AKeyHasOneFate) {
    const auto first = begun("k1");
    EXPECT_EQ(ask(journal->begin(sale("k1"))).sale, first.id);
    EXPECT_EQ(ask(journal->cancel_key("caixa-01", "k1")).sale, first.id);
    for (int times = 0; times < 2; ++times)
        EXPECT_TRUE(ask(journal->cancel_key("caixa-01", "k2")).cancelled);
    EXPECT_TRUE(ask(journal->begin(sale("k2"))).cancelled);
    EXPECT_FALSE(ask(journal->find_key("caixa-02", "k1")).sale);
    EXPECT_FALSE(ask(journal->find_key("caixa-01", "k3")).cancelled);
    open();
    EXPECT_EQ(ask(journal->find_key("caixa-01", "k1")).sale, first.id);
    EXPECT_TRUE(ask(journal->find_key("caixa-01", "k2")).cancelled);
}

TEST_P(JournalConformance, APossibleDuplicateIsNotBegunUnlessItIsWanted) {
    const auto first = watched("k1");
    EXPECT_EQ(duplicate_of(first), std::nullopt);
    for (const bool again : {false, true}) {
        if (again) open();
        EXPECT_EQ(duplicate_of(watched("k2")), first.id);
        const auto key = ask(journal->find_key("caixa-01", "k2"));
        EXPECT_FALSE(key.sale || key.cancelled) << "nothing was begun, and the key is free";
    }
    const auto wanted = watched("k2", true);
    EXPECT_EQ(duplicate_of(wanted), std::nullopt);
    EXPECT_EQ(found(wanted.id).key, "k2");
    EXPECT_EQ(duplicate_of(watched("k3")), wanted.id) << "of several it is the latest";
    begun("k4");  // for this one none is looked for
}

TEST_P(JournalConformance, OnlyTheSameSaleIsAPossibleDuplicate) {
    EXPECT_EQ(duplicate_of(watched("k")), std::nullopt);
    const std::vector<void (*)(Sale&)> others{
        [](Sale& other) { other.estabelecimento = "87654321"; },
        [](Sale& other) { other.family = Family::transit; },
        [](Sale& other) { other.produto = "TV Anual"; },
        [](Sale& other) { other.fornecedor = "TV Anual"; },
        [](Sale& other) { other.segment = "TV Anual"; },
        [](Sale& other) { other.valor = Cents{2501}; },
        [](Sale& other) { other.duplicate_check->likeness = Secret("987.654.321-00"); },
    };
    for (std::size_t i = 0; i < others.size(); ++i) {
        auto other = watched("k" + std::to_string(i));
        others[i](other);
        EXPECT_EQ(duplicate_of(other), std::nullopt) << i;
    }
    auto same = watched("same");
    same.terminal = "caixa-02";
    same.cashier = "Rita";
    same.mode = ConfirmMode::manual;
    EXPECT_NE(duplicate_of(same), std::nullopt);
}

TEST_P(JournalConformance, WhatIsNotSoldAndWhatIsOldHasNoDuplicate) {
    for (const auto state : {AttemptState::cancelled, AttemptState::refused, AttemptState::sold}) {
        auto made = watched("k1-" + std::string(to_string(state)));
        EXPECT_EQ(duplicate_of(made), std::nullopt);
        become(made, state);
    }
    clock.jump(5min - 1ms);
    EXPECT_NE(duplicate_of(watched("k2")), std::nullopt) << "five minutes later";
    EXPECT_EQ(duplicate_of(watched("k2")), std::nullopt);
}

TEST_P(JournalConformance, AClockThatWasSetBackMakesNoDuplicatesForLongerThanTheWindow) {
    const auto first = watched("k1");
    EXPECT_EQ(duplicate_of(first), std::nullopt);
    clock.shift_wall(-4min);
    EXPECT_EQ(duplicate_of(watched("k2")), first.id);
    clock.shift_wall(-2min);
    EXPECT_EQ(duplicate_of(watched("k2")), std::nullopt);
}

TEST_P(JournalConformance, AKeyThatIsTakenIsAnsweredBeforeDuplicatesAreLookedFor) {
    const auto first = watched("k1");
    EXPECT_EQ(duplicate_of(first), std::nullopt);
    EXPECT_EQ(ask(journal->begin(watched("k1"))).sale, first.id);
    EXPECT_TRUE(ask(journal->cancel_key("caixa-01", "k2")).cancelled);
    EXPECT_TRUE(ask(journal->begin(watched("k2"))).cancelled);
    EXPECT_EQ(duplicate_of(watched("k3", true)), std::nullopt);
    EXPECT_EQ(duplicate_of(first), std::nullopt) << "it is recorded, and a begin that is repeated says so";
}

}  // namespace gateway::test
