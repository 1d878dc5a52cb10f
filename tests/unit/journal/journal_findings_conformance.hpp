// What every journal promises of statements and findings: a part of journal_conformance.hpp.
#pragma once

#include "unit/journal/journal_conformance.hpp"

namespace gateway::test {

class FindingsConformance : public JournalConformance {
  protected:
    static Day day(std::string_view text) { return parse_day(text).value(); }

    KeptStatement statement(std::string digest, std::string_view on = "2026-11-20") {
        return {.day = day(on),
                .source = "file",
                .network = "4711",
                .digest = std::move(digest),
                .reading = "r",
                .read_at = clock.wall(),
                .by = "maria",
                .header_money = "cents",
                .rows = 7,
                .matched = 5,
                .others = 1,
                .findings = 1};
    }
    Finding finding(FindingKind kind, std::string id_externo) {
        Finding made{.kind = kind};
        made.id_externo = std::move(id_externo);
        made.id_transacao = "T1";
        made.nsu = "9";
        made.estabelecimento = "12345678";
        made.ours = Saying{.valor = Cents{2500}, .status = Status::CANCELADA};
        made.theirs = Saying{.valor = Cents{2500}, .status = Status::EFETIVADA};
        made.line = 12;
        made.opened_at = clock.wall();
        return made;
    }
    FindingChanges keep(const KeptStatement& kept, const std::vector<Finding>& found) {
        return clock.run(journal->keep_statement(kept, found)).value();
    }
    std::vector<Finding> list(const FindingFilter& filter) { return clock.run(journal->findings(filter)).value(); }
    std::vector<std::int64_t> numbers(const FindingFilter& filter) {
        std::vector<std::int64_t> all;
        for (const auto& one : list(filter))
            all.push_back(one.number);
        return all;
    }
    Finding one(std::int64_t number) { return list({.number = number}).at(0); }
    Finding resolve(std::int64_t number, const std::string& note = "claimed", const std::string& by = "rita") {
        return clock.run(journal->close_finding(number, note, by, clock.wall())).value();
    }
};

TEST_P(FindingsConformance, AStatementIsKnownByItsBytesAndByHowTheyWereRead) {
    EXPECT_FALSE(clock.run(journal->known_statement("a", "r")).value());
    const auto kept = keep(statement("a"), {}).statement;
    for (const bool again : {false, true}) {
        if (again) open();
        const auto known = clock.run(journal->known_statement("a", "r")).value();
        ASSERT_TRUE(known);
        EXPECT_EQ(known->id, kept.id);
        EXPECT_EQ(to_text(known->day), "2026-11-20");
        EXPECT_EQ(known->source, "file");
        EXPECT_EQ(known->network, "4711");
        EXPECT_EQ(known->by, "maria");
        EXPECT_EQ(known->header_money, "cents");
        EXPECT_EQ(known->read_at, kept.read_at);
        EXPECT_EQ(known->rows, 7);
        EXPECT_EQ(known->matched, 5);
        EXPECT_EQ(known->others, 1);
        EXPECT_EQ(known->findings, 1);
        EXPECT_EQ(known->replaced, std::nullopt);
        EXPECT_FALSE(clock.run(journal->known_statement("a", "another way")).value());
        EXPECT_FALSE(clock.run(journal->known_statement("b", "r")).value());
    }
    EXPECT_EQ(keep(statement("b"), {}).statement.replaced, kept.id);
    EXPECT_EQ(keep(statement("c", "2026-11-21"), {}).statement.replaced, std::nullopt);
}

TEST_P(FindingsConformance, TheLastStatementOfASourceIsKnown) {
    const auto last = [&](const std::string& source) {
        const auto found = clock.run(journal->last_statement(source)).value();
        return found ? found->digest : "none";
    };
    EXPECT_EQ(last(""), "none");
    auto listed = statement("a", "2026-11-22");
    listed.source = "list";
    keep(listed, {});
    keep(statement("b"), {});
    EXPECT_EQ(last(""), "b");
    EXPECT_EQ(last("list"), "a");
    EXPECT_EQ(last("folder"), "none");
    listed.digest = "c";
    listed.day = day("2026-11-21");
    keep(listed, {});
    EXPECT_EQ(last("list"), "c") << "which was read last";
    EXPECT_EQ(last(""), "c");
    auto asked = statement("d");
    asked.source = "status";
    keep(asked, {});
    EXPECT_EQ(last("status"), "d");
    EXPECT_EQ(last(""), "c") << "answers about single sales are no statement of a day";
}

TEST_P(FindingsConformance, AStatementAboutSomeAttemptsLeavesAllOthersAsTheyAre) {
    const auto first =
        keep(statement("a"), {finding(FindingKind::missing_there, "A1"), finding(FindingKind::missing_there, "A2"),
                              finding(FindingKind::missing_there, "A3"), finding(FindingKind::open_there, "A4")});
    const auto number = [&](std::size_t i) { return first.opened.at(i).number; };
    resolve(number(3));
    keep(statement("b", "2026-11-21"), {finding(FindingKind::missing_there, "A2")});
    auto about = statement("c");
    about.about = {"A2", "A3", "A9"};
    const auto changes = keep(about, {finding(FindingKind::amount_differs, "A3")});
    EXPECT_EQ(changes.statement.replaced, first.statement.id);
    ASSERT_EQ(changes.opened.size(), 1u);
    EXPECT_EQ(changes.opened[0].id_externo, "A3");
    ASSERT_EQ(changes.closed.size(), 2u) << "what is said of them now, and nothing of them on another day";
    for (const auto& closed : changes.closed) {
        EXPECT_TRUE(closed.number == number(1) || closed.number == number(2));
        EXPECT_EQ(closed.closed->as, FindingEnd::corrected);
    }
    const auto day_has = numbers({.day = day("2026-11-20"), .said = true});
    EXPECT_THAT(day_has, UnorderedElementsAre(changes.opened[0].number, number(0), number(3)));
    EXPECT_EQ(one(number(0)).statement, changes.statement.id);
    EXPECT_FALSE(one(number(0)).closed);
    EXPECT_EQ(one(number(3)).closed->as, FindingEnd::resolved) << "a person's word stands";
    EXPECT_EQ(keep(statement("d"), {}).closed.size(), 2u) << "a statement of the whole day says it anew";
}

TEST_P(FindingsConformance, WhatAnotherDayExplainedStaysSoWhereOthersAreAskedFor) {
    const auto missing = keep(statement("a"), {finding(FindingKind::missing_there, "A1")}).opened.at(0).number;
    auto there = finding(FindingKind::other_day, "A1");
    const auto sale = begun();
    there.sale = sale.id;
    EXPECT_EQ(keep(statement("b", "2026-11-21"), {there}).closed.size(), 1u);
    auto about = statement("c");
    about.about = {"A2"};
    EXPECT_THAT(keep(about, {}).opened, IsEmpty());
    EXPECT_EQ(one(missing).closed->as, FindingEnd::other_day);
}

TEST_P(FindingsConformance, TheFirstStatementOfADayMayBeAboutSomeAttempts) {
    auto about = statement("a");
    about.about = {"A1"};
    const auto changes = keep(about, {finding(FindingKind::still_open, "A1")});
    EXPECT_EQ(changes.opened.size(), 1u);
    EXPECT_THAT(changes.closed, IsEmpty());
}

TEST_P(FindingsConformance, StatementsAreToldInPagesTheLastOneFirst) {
    const auto told = [&](std::optional<std::int64_t> before, std::size_t limit) {
        std::vector<std::string> digests;
        for (const auto& one : clock.run(journal->statements(before, limit)).value())
            digests.push_back(one.digest);
        return digests;
    };
    EXPECT_THAT(told(std::nullopt, 10), IsEmpty());
    std::vector<std::int64_t> ids;
    for (const auto* digest : {"a", "b", "c", "d"})
        ids.push_back(
            keep(statement(digest, digest == std::string_view("b") ? "2026-11-21" : "2026-11-20"), {}).statement.id);
    EXPECT_THAT(told(std::nullopt, 10), ElementsAre("d", "c", "b", "a"));
    for (int again = 0; again < 2; ++again)
        EXPECT_THAT(told(std::nullopt, 2), ElementsAre("d", "c"));
    EXPECT_THAT(told(ids[2], 10), ElementsAre("b", "a"));
    EXPECT_THAT(told(ids[0], 10), IsEmpty());
    open();
    const auto all = clock.run(journal->statements(std::nullopt, 10)).value();
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].replaced, ids[2]);
    EXPECT_EQ(all[1].superseded, ids[3]);
    EXPECT_EQ(all[2].replaced, std::nullopt);
    EXPECT_EQ(all[2].by, "maria");
}

