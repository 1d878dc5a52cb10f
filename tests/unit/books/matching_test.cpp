#include "books/matching.hpp"

#include "unit/books/statement_rig.hpp"

namespace gateway::test {
namespace {

using namespace testing;
using State = AttemptState;

class MatchingTest : public StatementRig {};

TEST_F(MatchingTest, WhatBothSidesSayIsNoFinding) {
    const auto sold = sale(State::sold);
    const auto cancelled = sale(State::cancelled);
    const auto refused_one = sale(State::refused);
    const auto told_report = report({{.id_externo = id(sold)},
                                     {.id_externo = id(cancelled), .status = "CANCELADA"},
                                     {.id_externo = id(refused_one), .status = "NEGADA"}});
    EXPECT_THAT(told_report.findings, IsEmpty());
    EXPECT_EQ(told_report.statement.rows, 3);
    EXPECT_EQ(told_report.statement.matched, 3);
    EXPECT_EQ(told_report.statement.others, 0);
}

TEST_F(MatchingTest, WhatIsSoldHere) {
    const auto one = sale(State::sold);
    EXPECT_THAT(found({{.id_externo = id(one), .valor = 2501}}), ElementsAre("amount_differs asks person"));
    EXPECT_THAT(found({{.id_externo = id(one), .status = "CANCELADA"}}),
                ElementsAre("reversed_there asks person, pending"));
    EXPECT_THAT(found({{.id_externo = id(one), .status = "AUTORIZADA"}}),
                ElementsAre("unconfirmed_there asks repeat_confirm, pending"));
    EXPECT_THAT(found({}), ElementsAre("missing_there asks person"));
}

TEST_F(MatchingTest, WhatIsNotSoldHere) {
    const auto one = sale(State::cancelled);
    EXPECT_THAT(found({{.id_externo = id(one)}}), ElementsAre("sold_there asks person, pending"));
    EXPECT_THAT(found({{.id_externo = id(one), .status = "AUTORIZADA"}}),
                ElementsAre("open_there asks repeat_cancel, pending"));
    EXPECT_THAT(found({}), IsEmpty());
    const auto without_cancel = sale(State::cancelled, "2024-05-02", Family::health);
    EXPECT_THAT(found({{.id_externo = id(without_cancel), .status = "AUTORIZADA"}}),
                ElementsAre("open_there asks person"));
}

TEST_F(MatchingTest, ACancelThatIsUnderWayIsNotRepeated) {
    const auto one = sale(State::cancelling);
    EXPECT_THAT(found({{.id_externo = id(one), .status = "AUTORIZADA"}}), IsEmpty());
    EXPECT_THAT(found({{.id_externo = id(one)}}), ElementsAre("sold_there asks person, pending"));
}

TEST_F(MatchingTest, WhatIsOpenHere) {
    for (const auto state : {State::requesting, State::held, State::confirming, State::disputing}) {
        const auto one = sale(state);
        const bool waits = state == State::disputing;
        EXPECT_THAT(found({{.id_externo = id(one)}}),
                    ElementsAre(waits ? "settles_sold asks settle" : "settles_sold asks person"));
        EXPECT_THAT(found({{.id_externo = id(one), .status = "CANCELADA"}}),
                    ElementsAre(waits ? "settles_not_sold asks settle" : "settles_not_sold asks person"));
        EXPECT_THAT(found({{.id_externo = id(one), .status = "AUTORIZADA"}}), ElementsAre("still_open asks nothing"));
        EXPECT_THAT(found({{.id_externo = "01J0ABCDEF0123456789ABCDEF", .status = "CANCELADA"}}),
                    ElementsAre("still_open asks nothing"));
        auto ended = one;
        become(ended, State::cancelled);
    }
}

TEST_F(MatchingTest, AnOpenSaleOfAnotherDayIsNotMissedOnThisOne) {
    sale(State::held, "2024-05-01");
    EXPECT_THAT(found({}), IsEmpty());
}

TEST_F(MatchingTest, WhatIsNotSureDoesNotSettle) {
    const auto one = sale(State::disputing);
    settle = true;
    build();
    EXPECT_THAT(found({{.id_externo = id(one), .valor = 1}}), ElementsAre("settles_sold asks person"));
    EXPECT_THAT(found({{.id_externo = id(one), .estabelecimento = "1"}}), ElementsAre("settles_sold asks person"));
    EXPECT_THAT(found({{.id_externo = id(one), .id_transacao = "other"}}), ElementsAre("settles_sold asks person"));
    EXPECT_THAT(found({{.id_externo = id(one), .status = "NEGADA"}}), ElementsAre("settles_not_sold asks person"));
    EXPECT_THAT(found({{.id_externo = id(one)}}), ElementsAre("settles_sold asks settle, pending"));
}

TEST_F(MatchingTest, ARowOfNobodyHere) {
    const Line nobody{.id_externo = "01J0ABCDEF0123456789ABCDEF"};
    auto cancelled = nobody;
    cancelled.status = "CANCELADA";
    auto elsewhere = nobody;
    elsewhere.estabelecimento = "87654321";
    EXPECT_THAT(found({nobody}), ElementsAre("unknown_here asks person"));
    EXPECT_THAT(found({cancelled}), IsEmpty());
    EXPECT_THAT(found({elsewhere}), ElementsAre("unknown_here asks person"));
    format.covers = StatementCovers::network;
    build();
    EXPECT_THAT(found({nobody}), ElementsAre("unknown_here asks person"));
    const auto others = report({elsewhere});
    EXPECT_THAT(others.findings, IsEmpty());
    EXPECT_EQ(others.statement.others, 1);
}

TEST_F(MatchingTest, ARowWithAWrongIdIsUnknownAndItIsSaidWhatItMayBe) {
    const auto one = sale(State::sold);
    const auto other = sale(State::sold);
    const auto told_report = report({{.id_externo = "01J0ABCDEF0123456789ABCDEF"},
                                     {.id_externo = id(other)},
                                     {.id_externo = "01J0ABCDEF0123456789ABCDEG", .valor = 1}});
    EXPECT_THAT(kinds(told_report), UnorderedElementsAre("missing_there asks person", "unknown_here asks person",
                                                         "unknown_here asks person"));
    for (const auto& finding : told_report.findings)
        EXPECT_EQ(finding.detail,
                  finding.line == 2 ? "the amount and the time are those of " + id(one) + ", missing there" : "");
    EXPECT_EQ(findings({.open = true}).size(), 3u) << "it settles nothing";
    EXPECT_TRUE(log.has("the amount and the time are those of"));
}

TEST_F(MatchingTest, ASaleIsFoundByItsIdTransacaoWhereTheRowHasNoOtherId) {
    const auto sold = sale(State::sold);
    const auto open_one = sale(State::disputing);
    EXPECT_THAT(found({{.id_externo = "", .valor = 1, .id_transacao = sold.current().id_transacao},
                       {.id_externo = "", .id_transacao = open_one.current().id_transacao}}),
                UnorderedElementsAre("amount_differs asks person", "settles_sold asks settle"));
}

TEST_F(MatchingTest, AnEsimIsFoundByTheNsuThatItsCallbackTold) {
    auto one = sale(State::awaiting, "2024-05-02", Family::esim);
    nsu = "N-77";
    become(one, State::sold);
    const auto there = [&](std::int64_t valor, const std::string& of = home) {
        return Line{.id_externo = "", .valor = valor, .nsu = "N-77", .estabelecimento = of};
    };
    EXPECT_THAT(found({there(2500)}), IsEmpty());
    EXPECT_THAT(found({there(2501)}), ElementsAre("amount_differs asks person"));
    EXPECT_THAT(found({there(2500, "87654321")}),
                UnorderedElementsAre("missing_there asks person", "unknown_here asks person"));
    auto refused_one = sale(State::awaiting, "2024-05-02", Family::esim);
    nsu = "N-78";
    become(refused_one, State::cancelled);
    auto sold_there = there(2500);
    sold_there.nsu = "N-78";
    EXPECT_THAT(found({there(2500), sold_there}), ElementsAre("sold_there asks person"));
}

TEST_F(MatchingTest, AnEsimOfTheDayBeforeIsNotMissed) {
    sale(State::sold, "2024-05-01", Family::esim);
    EXPECT_THAT(found({}), IsEmpty());
}

TEST_F(MatchingTest, AnAttemptBeforeTheLastOneIsMatchedByItself) {
    auto one = sale(State::requesting);
    const Attempt second{.id_externo = IdExterno::make(clock->wall(), random), .created_at = one.created_at};
    become(one, State::cancelled, "2024-05-02", &second);
    const auto first = one.attempts.front().id_externo.str();
    become(one, State::sold);
    EXPECT_THAT(found({{.id_externo = id(one)}}), IsEmpty());
    EXPECT_THAT(found({{.id_externo = id(one)}, {.id_externo = first, .status = "CANCELADA"}}), IsEmpty());
    EXPECT_THAT(found({{.id_externo = id(one)}, {.id_externo = first}}),
                ElementsAre("sold_twice asks person, pending"));
    EXPECT_THAT(found({{.id_externo = id(one)}, {.id_externo = first, .status = "AUTORIZADA"}}),
                ElementsAre("open_there asks repeat_cancel, pending"));
    EXPECT_EQ(told(), std::vector<std::string>()) << "nothing is done before start()";
}

TEST_F(MatchingTest, AnEarlierAttemptIsFoundByItsIdTransacaoToo) {
    auto one = sale(State::requesting);
    const Attempt second{.id_externo = IdExterno::make(clock->wall(), random), .created_at = one.created_at};
    become(one, State::cancelled, "2024-05-02", &second);
    const auto first = one.attempts.front().id_transacao;
    one.key += "-2";
    become(one, State::sold);
    ASSERT_NE(first, one.current().id_transacao);
    const auto by_id = [](const std::string& id_transacao) {
        return Line{.id_externo = "", .id_transacao = id_transacao};
    };
    EXPECT_THAT(found({by_id(one.current().id_transacao)}), IsEmpty());
    EXPECT_THAT(found({by_id(one.current().id_transacao), by_id(first)}),
                ElementsAre("sold_twice asks person, pending"));
}

TEST_F(MatchingTest, WhatStandsInTheNextDaysStatementIsOfAnotherDayAndNotMissing) {
    const auto one = sale(State::sold);
    EXPECT_THAT(found({}), ElementsAre("missing_there asks person"));
    const auto next = report({{.id_externo = id(one)}}, "03052024");
    EXPECT_THAT(kinds(next), ElementsAre("other_day asks nothing"));
    const auto before = findings({.kind = FindingKind::missing_there});
    ASSERT_EQ(before.size(), 1u);
    EXPECT_EQ(before[0].closed->as, FindingEnd::other_day);
    EXPECT_THAT(found({{.id_externo = "01J0ABCDEF0123456789ABCDEF", .status = "CANCELADA"}}),
                ElementsAre("other_day asks nothing"))
        << "once it is known";
}

TEST_F(MatchingTest, WhatACorrectedStatementOfTheNextDayDoesNotHaveAnyMoreIsMissing) {
    const auto one = sale(State::sold);
    report({{.id_externo = id(one)}}, "03052024");
    report({}, "03052024");
    EXPECT_THAT(found({}), ElementsAre("missing_there asks person"));
}

TEST_F(MatchingTest, WhatWasMissingIsMissingAgainOnceTheNextDayLosesIt) {
    const auto one = sale(State::sold);
    EXPECT_THAT(found({}), ElementsAre("missing_there asks person"));
    report({{.id_externo = id(one)}}, "03052024");
    EXPECT_THAT(findings({.open = true, .kind = FindingKind::missing_there}), IsEmpty());
    report({}, "03052024");
    EXPECT_THAT(findings({.open = true, .kind = FindingKind::missing_there}), SizeIs(1));
}

TEST_F(MatchingTest, ASaleOfLongAgoIsFoundByItsIdExterno) {
    const auto one = sale(State::sold, "2024-03-01");
    EXPECT_THAT(found({{.id_externo = id(one)}}), ElementsAre("other_day asks nothing"));
    const auto other = sale(State::cancelled, "2024-03-01");
    EXPECT_THAT(found({{.id_externo = id(other)}}), ElementsAre("sold_there asks person, pending"));
}

TEST_F(MatchingTest, WhereOnlySoldOnesAreListedNothingElseIsMissed) {
    sale(State::cancelled);
    const auto sold = sale(State::sold);
    format.columns.status.reset();
    build();
    EXPECT_THAT(found({{.id_externo = id(sold)}}), IsEmpty());
}

TEST_F(MatchingTest, SoManyContradictionsAreAWrongMappingAndMarkNothing) {
    std::vector<Line> lines;
    constexpr std::int64_t more = 3;
    for (std::int64_t i = 0; i < Judge::max_marked + more; ++i)
        lines.push_back({.id_externo = id(sale(State::cancelled))});
    EXPECT_EQ(report(lines).statement.findings, Judge::max_marked + more);
    EXPECT_EQ(findings({.pending = true, .limit = 500}).size(), static_cast<std::size_t>(Judge::max_marked));
}

}  // namespace
}  // namespace gateway::test
