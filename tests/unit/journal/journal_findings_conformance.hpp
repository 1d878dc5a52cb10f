// Tests what every journal promises about statements and findings: a part of journal_conformance.hpp.
#pragma once

#include "unit/journal/journal_conformance.hpp"

#include <algorithm>
#include <tuple>

namespace gateway::test {

class FindingsConformance : public JournalConformance {
  protected:
    using Numbers = std::vector<std::int64_t>;

    // Returns a day of November 2026.
    static Day november(unsigned day) { return std::chrono::year(2026) / 11 / std::chrono::day(day); }
    KeptStatement statement(std::string digest, unsigned on = 20) {
        return {.day = november(on),
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
    Finding finding(FindingKind kind, const Sale& about, bool has_row = true) {
        auto made = finding(kind, about.current().id_externo.str());
        made.sale = about.id;
        if (!has_row) made.theirs.reset();
        return made;
    }
    Finding missing(std::string id_externo) { return finding(FindingKind::missing_there, std::move(id_externo)); }
    FindingChanges keep(const KeptStatement& kept, const std::vector<Finding>& found) {
        return ask(journal->keep_statement(kept, found));
    }
    // Keeps the next statement of the day, about all of it or about some attempts alone.
    FindingChanges says(unsigned on, const std::vector<Finding>& found, std::vector<std::string> about = {}) {
        auto next = statement("statement " + std::to_string(++said_), on);
        next.about = std::move(about);
        return keep(next, found);
    }
    static Numbers numbers(const std::vector<Finding>& of) {
        Numbers all;
        for (const auto& one : of)
            all.push_back(one.number);
        return all;
    }
    Numbers numbers(const FindingFilter& filter) { return numbers(ask(journal->findings(filter))); }
    Finding one(std::int64_t number) { return ask(journal->findings({.number = number})).at(0); }
    Finding resolve(std::int64_t number, const std::string& note = "claimed", const std::string& by = "rita") {
        return ask(journal->close_finding(number, note, by, clock.wall()));
    }

  private:
    int said_ = 0;
};

TEST_P(FindingsConformance, AStatementIsKnownByItsBytesAndByHowTheyWereRead) {
    EXPECT_FALSE(ask(journal->known_statement("a", "r")));
    const auto kept = keep(statement("a"), {}).statement;
    EXPECT_EQ(kept.replaced, std::nullopt);
    for (const bool again : {false, true}) {
        if (again) open();
        EXPECT_EQ(kept_of(ask(journal->known_statement("a", "r")).value()), kept_of(kept));
        EXPECT_FALSE(ask(journal->known_statement("a", "another way")));
        EXPECT_FALSE(ask(journal->known_statement("b", "r")));
    }
    EXPECT_EQ(keep(statement("b"), {}).statement.replaced, kept.id);
    EXPECT_EQ(keep(statement("c", 21), {}).statement.replaced, std::nullopt);
}

TEST_P(FindingsConformance, TheLastStatementOfASourceIsKnown) {
    const auto last = [&](const std::string& source) {
        const auto found = ask(journal->statements({.source = source}));
        return found.empty() ? "none" : found.front().digest;
    };
    const auto read = [&](const char* source, const char* digest, unsigned on) {
        auto next = statement(digest, on);
        next.source = source;
        keep(next, {});
    };
    EXPECT_EQ(last(""), "none");
    read("list", "a", 22);
    read("file", "b", 20);
    EXPECT_EQ(last(""), "b");
    EXPECT_EQ(last("list"), "a");
    EXPECT_EQ(last("folder"), "none");
    read("list", "c", 21);
    EXPECT_EQ(last("list"), "c") << "which was read last";
    EXPECT_EQ(last(""), "c");
    read("status", "d", 20);
    EXPECT_EQ(last("status"), "d");
    EXPECT_EQ(last(""), "c") << "answers about single sales are no statement of a day";
}

TEST_P(FindingsConformance, AStatementAboutSomeAttemptsLeavesAllOthersAsTheyAre) {
    const auto first = says(20, {missing("A1"), missing("A2"), missing("A3"), finding(FindingKind::open_there, "A4")});
    const auto number = numbers(first.opened);
    resolve(number.at(3));
    says(21, {missing("A2")});
    const auto changes = says(20, {finding(FindingKind::amount_differs, "A3")}, {"A2", "A3", "A9"});
    EXPECT_EQ(changes.statement.replaced, first.statement.id);
    ASSERT_EQ(changes.opened.size(), 1u);
    EXPECT_EQ(changes.opened[0].id_externo, "A3");
    EXPECT_THAT(numbers(changes.closed), UnorderedElementsAre(number[1], number[2]))
        << "what is said of them now, and nothing of them on another day";
    for (const auto& closed : changes.closed)
        EXPECT_EQ(closed.closed->as, FindingEnd::corrected);
    EXPECT_THAT(numbers(FindingFilter{.day = november(20), .said = true}),
                UnorderedElementsAre(changes.opened[0].number, number[0], number[3]));
    EXPECT_EQ(one(number[0]).statement, changes.statement.id);
    EXPECT_FALSE(one(number[0]).closed);
    EXPECT_EQ(one(number[3]).closed->as, FindingEnd::resolved) << "a person's word stands";
    EXPECT_EQ(says(20, {}).closed.size(), 2u) << "a statement of the whole day says it anew";
}

TEST_P(FindingsConformance, WhatAnotherDayExplainedStaysSoWhereOthersAreAskedFor) {
    const auto number = says(20, {missing("A1")}).opened.at(0).number;
    auto there = finding(FindingKind::other_day, "A1");
    there.sale = begun().id;
    EXPECT_THAT(numbers(says(21, {there}).closed), ElementsAre(number));
    EXPECT_THAT(says(20, {}, {"A2"}).opened, IsEmpty());
    EXPECT_EQ(one(number).closed->as, FindingEnd::other_day);
}

TEST_P(FindingsConformance, TheFirstStatementOfADayMayBeAboutSomeAttempts) {
    const auto changes = says(20, {finding(FindingKind::still_open, "A1")}, {"A1"});
    EXPECT_EQ(changes.opened.size(), 1u);
    EXPECT_THAT(changes.closed, IsEmpty());
}

TEST_P(FindingsConformance, StatementsAreToldInPagesTheLastOneFirst) {
    const auto told = [&](std::optional<std::int64_t> before, std::size_t limit) {
        std::vector<std::string> digests;
        for (const auto& one : ask(journal->statements({.before = before, .limit = limit})))
            digests.push_back(one.digest);
        return digests;
    };
    EXPECT_THAT(told(std::nullopt, 10), IsEmpty());
    std::vector<KeptStatement> kept;
    for (const auto& made : {statement("a"), statement("b", 21), statement("c"), statement("d")})
        kept.push_back(keep(made, {}).statement);
    EXPECT_THAT(told(std::nullopt, 10), ElementsAre("d", "c", "b", "a"));
    for (int again = 0; again < 2; ++again)
        EXPECT_THAT(told(std::nullopt, 2), ElementsAre("d", "c"));
    EXPECT_THAT(told(kept[2].id, 10), ElementsAre("b", "a"));
    EXPECT_THAT(told(kept[0].id, 10), IsEmpty());
    open();
    kept[0].superseded = kept[2].superseded = kept[3].id;
    EXPECT_EQ(kept[3].replaced, kept[2].id);
    const auto all = ask(journal->statements({.limit = 10}));
    for (std::size_t i = 0; i < kept.size(); ++i)
        EXPECT_EQ(kept_of(all.at(3 - i)), kept_of(kept[i]));
}

TEST_P(FindingsConformance, AFindingIsKeptAsItIs) {
    auto made = finding(FindingKind::sold_there, begun());
    made.asks = FindingAsks::settle;
    made.pending = true;
    const Finding other{.kind = FindingKind::count_differs,
                        .detail = "the header counts 3, and our sales make 2",
                        .opened_at = clock.wall()};
    const auto changes = keep(statement("a"), {made, other});
    ASSERT_EQ(changes.opened.size(), 2u);
    EXPECT_EQ(changes.opened[0].sale, made.sale);
    for (const bool again : {false, true}) {
        if (again) open();
        for (const auto& opened : changes.opened) {
            EXPECT_EQ(opened.statement, changes.statement.id);
            EXPECT_EQ(opened.day, november(20));
            EXPECT_EQ(kept_of(one(opened.number)), kept_of(opened));
            EXPECT_FALSE(one(opened.number).closed);
        }
    }
}

TEST_P(FindingsConformance, FindingsAreToldByEveryFilterNewestFirst) {
    auto pending = finding(FindingKind::open_there, "C");
    pending.pending = true;
    const auto first = numbers(says(20, {missing("A"), pending}).opened);
    const auto second = says(21, {missing("B")});
    const auto a = first.at(0);
    const auto c = first.at(1);
    const auto b = second.opened.at(0).number;
    const auto kind = FindingKind::missing_there;
    resolve(a);
    const std::vector<std::pair<FindingFilter, Numbers>> lists{
        {{}, {b, c, a}},
        {{.kind = kind}, {b, a}},
        {{.day = november(20)}, {c, a}},
        {{.kind = kind, .day = november(20)}, {a}},
        {{.number = c}, {c}},
        {{.statement = second.statement.id}, {b}},
        {{.pending = true}, {c}},
        {{.before = b, .limit = 1}, {c}},
        {{.open = true}, {b, c}},
        {{.open = true, .kind = kind}, {b}},
        {{.open = false}, {a}},
    };
    for (std::size_t i = 0; i < lists.size(); ++i)
        EXPECT_EQ(numbers(lists[i].first), lists[i].second) << "list " << i;
    EXPECT_EQ(ask(journal->open_findings()),
              (std::map<FindingKind, std::int64_t>{{kind, 1}, {FindingKind::open_there, 1}}));
}

TEST_P(FindingsConformance, WhatACorrectedStatementSaysAgainKeepsItsNumber) {
    const auto first = says(20, {missing("A"), missing("B")});
    const auto a = first.opened.at(0).number;
    const auto b = first.opened.at(1).number;
    clock.jump(1h);
    auto changed = missing("A");
    changed.line = 40;
    const auto second = says(20, {changed, finding(FindingKind::sold_there, "A")});
    EXPECT_EQ(second.statement.replaced, first.statement.id);
    ASSERT_EQ(second.opened.size(), 1u);
    EXPECT_EQ(second.opened[0].kind, FindingKind::sold_there);
    EXPECT_THAT(numbers(second.closed), ElementsAre(b));
    EXPECT_EQ(one(b).closed->as, FindingEnd::corrected);
    EXPECT_EQ(one(a).line, 40u);
    EXPECT_EQ(one(a).statement, second.statement.id);
    EXPECT_EQ(one(a).opened_at, first.opened[0].opened_at);
    EXPECT_THAT(numbers(says(20, {missing("B")}).opened), ElementsAre(b)) << "it is there once more";
    EXPECT_FALSE(one(b).closed);
    EXPECT_THAT(numbers(FindingFilter{.open = true}), ElementsAre(b));
}

TEST_P(FindingsConformance, WhatAPersonHasLookedIntoStaysClosedAsLongAsBothSidesSayTheSame) {
    auto said = finding(FindingKind::sold_there, "A");
    const auto number = says(20, {said}).opened.at(0).number;
    resolve(number);
    said.pending = true;
    EXPECT_THAT(says(20, {said}).opened, IsEmpty());
    EXPECT_EQ(one(number).closed->note, "claimed");
    EXPECT_FALSE(one(number).pending);
    said.theirs->valor = Cents{2501};
    EXPECT_THAT(numbers(says(20, {said}).opened), ElementsAre(number));
    EXPECT_FALSE(one(number).closed);
    EXPECT_EQ(one(number).note, "claimed") << "what was found out is not lost";
    EXPECT_EQ(one(number).theirs->valor, Cents{2501});
}

TEST_P(FindingsConformance, WhatIsMissingOnOneDayAndFoundOnAnotherIsClosed) {
    const auto number = says(20, {missing("A")}).opened.at(0).number;
    const auto stays = says(22, {missing("B")}).opened.at(0).number;
    const auto there = finding(FindingKind::other_day, "A");
    says(24, {there});
    EXPECT_FALSE(one(number).closed) << "it is of no neighbouring day";
    EXPECT_THAT(numbers(says(21, {there}).closed), ElementsAre(number));
    EXPECT_EQ(one(number).closed->as, FindingEnd::other_day);
    EXPECT_FALSE(one(stays).closed);
}

TEST_P(FindingsConformance, WhatAnotherDaysStatementDoesNotHaveAnyMoreIsMissingAgain) {
    const auto about = begun();
    const auto there = finding(FindingKind::other_day, about);
    const FindingFilter elsewhere{.kind = FindingKind::other_day, .said = true};
    const auto number = says(20, {finding(FindingKind::missing_there, about, false)}).opened.at(0).number;
    const auto resolved = says(21, {there}).opened.at(0).number;
    resolve(resolved);
    EXPECT_THAT(numbers(elsewhere), ElementsAre(resolved));
    clock.jump(1h);
    EXPECT_THAT(numbers(says(21, {}).opened), ElementsAre(number));
    EXPECT_FALSE(one(number).closed);
    EXPECT_EQ(one(number).opened_at, clock.wall());
    EXPECT_EQ(one(number).asks, FindingAsks::person);
    EXPECT_THAT(numbers(elsewhere), IsEmpty());

    says(21, {there});
    const auto again = numbers(says(20, {finding(FindingKind::other_day, about, false)}).opened);
    ASSERT_EQ(again.size(), 1u);
    EXPECT_THAT(numbers(says(21, {}).opened), ElementsAre(number)) << "the day's own statement said where it stood";
    EXPECT_EQ(one(again[0]).closed->as, FindingEnd::corrected);
    EXPECT_THAT(says(21, {}).opened, IsEmpty()) << "it is said once";
}

TEST_P(FindingsConformance, WhatIsStillSomewhereIsNotMissingAgain) {
    const auto in_the_end_of_the_day_itself = begun("k1");
    says(20, {finding(FindingKind::missing_there, in_the_end_of_the_day_itself, false)});
    says(21, {finding(FindingKind::other_day, in_the_end_of_the_day_itself)});
    says(20, {});
    EXPECT_THAT(says(21, {}).opened, IsEmpty());
    const auto on_both_neighbours = begun("k2");
    const auto there = finding(FindingKind::other_day, on_both_neighbours);
    says(20, {finding(FindingKind::missing_there, on_both_neighbours, false)});
    says(21, {there});
    says(19, {there});
    EXPECT_THAT(says(21, {}).opened, IsEmpty());
    EXPECT_EQ(says(19, {}).opened.size(), 1u);
}

TEST_P(FindingsConformance, EitherNeighbourOfADayExplainsWhatIsMissing) {
    const auto about = begun();
    const auto there = finding(FindingKind::other_day, about);
    const auto number = says(20, {finding(FindingKind::missing_there, about, false)}).opened.at(0).number;
    says(21, {there});
    says(19, {there});
    EXPECT_THAT(says(19, {}).opened, IsEmpty());
    EXPECT_THAT(numbers(says(21, {}).opened), ElementsAre(number));
}

TEST_P(FindingsConformance, OnlyARowThatSaysTheOtherDayExplainsWhatIsMissing) {
    using Case = std::tuple<FindingKind, bool>;
    for (const auto& [kind, has_row] : {Case{FindingKind::other_day, true}, Case{FindingKind::other_day, false},
                                        Case{FindingKind::amount_differs, true}}) {
        const auto about = begun(fmt::format("k{}{}", to_string(kind), has_row));
        const auto number = says(20, {finding(FindingKind::missing_there, about, false)}).opened.at(0).number;
        says(21, {finding(FindingKind::other_day, about)});
        says(19, {finding(kind, about, has_row)});
        const bool explains = kind == FindingKind::other_day && has_row;
        EXPECT_EQ(std::ranges::count(numbers(says(21, {}).opened), number), explains ? 0 : 1)
            << to_string(kind) << ' ' << has_row;
    }
}

TEST_P(FindingsConformance, WhatIsMissingAgainIsForAPersonAndWhatNoOtherDayEndedIsLeftAsItIs) {
    const auto asking = [&](const Sale& about) {
        auto made = finding(FindingKind::missing_there, about, false);
        made.asks = FindingAsks::settle;
        return made;
    };
    const auto a_person_ended_it = begun("k1");
    const auto resolved = says(20, {asking(a_person_ended_it)}).opened.at(0).number;
    resolve(resolved);
    says(21, {finding(FindingKind::other_day, a_person_ended_it)});
    EXPECT_THAT(says(21, {}).opened, IsEmpty());
    EXPECT_EQ(one(resolved).asks, FindingAsks::settle);
    const auto another_day_ended_it = begun("k2");
    const auto number = says(20, {asking(another_day_ended_it)}).opened.at(0).number;
    says(21, {finding(FindingKind::other_day, another_day_ended_it)});
    const auto opened = says(21, {}).opened;
    ASSERT_THAT(numbers(opened), ElementsAre(number));
    EXPECT_FALSE(opened[0].closed);
    EXPECT_EQ(one(number).asks, FindingAsks::person);
}

TEST_P(FindingsConformance, WhatWasSettledOnAnotherDayIsMissingOnceThatDayLosesIt) {
    const auto about = begun();
    says(21, {finding(FindingKind::other_day, about)});
    const auto settled = says(20, {finding(FindingKind::other_day, about, false)}).opened.at(0).number;
    ask(journal->finding_done(settled, "settled", true, clock.wall()));
    const auto opened = says(21, {}).opened;
    ASSERT_EQ(opened.size(), 1u);
    EXPECT_EQ(opened[0].kind, FindingKind::missing_there);
    EXPECT_EQ(one(settled).closed->as, FindingEnd::settled);
}

TEST_P(FindingsConformance, WhatIsSaidAgainStillWaitsForTheGateway) {
    auto pending = finding(FindingKind::open_there, "A");
    pending.pending = true;
    const auto number = says(20, {pending}).opened.at(0).number;
    says(20, {pending});
    EXPECT_TRUE(one(number).pending);
}

TEST_P(FindingsConformance, TheFirstWordOnAFindingStays) {
    const auto number = says(20, {finding(FindingKind::sold_there, "A")}).opened.at(0).number;
    EXPECT_EQ(resolve(number).closed->by, "rita");
    clock.jump(1h);
    open();
    const auto closed = resolve(number, "another", "ze").closed.value();
    EXPECT_EQ(closed.as, FindingEnd::resolved);
    EXPECT_EQ(closed.by, "rita");
    EXPECT_EQ(closed.note, "claimed");
    EXPECT_EQ(closed.at, clock.wall() - 1h);
    EXPECT_EQ(error_of(journal->close_finding(99, "x", "", clock.wall())), errc::not_found);
}

TEST_P(FindingsConformance, WhatWasDoneAboutAFindingIsKept) {
    auto made = finding(FindingKind::open_there, "A");
    made.pending = true;
    auto other = finding(FindingKind::settles_sold, "B");
    other.pending = true;
    const auto opened = numbers(says(20, {made, other}).opened);
    const auto repeated = ask(journal->finding_done(opened.at(0), "repeated", false, clock.wall()));
    EXPECT_EQ(repeated.effect, "repeated");
    EXPECT_FALSE(repeated.pending || repeated.closed);
    const auto settled = ask(journal->finding_done(opened.at(1), "settled", true, clock.wall()));
    EXPECT_EQ(settled.closed->as, FindingEnd::settled);
    EXPECT_THAT(numbers(FindingFilter{.pending = true}), IsEmpty());
    EXPECT_EQ(error_of(journal->finding_done(99, "x", false, clock.wall())), errc::not_found);
    made.pending = false;
    says(20, {made});
    EXPECT_EQ(one(opened[0]).effect, "repeated");
    made.theirs->valor = Cents{1};
    says(20, {made});
    EXPECT_EQ(one(opened[0]).effect, "") << "nothing was done about what the row says now";
}

TEST_P(FindingsConformance, AnErasureTakesNotesAndLeavesAmounts) {
    auto about = begun();
    const auto opened =
        numbers(says(20, {finding(FindingKind::sold_there, about), finding(FindingKind::unknown_here, "B")}).opened);
    resolve(opened.at(1));
    become(about, AttemptState::cancelled);
    resolve(opened.at(0));
    ASSERT_EQ(ask(journal->erase_personal(clock.wall())).sales, 0u);
    EXPECT_EQ(one(opened[1]).closed->note, "claimed");
    clock.jump(1h);
    ASSERT_EQ(ask(journal->erase_personal(clock.wall())).sales, 1u);
    for (const auto number : opened) {
        EXPECT_EQ(one(number).closed->note, "");
        EXPECT_EQ(one(number).closed->by, "rita");
        EXPECT_EQ(one(number).theirs->valor, Cents{2500});
    }
}

TEST_P(FindingsConformance, ADamagedFindingIsLeftOutAndCountedOnce) {
    const auto opened =
        numbers(says(20, {finding(FindingKind::unknown_here, "A"), finding(FindingKind::unknown_here, "B")}).opened);
    open();
    storage->damage_finding(opened.at(0));
    for (int i = 0; i < 2; ++i) {
        EXPECT_THAT(numbers(FindingFilter{}), ElementsAre(opened.at(1)));
        EXPECT_EQ(error_of(journal->close_finding(opened[0], "x", "", clock.wall())), errc::not_found);
        EXPECT_EQ(journal->stats().unreadable, 1u);
    }
}

TEST_P(FindingsConformance, KnowsWhoseAnIdExternoIs) {
    const auto a = begun("k1");
    const auto b = begun("k2");
    const std::vector<std::string> ids{b.current().id_externo.str(), "none", a.current().id_externo.str()};
    EXPECT_THAT(ask(journal->owners(ids)), ElementsAre(b.id, std::nullopt, a.id));
    EXPECT_THAT(ask(journal->id_prefixes()), ElementsAre(""));
}

}  // namespace gateway::test