TEST_P(FindingsConformance, AFindingIsKeptAsItIs) {
    const auto about = begun();
    auto made = finding(FindingKind::sold_there, about.current().id_externo.str());
    made.sale = about.id;
    made.asks = FindingAsks::settle;
    made.pending = true;
    auto other = finding(FindingKind::count_differs, "");
    other.id_transacao.clear();
    other.nsu.clear();
    other.ours.reset();
    other.theirs.reset();
    other.line = 0;
    other.detail = "the header counts 3, and our sales make 2";
    const auto changes = keep(statement("a"), {made, other});
    ASSERT_EQ(changes.opened.size(), 2u);
    for (const bool again : {false, true}) {
        if (again) open();
        const auto kept = one(changes.opened[0].number);
        EXPECT_EQ(kept.statement, changes.statement.id);
        EXPECT_EQ(to_text(kept.day), "2026-11-20");
        EXPECT_EQ(kept.kind, FindingKind::sold_there);
        EXPECT_EQ(kept.sale, about.id);
        EXPECT_EQ(kept.id_externo, made.id_externo);
        EXPECT_EQ(kept.id_transacao, "T1");
        EXPECT_EQ(kept.nsu, "9");
        EXPECT_EQ(kept.estabelecimento, "12345678");
        EXPECT_EQ(kept.ours, made.ours);
        EXPECT_EQ(kept.theirs, made.theirs);
        EXPECT_EQ(kept.line, 12u);
        EXPECT_EQ(kept.asks, FindingAsks::settle);
        EXPECT_TRUE(kept.pending);
        EXPECT_EQ(kept.opened_at, made.opened_at);
        EXPECT_FALSE(kept.closed);
        const auto whole = one(changes.opened[1].number);
        EXPECT_FALSE(whole.sale || whole.ours || whole.theirs);
        EXPECT_EQ(whole.detail, other.detail);
    }
}

