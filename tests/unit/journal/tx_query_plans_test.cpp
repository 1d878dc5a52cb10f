// The journal's queries cost what they have to answer, however much was sold: every table is searched by an index.
#include "journal/tx.hpp"
#include "unit/journal/sqlite_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

struct Planned {
    gateway::Statement statement;
    std::string index{};  // the index and what of it is searched; empty: any
    bool is_sorted = false;
};

TEST_F(SqliteRig, StatementsAreServedByAnIndexAndSortOnlyWhatIsFew) {
    open();
    const std::string of_day = "SEARCH sales USING INDEX sales_of_day (day=?";
    // The erasure runs these statements.
    constexpr gateway::Statement of_sale{"of_sale", "UPDATE findings SET note=NULL WHERE sale = ?1", 0};
    constexpr gateway::Statement of_no_sale{
        "of_no_sale", "SELECT number FROM findings WHERE note IS NOT NULL AND closed_at < ?1 AND sale IS NULL LIMIT 1",
        1};
    std::vector<Planned> all{
        {sql::days_closed_since, "closes_by_day (estabelecimento=? AND day>?)"},
        {sql::find_close, "closes_by_day (estabelecimento=? AND day=?)"},
        {sql::list_closes, "closes_newest (day>? AND day<?)"},
        {sql::list_closes_of_establishment, "closes_by_day (estabelecimento=? AND day>? AND day<?)"},
        {sql::list_unfinished_closes, "closes_unfinished (day>? AND day<?)"},
        {sql::sales_of_day, of_day},
        {sql::sales_of_establishments_day, of_day},
        {sql::sales_of_close, of_day},
        {sql::duplicates_of, "USING INDEX sales_by_duplicate_hash (duplicate_hash=? AND"},
        {sql::load_console_sessions, "console_sessions_of_gateway (gateway=?)"},
        {sql::use_console_session, "USING PRIMARY KEY (digest=?)"},
        {sql::end_console_session, "USING PRIMARY KEY (digest=?)"},
        // The findings of a day, or the open ones of a kind, are sorted.
        {sql::findings_of_day, "", true},
        {sql::findings_of_day_and_kind, "", true},
        {sql::findings_open_of_kind, "", true},
    };
    for (const auto& statement :
         {sql::findings_by_number, sql::findings_of_statement, sql::findings_pending, sql::findings_open,
          sql::findings_listed, sql::count_open_findings, sql::known_finding, sql::update_finding, sql::reopen_finding,
          sql::carry_findings_over, sql::carry_subject_over, sql::unsaid_findings, sql::missing_findings,
          sql::findings_gone, sql::findings_about, sql::close_finding, sql::finding_done, of_sale, of_no_sale})
        all.push_back({statement});
    for (const auto& [statement, index, is_sorted] : all) {
        SCOPED_TRACE(statement.name);
        std::vector<std::string> steps;
        const auto plan = beside().ask("EXPLAIN QUERY PLAN " + std::string(statement.sql)).value();
        for (const auto& step : plan)
            steps.emplace_back(step.text(3));
        EXPECT_THAT(steps, Not(Contains(AllOf(StartsWith("SCAN"), Not(HasSubstr(" USING "))))));
        EXPECT_TRUE(is_sorted || !Matches(Contains(HasSubstr("TEMP B-TREE")))(steps));
        if (index.empty()) continue;
        EXPECT_THAT(steps, Contains(HasSubstr(index)));
        EXPECT_THAT(steps, Not(Contains(HasSubstr("SCAN"))));
    }
}

}  // namespace
}  // namespace gateway::test
