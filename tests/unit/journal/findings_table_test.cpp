#include "journal/findings_table.hpp"

#include "journal/sqlite/schema.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;

class FindingsTableTest : public Test {
  protected:
    FindingsTableTest() { EXPECT_TRUE(bring_up_to_date(database).has_value()); }

    void change(const std::string& sql) { ASSERT_TRUE(database.run(sql.c_str()).has_value()) << database.message(); }

    boost::asio::io_context io;
    VirtualClock clock{io};
    std::atomic<std::uint64_t> count{0};
    sqlite::Database database = *sqlite::Database::open(":memory:", nullptr);
    UnreadableSales unreadable{database, clock, count};
    FieldCipher cipher;
    FindingsTable table{database, cipher, unreadable};
};

TEST_F(FindingsTableTest, ADamagedRowIsLeftOut) {
    Finding finding{.kind = FindingKind::sold_there};
    finding.id_externo = "A";
    finding.ours = finding.theirs = Saying{.valor = Cents{1}, .status = Status::EFETIVADA};
    finding.opened_at = clock.wall();
    const KeptStatement statement{.id = 1, .day = parse_day("2026-11-20").value()};
    ASSERT_TRUE(table.keep(statement, {finding}).has_value());
    ASSERT_TRUE(table.close(1, {.at = clock.wall(), .by = "rita", .note = "n"}).has_value());
    std::uint64_t counted = 0;
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
        change("SAVEPOINT damage");
        change("UPDATE findings SET " + damage);
        FindingsTable again(database, cipher, unreadable);
        EXPECT_THAT(again.list({}).value(), IsEmpty());
        EXPECT_THAT(again.list({}).value(), IsEmpty());
        EXPECT_EQ(count, ++counted) << "once, however often it is met";
        change("ROLLBACK TO damage; RELEASE damage");
    }
    EXPECT_EQ(table.find(1).value()->closed->note, "n");
}

TEST_F(FindingsTableTest, FindingsAreFoundByAnIndex) {
    for (const std::string sql :
         {"SELECT number FROM findings WHERE day = ? AND kind = ? AND subject = ?",
          "SELECT number FROM findings WHERE 1 AND closed_at IS NULL ORDER BY number DESC LIMIT 100",
          "SELECT number FROM findings WHERE 1 AND pending = 1 ORDER BY number DESC LIMIT 100",
          "SELECT number FROM findings WHERE 1 ORDER BY number DESC LIMIT 100",
          "SELECT number FROM findings WHERE 1 AND statement = CAST(? AS INTEGER) ORDER BY number DESC",
          "SELECT number FROM findings WHERE kind = 'missing_there' AND subject = ?1 AND day IN (date(?2, '-1 day'),"
          " date(?2, '+1 day')) AND closed_at IS NULL",
          "SELECT kind, count(*) FROM findings WHERE closed_at IS NULL GROUP BY kind",
          "UPDATE findings SET note=NULL WHERE sale = ?",
          "SELECT number FROM findings WHERE note IS NOT NULL AND closed_at < ?1 AND sale IS NULL LIMIT 1"}) {
        sqlite::Statement plan(database, "EXPLAIN QUERY PLAN " + sql);
        while (plan.step().value()) {
            const auto step = std::string(plan.text(3));
            EXPECT_TRUE(!step.starts_with("SCAN") || step.find("USING") != std::string::npos ||
                        sql.find("WHERE 1 ORDER") != std::string::npos)
                << sql << ": " << step;
            EXPECT_EQ(step.find("TEMP B-TREE"), std::string::npos) << sql << ": " << step;
        }
    }
}

}  // namespace
}  // namespace gateway::test