TEST_P(FindingsConformance, FindingsAreToldByEveryFilterNewestFirst) {
    auto pending = finding(FindingKind::open_there, "C");
    pending.pending = true;
    const auto first = keep(statement("a"), {finding(FindingKind::missing_there, "A"), pending}).opened;
    const auto second = keep(statement("b", "2026-11-21"), {finding(FindingKind::missing_there, "B")}).opened;
    const auto a = first[0].number;
    const auto c = first[1].number;
    const auto b = second[0].number;
    EXPECT_THAT(numbers({}), ElementsAre(b, c, a));
    EXPECT_THAT(numbers({.kind = FindingKind::missing_there}), ElementsAre(b, a));
    EXPECT_THAT(numbers({.day = day("2026-11-20")}), ElementsAre(c, a));
    EXPECT_THAT(numbers({.number = c}), ElementsAre(c));
    EXPECT_THAT(numbers({.statement = second[0].statement}), ElementsAre(b));
    EXPECT_THAT(numbers({.pending = true}), ElementsAre(c));
    EXPECT_THAT(numbers({.before = b, .limit = 1}), ElementsAre(c));
    resolve(a);
    EXPECT_THAT(numbers({.open = true}), ElementsAre(b, c));
    EXPECT_THAT(numbers({.open = false}), ElementsAre(a));
    EXPECT_EQ(clock.run(journal->open_findings()).value(),
              (std::map<FindingKind, std::int64_t>{{FindingKind::missing_there, 1}, {FindingKind::open_there, 1}}));
}

