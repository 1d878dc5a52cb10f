#include "journal/findings.hpp"

#include "unit/journal/tx_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

struct FindingsRig : TxRig {
    void change(const std::string& sql) { ASSERT_TRUE(database.run(sql.c_str()).has_value()) << database.message(); }
    // Of one statement, numbered from 1.
    void keep(const std::vector<Finding>& findings) {
        const KeptStatement statement{.day = parse_day("2026-11-20").value(), .source = "file"};
        ASSERT_TRUE(run([&](Tx& tx) { return findings::keep(tx, statement, findings); }).has_value());
    }
    std::vector<std::int64_t> list(const FindingFilter& filter) {
        std::vector<std::int64_t> numbers;
        for (const auto& finding : run([&](Tx& tx) { return findings::list(tx, filter); }).value())
            numbers.push_back(finding.number);
        return numbers;
    }
    std::vector<std::string> plan_of(const gateway::Statement& statement) {
        const auto plan = database.ask("EXPLAIN QUERY PLAN " + std::string(statement.sql)).value();
        std::vector<std::string> steps;
        for (const auto& step : plan)
            steps.emplace_back(step.text(3));
        return steps;
    }
};

Finding a_finding(const std::string& id_externo) {
    Finding finding{.kind = FindingKind::sold_there};
    finding.id_externo = id_externo;
    finding.ours = finding.theirs = Saying{.valor = Cents{1}, .status = Status::EFETIVADA};
    return finding;
}

TEST(Findings, ADamagedRowIsLeftOutAndCountedOnce) {
    for (const std::string damage : {"statement = 'x'",
                                     "day = 'x'",
                                     "day = 5",
                                     "kind = 'x'",
                                     "sale = 'x'",
                                     "id_externo = x'00'",
                                     "id_transacao = CAST(x'ff' AS TEXT)",
                                     "estabelecimento = x'00'",
                                     "our_valor = -1",
                                     "our_valor = NULL",
                                     "our_status = 'x'",
                                     "their_valor = 'x'",
                                     "their_status = NULL",
                                     "line = -1",
                                     "detail = x'00'",
                                     "asks = 'x'",
                                     "pending = 'x'",
                                     "effect = x'00'",
                                     "opened_at = 'x'",
                                     "closed_at = NULL",
                                     "closed_as = 'x'",
                                     "closed_by = NULL"}) {
        SCOPED_TRACE(damage);
        FindingsRig rig;
        rig.keep({a_finding("A")});
        const Finding::Closed closed{.at = rig.clock.wall(), .by = "rita", .note = "n"};
        const auto kept = rig.run([&](Tx& tx) { return findings::close(tx, 1, closed); });
        EXPECT_EQ(kept.value().closed->note, "n");
        rig.change("UPDATE findings SET " + damage);
        for (int i = 0; i < 2; ++i)
            EXPECT_THAT(rig.list({}), IsEmpty());
        EXPECT_EQ(rig.unreadable_counts.met, 1U) << "once, however often it is met";
    }
}

TEST(Findings, DamagedRowsMakeNoPageShorter) {
    FindingsRig rig;
    rig.keep({a_finding("A"), a_finding("B"), a_finding("C"), a_finding("D"), a_finding("E")});
    rig.change("UPDATE findings SET line = -1 WHERE number IN (3, 5)");
    EXPECT_THAT(rig.list({.limit = 2}), ElementsAre(4, 2));
    EXPECT_THAT(rig.list({.before = 2, .limit = 2}), ElementsAre(1));
}

TEST(Findings, WhatIsNotThereIsNeitherClosedNorDone) {
    FindingsRig rig;
    const Finding::Closed closed{.at = rig.clock.wall(), .by = "rita", .note = "n"};
    EXPECT_EQ(rig.run([&](Tx& tx) { return findings::close(tx, 1, closed); }).error(), errc::not_found);
    EXPECT_EQ(rig.run([](Tx& tx) { return findings::done(tx, 1, "sold", std::nullopt); }).error(), errc::not_found);
}

TEST(Findings, FindingsAreFoundByAnIndex) {
    FindingsRig rig;
    const auto reads_all = AllOf(StartsWith("SCAN"), Not(HasSubstr(" USING ")));
    const auto sorts = HasSubstr("TEMP B-TREE");
    // What the erasure asks for.
    constexpr gateway::Statement of_sale{"of_sale", "UPDATE findings SET note=NULL WHERE sale = ?1", 0};
    constexpr gateway::Statement of_no_sale{
        "of_no_sale", "SELECT number FROM findings WHERE note IS NOT NULL AND closed_at < ?1 AND sale IS NULL LIMIT 1",
        1};
    for (const auto& statement :
         {sql::findings_by_number, sql::findings_of_statement, sql::findings_pending, sql::findings_open,
          sql::findings_listed, sql::count_open_findings, sql::known_finding, sql::update_finding, sql::reopen_finding,
          sql::carry_findings_over, sql::carry_subject_over, sql::unsaid_findings, sql::missing_findings,
          sql::findings_gone, sql::findings_about, sql::close_finding, sql::finding_done, of_sale, of_no_sale})
        EXPECT_THAT(rig.plan_of(statement), Not(Contains(AnyOf(reads_all, sorts)))) << statement.name;
    // The findings of a day, or the open ones of a kind, are sorted.
    for (const auto& statement : {sql::findings_of_day, sql::findings_of_day_and_kind, sql::findings_open_of_kind})
        EXPECT_THAT(rig.plan_of(statement), Not(Contains(reads_all))) << statement.name;
}

}  // namespace
}  // namespace gateway::test
