// Tests what the descriptions of statements, findings, sales and the journal's state say where nobody has said
// anything, because callers leave out what they do not know.
#include "journal/kept_statements.hpp"

#include "unit/journal/sqlite_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

TEST(KeptStatements, WhatIsNotSaidOfAStatementIsNothing) {
    const KeptStatement statement{};
    EXPECT_THAT((std::array{statement.id, statement.rows, statement.matched, statement.others, statement.findings}),
                Each(0));
}

TEST(KeptStatements, AFindingAsksAPersonUnlessItSaysOtherwise) {
    const Finding finding{};
    EXPECT_THAT((std::array{finding.number, finding.statement, std::int64_t(finding.line)}), Each(0));
    EXPECT_EQ(finding.kind, FindingKind::unknown_here);
    EXPECT_EQ(finding.asks, FindingAsks::person);
    EXPECT_EQ(Finding::Closed().as, FindingEnd::resolved);
    EXPECT_EQ(Saying().status, Status::PENDENTE);
}

class KeptStatementsTest : public SqliteRig {
  protected:
    KeptStatementsTest() { open(); }
};

TEST_F(KeptStatementsTest, AListIsAsLongAsItsReaderExpectsWhoDoesNotSay) {
    KeptStatement statement{.source = "file", .digest = "1"};
    statement.day = day("2026-11-20");
    std::vector<Finding> findings(101);
    for (std::size_t i = 0; i < findings.size(); ++i)
        findings[i].id_externo = "A" + std::to_string(i);
    ask(journal->keep_statement(statement, findings));
    statement.digest = "2";
    ask(journal->keep_statement(statement, findings));
    EXPECT_EQ(ask(journal->statements({})).size(), 1u);
    EXPECT_EQ(ask(journal->findings({})).size(), 100u);
    for (int i = 0; i < 51; ++i)
        begun("k" + std::to_string(i));
    EXPECT_EQ(ask(journal->list({})).sales.size(), 50u);
    auto closed = day("2026-01-01");
    for (int i = 0; i < 51; ++i, closed = next_day(closed))
        ask(journal->begin_close({.estabelecimento = "12345678", .day = closed}, clock.wall(), ""));
    EXPECT_EQ(ask(journal->closes({})).size(), 50u);
}

TEST_F(KeptStatementsTest, AJournalOfOneGatewayIsItsOwn) {
    const auto made = begun();
    EXPECT_TRUE(journal->may_act() && journal->owns(made.id) && journal->is_on_duty());
    const auto none = ask(journal->history(sale().id));
    EXPECT_TRUE(none.events.empty() && none.is_complete && !none.is_long);
}

}  // namespace
}  // namespace gateway::test