TEST_P(FindingsConformance, WhatACorrectedStatementSaysAgainKeepsItsNumber) {
    const auto first =
        keep(statement("a"), {finding(FindingKind::missing_there, "A"), finding(FindingKind::missing_there, "B")});
    const auto a = first.opened[0].number;
    const auto b = first.opened[1].number;
    clock.jump(1h);
    auto changed = finding(FindingKind::missing_there, "A");
    changed.line = 40;
    const auto second = keep(statement("b"), {changed, finding(FindingKind::sold_there, "A")});
    EXPECT_EQ(second.statement.replaced, first.statement.id);
    ASSERT_EQ(second.opened.size(), 1u);
    EXPECT_EQ(second.opened[0].kind, FindingKind::sold_there);
    ASSERT_EQ(second.closed.size(), 1u);
    EXPECT_EQ(second.closed[0].number, b);
    EXPECT_EQ(one(b).closed->as, FindingEnd::corrected);
    EXPECT_EQ(one(a).line, 40u);
    EXPECT_EQ(one(a).statement, second.statement.id);
    EXPECT_EQ(one(a).opened_at, first.opened[0].opened_at);
    const auto third = keep(statement("c"), {finding(FindingKind::missing_there, "B")});
    ASSERT_EQ(third.opened.size(), 1u) << "it is there once more";
    EXPECT_EQ(third.opened[0].number, b);
    EXPECT_FALSE(one(b).closed);
    EXPECT_THAT(numbers({.open = true}), ElementsAre(b));
}

TEST_P(FindingsConformance, WhatAPersonHasLookedIntoStaysClosedAsLongAsBothSidesSayTheSame) {
    const auto number = keep(statement("a"), {finding(FindingKind::sold_there, "A")}).opened[0].number;
    resolve(number);
    auto same = finding(FindingKind::sold_there, "A");
    same.pending = true;
    EXPECT_THAT(keep(statement("b"), {same}).opened, IsEmpty());
    EXPECT_EQ(one(number).closed->note, "claimed");
    EXPECT_FALSE(one(number).pending);
    auto more = finding(FindingKind::sold_there, "A");
    more.theirs->valor = Cents{2501};
    EXPECT_EQ(keep(statement("c"), {more}).opened.size(), 1u);
    EXPECT_FALSE(one(number).closed);
    EXPECT_EQ(one(number).note, "claimed") << "what was found out is not lost";
    EXPECT_EQ(one(number).theirs->valor, Cents{2501});
}

TEST_P(FindingsConformance, WhatIsMissingOnOneDayAndFoundOnAnotherIsClosed) {
    const auto number = keep(statement("a"), {finding(FindingKind::missing_there, "A")}).opened[0].number;
    const auto stays = keep(statement("b", "2026-11-22"), {finding(FindingKind::missing_there, "B")}).opened[0].number;
    keep(statement("far", "2026-11-24"), {finding(FindingKind::other_day, "A")});
    EXPECT_FALSE(one(number).closed) << "it is of no neighbouring day";
    const auto changes = keep(statement("c", "2026-11-21"), {finding(FindingKind::other_day, "A")});
    ASSERT_EQ(changes.closed.size(), 1u);
    EXPECT_EQ(changes.closed[0].number, number);
    EXPECT_EQ(one(number).closed->as, FindingEnd::other_day);
    EXPECT_FALSE(one(stays).closed);
}

