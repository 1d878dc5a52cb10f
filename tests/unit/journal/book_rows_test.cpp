// Damage in a row of the books concerns that row alone. The conformance suites test what the books are.
#include "journal/book_rows.hpp"

#include "journal/days.hpp"
#include "unit/journal/sqlite_rig.hpp"

#include <gmock/gmock.h>

#include <functional>

namespace gateway::test {
namespace {

using namespace testing;

class BookRowsTest : public SqliteRig {
  protected:
    BookRowsTest() { open(); }

    static Day november(unsigned day) { return std::chrono::year(2026) / 11 / std::chrono::day(day); }
    static CloseKey key(unsigned day) { return {.estabelecimento = "12345678", .day = november(day)}; }
    Close closed(unsigned day) { return ask(journal->begin_close(key(day), clock.wall(), "maria")); }
    std::string name_of(const Close& close) { return fmt::format("{}/{}", close.number, close.series); }
    SaleId sold_on(unsigned day, std::string its_key = "") {
        auto made = sale(std::move(its_key));
        made.cashier = "Rita";
        begun(made);
        auto change = change_to(made, AttemptState::sold);
        change.day = november(day);
        record(made, change);
        return made.id;
    }
    std::vector<DaySale> of_close(unsigned day) { return ask(journal->sales_of_close(key(day), "")).sales; }
    DayPage of_days(unsigned from, unsigned to, const std::string& after = "") {
        return ask(journal->sales_of_days({.from = november(from), .to = november(to)}, after));
    }
    FindingChanges keep_findings(std::size_t count) {
        std::vector<Finding> findings;
        for (std::size_t i = 0; i < count; ++i) {
            findings.push_back({.kind = FindingKind::sold_there, .id_externo = "A" + std::to_string(i)});
            findings.back().ours = findings.back().theirs = Saying{.valor = Cents{1}, .status = Status::EFETIVADA};
        }
        return says(20, findings);
    }
    FindingChanges says(unsigned day, const std::vector<Finding>& found) {
        return ask(journal->keep_statement(
            {.day = november(day), .source = "file", .digest = "a", .reading = "r", .by = "maria"}, found));
    }
    std::vector<std::int64_t> findings(const FindingFilter& filter) {
        std::vector<std::int64_t> numbers;
        for (const auto& finding : ask(journal->findings(filter)))
            numbers.push_back(finding.number);
        return numbers;
    }
    std::vector<std::int64_t> statements(std::optional<std::int64_t> before, std::size_t limit) {
        std::vector<std::int64_t> ids;
        for (const auto& statement : ask(journal->statements({.before = before, .limit = limit})))
            ids.push_back(statement.id);
        return ids;
    }

