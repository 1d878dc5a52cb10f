#include "journal/postgres/migrations.hpp"

#include "unit/journal/postgres/journal_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

using namespace testing;

class Migrations : public PostgresTest {
  protected:
    // Returns the error; empty: the tables are there.
    std::string bring(std::span<const Migration> known, Engine::Work with = {}) {
        const auto session = this->session(schema.session_options());
        const auto done = run(bring_up_to_date(*session, known, std::move(with)));
        return done.has_error() ? done.error() : std::string();
    }

    JournalSchema schema;
    // The last of these migrations is faulty.
    static constexpr Migration three[]{{1, "001_a.sql", "CREATE TABLE a (x integer); INSERT INTO a VALUES (1);"},
                                       {2, "002_b.sql", "ALTER TABLE a ADD COLUMN y integer DEFAULT 2;"},
                                       {3, "003_c.sql", "CREATE TABLE c (x integer); CREATE TABLE a (x integer);"}};
    static constexpr auto one = std::span(three).first(1);
    static constexpr auto two = std::span(three).first(2);
};

TEST_F(Migrations, EachIsAppliedOnceAndInOrder) {
    EXPECT_EQ(bring(one), "");
    EXPECT_EQ(bring(one), "");
    EXPECT_EQ(bring(two), "");
    EXPECT_EQ(bring(two), "");
    EXPECT_EQ(schema.sql("SELECT * FROM a; SELECT number, name FROM journal_migrations ORDER BY number"),
              "1|2\n1|001_a.sql\n2|002_b.sql");
}

TEST_F(Migrations, OneThatFailsChangesNothingAndIsNamed) {
    EXPECT_EQ(bring(one), "");
    EXPECT_THAT(bring(three), StartsWith("migration 003_c.sql failed: "));
    EXPECT_EQ(schema.sql("SELECT * FROM a; SELECT to_regclass('c') IS NULL"), "1\nt");
    EXPECT_EQ(bring(one), "");
}

TEST_F(Migrations, ANewJournalGetsItsTablesAndItsFirstRowsTogetherOrNeither) {
    const auto run_of = [](std::string_view sql) -> Engine::Work {
        return [sql](Transaction& tx) -> Job<void> { (void)co_await tx.ask(sql); };
    };
    const auto begin = "INSERT INTO a VALUES (7)";
    const auto fail = "INSERT INTO nowhere VALUES (7)";
    EXPECT_NE(bring(one, run_of(fail)), "");
    EXPECT_EQ(schema.sql("SELECT to_regclass('a') IS NULL"), "t");
    EXPECT_EQ(bring(one, run_of(begin)), "");
    EXPECT_EQ(bring(two, run_of(begin)), "") << "only a new one begins with it";
    EXPECT_EQ(schema.sql("SELECT x FROM a ORDER BY x"), "1\n7");
}

TEST_F(Migrations, ANewerDatabaseIsLeftAlone) {
    EXPECT_EQ(bring(two), "");
    EXPECT_THAT(bring(one), HasSubstr("newer version of this program (schema 2, this one knows 1)"));
}

TEST_F(Migrations, ThoseOfThisProgramMakeTheViewsThatPeopleReadInPsql) {
    EXPECT_EQ(bring(migrations()), "");
    for (const auto* view : {"sales_now", "sales_by_day", "attempts", "events", "story", "gateways_now"})
        EXPECT_EQ(schema.sql("SELECT count(*) FROM " + std::string(view)), "0") << view;
}

// A run cannot be added while another one of its name lives. Ended runs of that name do not stop it, nor do living runs
// of other names.
TEST_F(Migrations, OnlyOneRunOfANameLives) {
    EXPECT_EQ(bring(migrations()), "");
    schema.sql(
        "INSERT INTO gateways (run, name, ended, began_at, provider, key_name, rules) VALUES ('a1', 'a', 1, 1, '', '',"
        " ''), ('b1', 'b', 0, 1, '', '', ''), ('a2', 'a', 0, 1, '', '', '')");
    schema.sql(
        "INSERT INTO gateways (run, name, began_at, provider, key_name, rules) VALUES ('a3', 'a', 1, '', '', '')"
        " ON CONFLICT (name) WHERE ended = 0 DO NOTHING");
    EXPECT_EQ(schema.sql("SELECT run FROM gateways WHERE ended = 0 ORDER BY run"), "a2\nb1");
}

}  // namespace
}  // namespace gateway::postgres::test