TEST_P(FindingsConformance, WhatAnotherDaysStatementDoesNotHaveAnyMoreIsMissingAgain) {
    const auto about = begun();
    const auto of_it = [&](FindingKind kind, bool has_row) {
        auto made = finding(kind, about.current().id_externo.str());
        made.sale = about.id;
        if (!has_row) made.theirs.reset();
        return made;
    };
    const auto number = keep(statement("a"), {of_it(FindingKind::missing_there, false)}).opened[0].number;
    keep(statement("b", "2026-11-21"), {of_it(FindingKind::other_day, true)});
    const auto there = list({.day = day("2026-11-21")}).at(0).number;
    resolve(there);
    EXPECT_THAT(numbers({.kind = FindingKind::other_day, .said = true}), ElementsAre(there));
    clock.jump(1h);
    const auto lost = keep(statement("c", "2026-11-21"), {});
    ASSERT_EQ(lost.opened.size(), 1u);
    EXPECT_EQ(lost.opened[0].number, number);
    EXPECT_FALSE(one(number).closed);
    EXPECT_EQ(one(number).opened_at, clock.wall());
    EXPECT_EQ(one(number).asks, FindingAsks::person);
    EXPECT_THAT(numbers({.kind = FindingKind::other_day, .said = true}), IsEmpty());

    keep(statement("d", "2026-11-21"), {of_it(FindingKind::other_day, true)});
    const auto again = keep(statement("e"), {of_it(FindingKind::other_day, false)}).opened;
    ASSERT_EQ(again.size(), 1u);
    const auto back = keep(statement("f", "2026-11-21"), {});
    ASSERT_EQ(back.opened.size(), 1u);
    EXPECT_EQ(back.opened[0].number, number) << "the day's own statement said where it stood";
    EXPECT_EQ(one(again[0].number).closed->as, FindingEnd::corrected);
    EXPECT_THAT(keep(statement("g", "2026-11-21"), {}).opened, IsEmpty()) << "it is said once";
}

TEST_P(FindingsConformance, WhatTheDaysOwnStatementHasInTheEndIsNotMissingAgain) {
    const auto about = begun();
    auto missing = finding(FindingKind::missing_there, about.current().id_externo.str());
    missing.sale = about.id;
    missing.theirs.reset();
    auto there = finding(FindingKind::other_day, missing.id_externo);
    there.sale = about.id;
    keep(statement("a"), {missing});
    keep(statement("b", "2026-11-21"), {there});
    keep(statement("c"), {});
    EXPECT_THAT(keep(statement("d", "2026-11-21"), {}).opened, IsEmpty());
}

TEST_P(FindingsConformance, WhatStandsOnBothNeighboursIsThereUntilBothLoseIt) {
    const auto about = begun();
    auto missing = finding(FindingKind::missing_there, about.current().id_externo.str());
    missing.sale = about.id;
    missing.theirs.reset();
    auto there = finding(FindingKind::other_day, missing.id_externo);
    there.sale = about.id;
    keep(statement("a"), {missing});
    keep(statement("b", "2026-11-21"), {there});
    keep(statement("c", "2026-11-19"), {there});
    EXPECT_THAT(keep(statement("d", "2026-11-21"), {}).opened, IsEmpty());
    EXPECT_EQ(keep(statement("e", "2026-11-19"), {}).opened.size(), 1u);
}

TEST_P(FindingsConformance, TheFirstWordOnAFindingStays) {
    const auto number = keep(statement("a"), {finding(FindingKind::sold_there, "A")}).opened[0].number;
    EXPECT_EQ(resolve(number).closed->by, "rita");
    clock.jump(1h);
    open();
    const auto again = resolve(number, "another", "ze");
    EXPECT_EQ(again.closed->as, FindingEnd::resolved);
    EXPECT_EQ(again.closed->by, "rita");
    EXPECT_EQ(again.closed->note, "claimed");
    EXPECT_EQ(again.closed->at, clock.wall() - 1h);
    EXPECT_EQ(clock.run(journal->close_finding(99, "x", "", clock.wall())).error(), errc::not_found);
}

TEST_P(FindingsConformance, WhatWasDoneAboutAFindingIsKept) {
    auto made = finding(FindingKind::open_there, "A");
    made.pending = true;
    auto other = finding(FindingKind::settles_sold, "B");
    other.pending = true;
    const auto opened = keep(statement("a"), {made, other}).opened;
    const auto repeated = clock.run(journal->finding_done(opened[0].number, "repeated", false, clock.wall())).value();
    EXPECT_FALSE(repeated.pending);
    EXPECT_EQ(repeated.effect, "repeated");
    EXPECT_FALSE(repeated.closed);
    const auto settled = clock.run(journal->finding_done(opened[1].number, "settled", true, clock.wall())).value();
    EXPECT_EQ(settled.closed->as, FindingEnd::settled);
    EXPECT_THAT(numbers({.pending = true}), IsEmpty());
    EXPECT_EQ(clock.run(journal->finding_done(99, "x", false, clock.wall())).error(), errc::not_found);
    made.pending = false;
    keep(statement("b"), {made});
    EXPECT_EQ(one(opened[0].number).effect, "repeated");
    made.theirs->valor = Cents{1};
    keep(statement("c"), {made});
    EXPECT_EQ(one(opened[0].number).effect, "") << "nothing was done about what the row says now";
}