    // Applies each of the damages, and checks that the rows that it hits are left out and counted once, however often
    // they are read.
    void each_is_left_out(const std::string& table, const std::string& where, const std::vector<const char*>& damages,
                          const std::function<void()>& is_left_out, const std::function<void()>& whole_again) {
        for (const auto* damage : damages) {
            SCOPED_TRACE(damage);
            open();
            keep(table);
            sql(fmt::format("UPDATE {} SET {} WHERE {}", table, damage, where));
            for (int times = 0; times < 2; ++times)
                is_left_out();
            EXPECT_EQ(journal->stats().unreadable, 1u);
            put_back(table);
            whole_again();
        }
    }
};

TEST_F(BookRowsTest, OfADamagedCloseTheDayStaysClosedAndTheNumberIsNotGivenAgain) {
    closed(20);
    auto second = closed(21);
    second.totals = "{}";
    second.digest = std::string(64, 'a');
    ask(journal->finish_close(second));
    each_is_left_out(
        "closes", "day = '2026-11-21'",
        {"series = 'x'", "series = 0", "number = 'x'", "number = -7", "number = 9000000000", "made_at = 'x'",
         "made_at = -1", "made_by = x'00'", "made_by = CAST(x'ff' AS TEXT)", "open = '5'", "open = '['",
         "totals = NULL", "totals = '[]'", "digest = NULL", "digest = 'x'"},
        [&] {
            EXPECT_THAT(ask(journal->closes({.to = november(21)})), ElementsAre(Field(&Close::number, 1)));
            EXPECT_EQ(error_of(journal->begin_close(key(21), clock.wall(), "maria")), errc::close_unreadable);
            EXPECT_EQ(closed(23).number, 3);
            const auto late = sold_on(21);
            EXPECT_THAT(of_close(22), Contains(Field(&DaySale::id, late)));
        },
        [&] { EXPECT_EQ(closed(21).digest, second.digest); });
}

TEST_F(BookRowsTest, ADamagedStatementIsNotKnown) {
    keep_findings(0);
    each_is_left_out(
        "statements", "TRUE",
        {"day = 'x'", "source = x'00'", "network = CAST(x'ff' AS TEXT)", "read_at = 'x'", "read_by = x'00'",
         "header_money = x'00'", "rows = -1", "matched = 'x'", "others = 'x'", "findings = 'x'"},
        [&] {
            EXPECT_FALSE(ask(journal->known_statement("a", "r")));
            EXPECT_THAT(statements(std::nullopt, 10), IsEmpty());
        },
        [&] { EXPECT_EQ(ask(journal->known_statement("a", "r"))->source, "file"); });
}

TEST_F(BookRowsTest, ADamagedFindingIsNotListed) {
    keep_findings(1);
    ask(journal->close_finding(1, "n", "rita", clock.wall()));
    each_is_left_out(
        "findings", "TRUE",
        {"statement = 'x'",
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
         "closed_by = NULL"},
        [&] { EXPECT_THAT(findings({}), IsEmpty()); },
        [&] { EXPECT_EQ(ask(journal->findings({})).at(0).closed->note, "n"); });
}

TEST_F(BookRowsTest, ADamagedSaleIsCountedByItsDayAndMarked) {
    const auto whole = sold_on(20);
    const auto broken = sold_on(20, "broken");
    each_is_left_out(
        "sales", "key = 'broken'",
        {"family = 'tw'", "status = 'PENDENTE'", "status = x'00'", "valor = 'x'", "valor = -1", "terminal = x'ff'",
         "attempts = '{'", "attempts = '[{\"idExterno\":5}]'", "id = 'no id'"},
        [&] {
            for (const auto& page : {of_days(20, 20), ask(journal->sales_of_close(key(20), ""))}) {
                EXPECT_THAT(page.sales, ElementsAre(Field(&DaySale::id, whole)));
                EXPECT_EQ(page.unreadable, 1u);
                EXPECT_EQ(page.next, "");
            }
            EXPECT_THAT(ask(journal->marked()), ElementsAre(Field(&MarkedSale::attention, Attention::unreadable)));
        },
        [&] { found(broken); });
}

TEST_F(BookRowsTest, DamagedRowsMakeNoPageShorterAndHideNoneBeforeThem) {
    for (int i = 0; i < 6; ++i)
        keep_findings(i == 0 ? 5 : 0);
    sql("UPDATE statements SET rows = -1 WHERE id IN (3, 4, 6); UPDATE findings SET line = -1 WHERE number IN (3, 5)");
    EXPECT_THAT(statements(std::nullopt, 2), ElementsAre(5, 2));
    EXPECT_THAT(statements(2, 2), ElementsAre(1));
    EXPECT_EQ(ask(journal->statements({.source = "file"})).at(0).id, 5);
    EXPECT_EQ(ask(journal->known_statement("a", "r"))->id, 5);
    EXPECT_THAT(findings({.limit = 2}), ElementsAre(4, 2));
    EXPECT_THAT(findings({.before = 2, .limit = 2}), ElementsAre(1));
    EXPECT_EQ(journal->stats().unreadable, 5u);
}

TEST_F(BookRowsTest, ADayWhoseRowsCannotBeGoneOnAfterHidesNoOther) {
    const auto whole = sold_on(20, "whole");
    std::string copies = "BEGIN; CREATE TABLE broken AS SELECT * FROM sales;";
    for (std::size_t i = 0; i < days::rows_per_page; ++i)
        copies +=
            "UPDATE broken SET n = NULL, id = randomblob(20), key = hex(randomblob(20));"
            "INSERT INTO sales SELECT * FROM broken;";
    sql(copies + "DROP TABLE broken; UPDATE sales SET day = '2026-11-21' WHERE key = 'whole'; COMMIT");
    const auto first = of_days(20, 21);
    EXPECT_EQ(first.unreadable, days::rows_per_page);
    const auto second = of_days(20, 21, first.next);
    EXPECT_THAT(second.sales, ElementsAre(Field(&DaySale::id, whole)));
    EXPECT_EQ(second.next, "");
}

TEST_F(BookRowsTest, ACashierThatDoesNotOpenIsLeftOutAndCounted) {
    sold_on(20);
    sql("UPDATE sales SET cashier = x'00'");
    EXPECT_THAT(of_days(20, 20).sales, ElementsAre(Field(&DaySale::cashier, "")));
    EXPECT_EQ(journal->stats().unreadable, 1u);
}

TEST_F(BookRowsTest, WhereTheSeriesWasDamagedTheClosesGoOnInAnother) {
    EXPECT_EQ(name_of(closed(1)), "1/1");
    sql("UPDATE close_series SET series = 'x'");
    EXPECT_EQ(name_of(closed(2)), "2/2");
    EXPECT_EQ(name_of(closed(3)), "3/2");
    sql("DELETE FROM close_series");
    EXPECT_EQ(name_of(closed(4)), "4/3");
    EXPECT_EQ(journal->stats().unreadable, 2u);
    EXPECT_EQ(name_of(closed(1)), "1/1");
    sql("DELETE FROM close_series; UPDATE closes SET series = -7");
    EXPECT_EQ(name_of(closed(5)), "5/1");
}

TEST_F(BookRowsTest, ADayOfACloseThatIsNoDayIsInNobodysWay) {
    for (const unsigned day : {20u, 21u, 22u})
        closed(day);
    sql("UPDATE closes SET day = '2026-11-22 ' WHERE day = '2026-11-22'");
    const auto late = sold_on(20);
    EXPECT_THAT(of_close(22), ElementsAre(Field(&DaySale::id, late)));
    sql("DELETE FROM closes WHERE day = '2026-11-21'");
    const auto later = sold_on(20);
    EXPECT_THAT(of_close(21), ElementsAre(Field(&DaySale::id, later)));
}

TEST_F(BookRowsTest, EachCloseThatCannotBeReadIsCountedOnceWhoeverReadsIt) {
    closed(20);
    closed(21);
    ask(journal->begin_close({.estabelecimento = "other", .day = november(21)}, clock.wall(), ""));
    sql("UPDATE closes SET made_by = x'00'");
    for (int times = 0; times < 2; ++times) {
        EXPECT_THAT(ask(journal->closes({})), IsEmpty());
        EXPECT_EQ(journal->stats().unreadable, 3u);
    }
    open();
    EXPECT_EQ(error_of(journal->begin_close(key(20), clock.wall(), "maria")), errc::close_unreadable);
    EXPECT_EQ(journal->stats().unreadable, 1u);
}

TEST_F(BookRowsTest, ANumberIsNotGivenAgainWhereACloseWasLost) {
    for (const unsigned day : {20u, 21u, 22u})
        closed(day);
    sql("DELETE FROM closes WHERE day = '2026-11-20'");
    EXPECT_EQ(name_of(closed(23)), "4/1");
}

TEST_F(BookRowsTest, ALateSaleGoesPastAllClosedDaysThatFollowEachOther) {
    auto day = november(1);
    for (int days = 0; days < 40; ++days) {
        ask(journal->begin_close({.estabelecimento = "12345678", .day = day}, clock.wall(), ""));
        day = next_day(day);
    }
    const auto late_day_of = [&](const std::string& its_key) {
        sold_on(1, its_key);
        return text(fmt::format("SELECT coalesce(late_day, 'none') FROM sales WHERE key = '{}'", its_key));
    };
    EXPECT_EQ(late_day_of("first"), to_text(day));
    sql("DELETE FROM closes WHERE day = '2026-11-04'");
    EXPECT_EQ(late_day_of("before a gap"), "2026-11-04");
    sql("UPDATE closes SET day = day || ' '");
    EXPECT_EQ(late_day_of("where no day can be read"), "none");
}

TEST_F(BookRowsTest, OneCallTellsNoMoreThanFiveHundredClosesOrFindings) {
    closed(20);
    sql("WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 500) "
        "INSERT INTO closes (estabelecimento, series, number, day, made_at, made_by, open) "
        "SELECT n, series, number, day, made_at, made_by, open FROM closes, i");
    EXPECT_THAT(ask(journal->closes({.limit = 1'000})), SizeIs(500));
    keep_findings(501);
    EXPECT_THAT(findings({.limit = 1'000}), SizeIs(500));
}

TEST_F(BookRowsTest, APageOfStatementsHasNoMoreThanWereAskedFor) {
    for (int i = 0; i < 5; ++i)
        keep_findings(0);
    sql("UPDATE statements SET rows = -1 WHERE id = 5");
    EXPECT_THAT(statements(std::nullopt, 2), ElementsAre(4, 3));
}

TEST_F(BookRowsTest, ADamagedFindingIsClosedWithoutBeingTold) {
    keep_findings(1);
    sql("UPDATE findings SET line = -1");
    EXPECT_THAT(keep_findings(0).closed, IsEmpty());
    EXPECT_EQ(text("SELECT closed_as FROM findings"), "corrected");
}

TEST_F(BookRowsTest, AnEmptyNoteIsNotKept) {
    keep_findings(1);
    ask(journal->close_finding(1, "", "rita", clock.wall()));
    EXPECT_EQ(text("SELECT coalesce(note, 'none') FROM findings"), "none");
}

TEST_F(BookRowsTest, WhatIsMissingAgainAndCannotBeReadStaysAsItIs) {
    const auto about = begun();
    Finding missing{.kind = FindingKind::missing_there, .sale = about.id};
    missing.id_externo = about.current().id_externo.str();
    auto there = missing;
    there.kind = FindingKind::other_day;
    there.theirs = Saying{.valor = Cents{1}, .status = Status::EFETIVADA};
    says(20, {missing});
    says(21, {there});
    for (const auto* damage :
         {"UPDATE findings SET line = -1 WHERE kind = 'missing_there'",
          "UPDATE findings SET day = 'x' WHERE kind = 'missing_there'; UPDATE statements SET day = 'x' WHERE id = 1"}) {
        sql(damage);
        EXPECT_THAT(says(21, {}).opened, IsEmpty());
        EXPECT_EQ(text("SELECT closed_as FROM findings WHERE kind = 'missing_there'"), "other_day");
    }
    EXPECT_EQ(journal->stats().unreadable, 1u);
}

}  // namespace
}  // namespace gateway::test
