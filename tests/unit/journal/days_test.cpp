#include "journal/days.hpp"

#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class DaysTest : public Test {
  protected:
    DaysTest() {
        auto opened = open_sqlite_journal(io.get_executor(), {.path = path, .durability = Durability::inline_}, clock);
        EXPECT_TRUE(opened.has_value()) << opened.error();
        journal = std::move(*opened);
    }
    ~DaysTest() override { journal.reset(); }

    SaleId sold(std::string key) {
        clock.jump(1ms);
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = std::move(key);
        made.digest = "d";
        made.estabelecimento = "12345678";
        made.produto = "TV Mensal";
        made.cashier = "Rita";
        made.valor = Cents{2500};
        made.created_at = clock.wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
        EXPECT_TRUE(clock.run(journal->begin(made)).has_value());
        Change change{.at = clock.wall(), .attempt = 0, .next = made.current(), .status = Status::EFETIVADA};
        change.next.state = AttemptState::sold;
        change.settled = true;
        change.day = day;
        change.attention = Attention::none;
        EXPECT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test"})).has_value());
        return made.id;
    }
    sqlite::Database another() { return *sqlite::Database::open(path, nullptr); }
    void change(const std::string& sql) {
        auto database = another();
        ASSERT_TRUE(database.run(sql.c_str()).has_value()) << sql << ": " << database.message();
    }

    static constexpr Day day = std::chrono::year(2026) / 11 / 20;
    const std::string start;
    TemporaryFolder folder;
    std::string path = folder.path("journal.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<Journal> journal;
};

TEST_F(DaysTest, ADayCostsWhatItHasAndNothingIsSorted) {
    auto database = another();
    for (const auto& statement : {sql::sales_of_day, sql::sales_of_establishments_day, sql::sales_of_close}) {
        const auto plan = database.ask("EXPLAIN QUERY PLAN " + std::string(statement.sql)).value();
        std::string told;
        for (const auto& step : plan)
            told.append(step.text(3)).append("\n");
        EXPECT_THAT(told, AllOf(HasSubstr("SEARCH sales USING INDEX sales_of_day (day=?"), Not(HasSubstr("SCAN")),
                                Not(HasSubstr("TEMP B-TREE"))));
    }
}

TEST_F(DaysTest, ADamagedRowIsCountedAndMarkedAndConcernsNoOther) {
    const auto whole = sold("whole");
    const auto broken = sold("broken");
    const DayFilter filter{.from = day, .to = day};
    const CloseKey key{.estabelecimento = "12345678", .day = day};
    for (const std::string damage :
         {"family = 'tw'", "status = 'PENDENTE'", "status = x'00'", "valor = 'x'", "valor = -1", "terminal = x'ff'",
          "attempts = '{'", "attempts = '[{\"idExterno\":5}]'", "id = 'no id'"}) {
        change("CREATE TABLE as_it_was AS SELECT * FROM sales WHERE key = 'broken'");
        change("UPDATE sales SET " + damage + " WHERE key = 'broken'");
        for (const bool of_close : {false, true}) {
            const auto page = of_close ? clock.run(journal->sales_of_close(key, start)).value()
                                       : clock.run(journal->sales_of_days(filter, start)).value();
            EXPECT_THAT(page.sales, ElementsAre(Field(&DaySale::id, whole))) << damage;
            EXPECT_EQ(page.unreadable, 1u) << damage;
            EXPECT_EQ(page.next, "");
        }
        EXPECT_GE(journal->unreadable(), 1u) << damage;
        EXPECT_THAT(clock.run(journal->marked()).value(),
                    ElementsAre(Field(&MarkedSale::attention, Attention::unreadable)));
        change(
            "DELETE FROM sales WHERE key = 'broken'; INSERT INTO sales SELECT * FROM as_it_was; DROP TABLE as_it_was");
        EXPECT_TRUE(clock.run(journal->find(broken)).value()) << damage;
    }
}

TEST_F(DaysTest, ADayWhoseRowsCannotBeGoneOnAfterHidesNoOther) {
    const auto whole = sold("whole");
    std::string sql = "BEGIN; CREATE TABLE broken AS SELECT * FROM sales;";
    for (std::size_t i = 0; i < days::rows_per_page; ++i)
        sql +=
            "UPDATE broken SET n = NULL, id = randomblob(20), key = hex(randomblob(20));"
            "INSERT INTO sales SELECT * FROM broken;";
    change(sql + "DROP TABLE broken; UPDATE sales SET day = '2026-11-21' WHERE key = 'whole'; COMMIT");
    const DayFilter filter{.from = day, .to = std::chrono::year(2026) / 11 / 21};
    const auto first = clock.run(journal->sales_of_days(filter, start)).value();
    EXPECT_EQ(first.unreadable, days::rows_per_page);
    const auto second = clock.run(journal->sales_of_days(filter, first.next)).value();
    EXPECT_THAT(second.sales, ElementsAre(Field(&DaySale::id, whole)));
    EXPECT_EQ(second.next, "");
}

TEST_F(DaysTest, ACashierThatDoesNotOpenIsLeftOutAndCounted) {
    sold("k1");
    change("UPDATE sales SET cashier = x'00'");
    const DayFilter filter{.from = day, .to = day};
    EXPECT_THAT(clock.run(journal->sales_of_days(filter, start)).value().sales,
                ElementsAre(Field(&DaySale::cashier, "")));
    EXPECT_EQ(journal->unreadable(), 1u);
}

TEST_F(DaysTest, ADayThatMakesNoSenseIsNoDayAndTheSaleIsMarked) {
    const auto id = sold("k1");
    change("UPDATE sales SET day = '2026-11-31'");
    const auto kept = clock.run(journal->find(id)).value().value();
    EXPECT_EQ(kept.day, std::nullopt);
    EXPECT_EQ(kept.attention, Attention::unreadable);
}

}  // namespace
}  // namespace gateway::test