TEST_P(FindingsConformance, AnErasureTakesNotesAndLeavesAmounts) {
    auto about = begun();
    auto made = finding(FindingKind::sold_there, about.current().id_externo.str());
    made.sale = about.id;
    const auto opened = keep(statement("a"), {made, finding(FindingKind::unknown_here, "B")}).opened;
    const auto of_a_sale = opened[0].number;
    const auto of_none = opened[1].number;
    resolve(of_none);
    become(about, Status::CANCELADA, true, AttemptState::cancelled);
    resolve(of_a_sale);
    ASSERT_EQ(clock.run(journal->erase_personal(clock.wall())).value().sales, 0u);
    EXPECT_EQ(one(of_none).closed->note, "claimed");
    clock.jump(1h);
    ASSERT_EQ(clock.run(journal->erase_personal(clock.wall())).value().sales, 1u);
    for (const auto number : {of_a_sale, of_none}) {
        EXPECT_EQ(one(number).closed->note, "");
        EXPECT_EQ(one(number).closed->by, "rita");
        EXPECT_EQ(one(number).theirs->valor, Cents{2500});
    }
}

TEST_P(FindingsConformance, ANoteThatIsWrittenLateIsErasedToo) {
    auto about = begun();
    become(about, Status::CANCELADA, true, AttemptState::cancelled);
    auto made = finding(FindingKind::sold_there, about.current().id_externo.str());
    made.sale = about.id;
    const auto number = keep(statement("a"), {made}).opened[0].number;
    clock.jump(100 * 24h);
    const auto erase = [&] { return clock.run(journal->erase_personal(clock.wall() - 90 * 24h)).value().sales; };
    ASSERT_EQ(erase(), 1u);
    resolve(number);
    ASSERT_EQ(erase(), 0u);
    EXPECT_EQ(one(number).closed->note, "claimed");
    clock.jump(91 * 24h);
    ASSERT_EQ(erase(), 1u);
    EXPECT_EQ(one(number).closed->note, "");
}

TEST_P(FindingsConformance, NotesAreReadWithTheKeys) {
    open({first_key});
    const auto number = keep(statement("a"), {finding(FindingKind::unknown_here, "A")}).opened[0].number;
    resolve(number);
    open({second_key, first_key});
    while (clock.run(journal->rotate_keys()).value() == KeyRotationState::in_progress) {
    }
    open({second_key});
    EXPECT_EQ(one(number).closed->note, "claimed");
    EXPECT_EQ(journal->unreadable(), 0u);
}

TEST_P(FindingsConformance, ADamagedFindingIsLeftOutAndCountedOnce) {
    const auto opened =
        keep(statement("a"), {finding(FindingKind::unknown_here, "A"), finding(FindingKind::unknown_here, "B")}).opened;
    open();
    storage->damage_finding(opened[0].number);
    for (int i = 0; i < 2; ++i) {
        EXPECT_THAT(numbers({}), ElementsAre(opened[1].number));
        EXPECT_EQ(clock.run(journal->close_finding(opened[0].number, "x", "", clock.wall())).error(), errc::not_found);
        EXPECT_EQ(journal->unreadable(), 1u);
    }
}

TEST_P(FindingsConformance, KnowsWhoseAnIdExternoIs) {
    const auto a = begun("k1");
    const auto b = begun("k2");
    const std::vector<std::string> ids{b.current().id_externo.str(), "none", a.current().id_externo.str()};
    EXPECT_THAT(clock.run(journal->owners(ids)).value(), ElementsAre(b.id, std::nullopt, a.id));
    EXPECT_THAT(clock.run(journal->id_prefixes()).value(), ElementsAre(""));
}

}  // namespace gateway::test
