#include "journal/dating.hpp"

#include "base/wall_time.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/journal/scripted_transaction.hpp"
#include "unit/journal/sqlite_rig.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

std::string final_at(std::string_view history) {
    const auto at = dating::final_time(rows::read_history(history, errc::sale_unreadable));
    return at ? to_rfc3339(*at) : "never";
}

TEST(FinalTime, IsWhenTheStateThatDecidedTheStatusBegan) {
    EXPECT_EQ(final_at(R"({"at":1000,"attempt":1,"event":"begun","state":"requesting"})"
                       "\n"
                       R"({"at":2000,"attempt":1,"event":"solicitar","state":"confirming"})"
                       "\n"
                       R"({"at":3000,"attempt":1,"event":"confirmar","state":"sold"})"
                       "\n"
                       R"({"at":9000,"attempt":1,"event":"receipt","state":"sold"})"),
              "1970-01-01T00:00:03.000Z");
    EXPECT_EQ(final_at(R"({"at":2000,"attempt":1,"event":"cancel","state":"cancelling"})"
                       "\n"
                       R"({"at":9000,"attempt":1,"event":"cancelar","state":"cancelled"})"),
              "1970-01-01T00:00:02.000Z")
        << "its cancel was only answered later";
}

TEST(FinalTime, IsOfTheLatestAttempt) {
    EXPECT_EQ(final_at(R"({"at":1000,"attempt":1,"event":"solicitar","state":"unsent"})"
                       "\n"
                       R"({"at":1000,"attempt":2,"event":"begun","state":"requesting"})"
                       "\n"
                       R"({"at":4000,"attempt":1,"event":"cancelar","state":"cancelled"})"
                       "\n"
                       R"({"at":5000,"attempt":2,"event":"confirmar","state":"sold"})"),
              "1970-01-01T00:00:05.000Z");
    EXPECT_EQ(final_at(R"({"at":1000,"attempt":1,"event":"solicitar","state":"unsent"})"
                       "\n"
                       R"({"at":1000,"attempt":2,"event":"begun","state":"requesting"})"),
              "never");
}

TEST(FinalTime, IsWhenTheLatestAttemptBecameFinalWhateverIsWrittenLater) {
    const std::string second = R"({"at":1000,"attempt":1,"event":"solicitar","state":"unsent"})"
                               "\n"
                               R"({"at":2000,"attempt":2,"event":"begun","state":"requesting"})"
                               "\n";
    EXPECT_EQ(final_at(second + R"({"at":5000,"attempt":2,"event":"confirmar","state":"sold"})"
                                "\n"
                                R"({"at":9000,"attempt":2,"event":"receipt","state":"sold"})"),
              "1970-01-01T00:00:05.000Z");
    EXPECT_EQ(final_at(second + R"({"at":4000,"attempt":1,"event":"cancelar","state":"cancelled"})"), "never");
}

TEST(FinalTime, IsNotToldByWhatCannotBeRead) {
    for (const auto* damaged :
         {"", "\n\n", "{", "5", "[]", R"({"at":{},"attempt":1,"event":"e","state":"sold"})",
          R"({"at":1,"attempt":"1","event":"e","state":"sold"})", R"({"at":-1,"attempt":1,"event":"e","state":"sold"})",
          R"({"at":1,"attempt":1,"event":"e","state":5})", R"({"at":1,"attempt":1,"event":"e","state":"solt"})",
          R"({"at":9000000000000000,"attempt":1,"event":"e","state":"sold"})"})
        EXPECT_EQ(final_at(damaged), "never") << damaged;
    EXPECT_EQ(final_at("{\n"
                       R"({"at":3000,"attempt":1,"event":"e","state":"sold"})"),
              "1970-01-01T00:00:03.000Z");
}

// This is a journal with sales that became final without a movement day, as earlier versions left them.
class DatingTest : public Test {
  protected:
    DatingTest() {
        rules.zone = TimeZone::find("America/Sao_Paulo").value();
        open();
    }
    ~DatingTest() override { journal.reset(); }

    void open() {
        journal.reset();
        auto opened = open_sqlite_journal(io.get_executor(), {.path = path, .durability = Durability::inline_}, clock);
        ASSERT_TRUE(opened.has_value()) << opened.error();
        journal = std::move(*opened);
    }
    Sale begun(std::string key) {
        clock.jump(1ms);
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = std::move(key);
        made.digest = "d";
        made.estabelecimento = "12345678";
        made.produto = "TV Mensal";
        made.valor = Cents{2500};
        made.request = Secret("{}");
        made.created_at = clock.wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
        EXPECT_TRUE(clock.run(journal->begin(made)).has_value());
        return made;
    }
    SaleId sold(std::string key, std::string requested_at = {}) {
        const auto made = begun(std::move(key));
        Change change{.at = clock.wall(), .attempt = 0, .next = made.current(), .status = Status::EFETIVADA};
        change.next.state = AttemptState::sold;
        change.settled = true;
        change.attention = Attention::none;
        if (!requested_at.empty()) change.details = TransactionDetails{.data_hora = std::move(requested_at)};
        EXPECT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test"})).has_value());
        return made.id;
    }
    // Runs the migration's own statements.
    void as_after_an_upgrade() {
        change("UPDATE dating SET done_down_to = (SELECT coalesce(max(n) + 1, 0) FROM sales)");
    }
    void change(const std::string& sql) {
        auto database = *sqlite::Database::open(path, nullptr);
        ASSERT_TRUE(database.run(sql.c_str()).has_value()) << database.message();
    }
    Dated date() { return clock.run(journal->date_old_sales(rules)).value(); }
    std::string day(SaleId id) {
        const auto kept = clock.run(journal->find(id)).value().value().day;
        return kept ? to_text(*kept) : "none";
    }

    Rules rules;
    TemporaryFolder folder;
    std::string path = folder.path("journal.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<Journal> journal;
};

TEST_F(DatingTest, EverySaleGetsItsDayNewestFirstOverRestarts) {
    constexpr std::size_t many = 2 * dating::sales_at_once + 50;
    std::vector<SaleId> all;
    for (std::size_t i = 0; i < many; ++i)
        all.push_back(sold("k" + std::to_string(i)));
    as_after_an_upgrade();
    std::size_t dated = 0;
    for (bool more = true; more; open()) {
        EXPECT_EQ(day(all[many - dated - 1]), "none");
        const auto step = date();
        dated += step.sales;
        more = step.more;
        EXPECT_EQ(day(all[many - dated]), "2024-05-02");
    }
    EXPECT_EQ(dated, many);
    EXPECT_EQ(date().sales, 0u);
}

TEST_F(DatingTest, TheDayIsThatOfTheHistoryInTheStoresZone) {
    clock.shift_wall(13h + 59min + 58s);  // 02:59:58 in UTC
    const auto before = sold("k1");
    clock.jump(2s);
    const auto after = sold("k2");
    change("UPDATE sales SET updated_at = updated_at + 864000000");  // now they were settled days later
    as_after_an_upgrade();
    EXPECT_EQ(date().sales, 2u);
    EXPECT_EQ(day(before), "2024-05-02");
    EXPECT_EQ(day(after), "2024-05-03");
}

TEST_F(DatingTest, TheDayIsThatOfTheRequestWhereThatIsWanted) {
    rules.day = DayClock::request;
    const auto told = sold("k1", "2024-04-30T23:59:58-03:00");
    const auto not_told = sold("k2", "yesterday");
    as_after_an_upgrade();
    EXPECT_EQ(date().sales, 2u);
    EXPECT_EQ(day(told), "2024-04-30");
    EXPECT_EQ(day(not_told), "2024-05-02");
}

TEST_F(DatingTest, WhatIsOpenOrHasADayOrCannotBeReadIsPassed) {
    const auto open_one = begun("k1");
    const auto has_one = sold("k2");
    const auto broken = sold("k3");
    const auto without_history = sold("k4");
    change("UPDATE sales SET day = '2020-01-01' WHERE key = 'k2'");
    change("UPDATE sales SET updated_at = 'x' WHERE key = 'k3'");
    change("UPDATE sales SET story = '{' WHERE key = 'k4'");
    as_after_an_upgrade();
    EXPECT_EQ(date().sales, 1u);
    EXPECT_EQ(day(open_one.id), "none");
    EXPECT_EQ(day(has_one), "2020-01-01");
    EXPECT_EQ(day(without_history), "2024-05-02");
    EXPECT_EQ(journal->stats().unreadable, 1u);
    EXPECT_THAT(clock.run(journal->marked()).value(), ElementsAre(Field(&MarkedSale::id, broken.str())));
}

TEST_F(DatingTest, ASaleOfADayThatIsClosedIsLate) {
    const auto id = sold("k1");
    as_after_an_upgrade();
    const CloseKey key{.estabelecimento = "12345678", .day = std::chrono::year(2024) / 5 / 2};
    ASSERT_TRUE(clock.run(journal->begin_close(key, clock.wall(), "maria")).has_value());
    EXPECT_EQ(date().sales, 1u);
    const std::string start;
    EXPECT_THAT(clock.run(journal->sales_of_close(key, start)).value().sales, IsEmpty());
    const CloseKey next{.estabelecimento = "12345678", .day = std::chrono::year(2024) / 5 / 3};
    const auto late = clock.run(journal->sales_of_close(next, start)).value().sales;
    ASSERT_EQ(late.size(), 1u);
    EXPECT_EQ(late[0].id, id);
    EXPECT_TRUE(late[0].late);
}

TEST_F(DatingTest, AfterTheMarkWasDamagedItBeginsAnew) {
    const auto id = sold("k1");
    for (const auto* damaged :
         {"UPDATE dating SET done_down_to = 'x'", "UPDATE dating SET done_down_to = -5", "DELETE FROM dating"}) {
        change(std::string("UPDATE sales SET day = NULL; ") + damaged);
        EXPECT_EQ(date().sales, 1u) << damaged;
        EXPECT_EQ(day(id), "2024-05-02");
        EXPECT_EQ(date().sales, 0u);
    }
}

// This asks which day a row of an old sale is of.
class DayOfOldSale : public Test {
  protected:
    // Returns the day, "open" where there is none, or "unreadable".
    std::string of(const ScriptedTransaction::Cell& status, const ScriptedTransaction::Cell& updated_at,
                   const ScriptedTransaction::Cell& estabelecimento = "L", const std::string& story = {}) {
        rig.script.answer("next_to_date", {{std::int64_t{1}, "S", estabelecimento, status, updated_at, story,
                                            std::nullopt, std::int64_t{0}}});
        const auto asked = [&](Tx& tx) -> Job<std::string> {
            const auto rows = co_await tx.ask(sql::next_to_date);
            rows::FieldReader fields(tx.cipher);
            const auto day = dating::day_of_old_sale(rows.front(), rules, fields);
            if (day.has_error()) co_return day.error() == errc::sale_unreadable ? "unreadable" : "another error";
            co_return *day ? to_text(**day) : "open";
        };
        return rig.run(asked).value();
    }

    static constexpr std::int64_t hour = 3'600'000;
    static constexpr std::int64_t day = 24 * hour;

    ScriptedRig rig;
    Rules rules;
};

TEST_F(DayOfOldSale, IsTakenFromARowThatThisProgramCanHaveWrittenAlone) {
    EXPECT_EQ(of("EFETIVADA", 10 * day), "1970-01-11");
    EXPECT_EQ(of("PENDENTE", 10 * day), "open");
    EXPECT_EQ(of("?", 10 * day), "unreadable");
    EXPECT_EQ(of(std::nullopt, 10 * day), "unreadable");
    EXPECT_EQ(of("EFETIVADA", "x"), "unreadable");
    EXPECT_EQ(of("EFETIVADA", 10 * day, std::nullopt), "unreadable");
    EXPECT_EQ(of("EFETIVADA", 10 * day, std::int64_t{7}), "unreadable");
}

TEST_F(DayOfOldSale, IsNotTakenFromAHistoryOfWhichALineIsMissing) {
    const std::string sold = R"({"at":172800000,"attempt":1,"event":"confirmar","state":"sold"})";
    EXPECT_EQ(of("EFETIVADA", 10 * day, "L", sold), "1970-01-03");
    EXPECT_EQ(of("EFETIVADA", 10 * day, "L", sold + "\n{"), "1970-01-11");
}

TEST(Dating, LooksAtNoSaleOnceAllAreDated) {
    ScriptedRig rig;
    const Rules rules;
    rig.script.answer("dated_down_to", {{std::int64_t{0}, std::int64_t{5}}});
    EXPECT_FALSE(rig.run([&](Tx& tx) { return dating::date_some(tx, rules); }).value().more);
    EXPECT_THAT(rig.script.did, ElementsAre("dated_down_to"));
}

TEST(Dating, NotesThatAllAreDatedWhereNoneIsLeft) {
    ScriptedRig rig;
    const Rules rules;
    rig.script.answer("dated_down_to", {{std::int64_t{2}, std::int64_t{5}}});
    rig.script.answer("next_to_date",
                      {{std::int64_t{1}, "S", "L", "EFETIVADA", std::int64_t{0}, "", std::nullopt, std::int64_t{1}}});
    EXPECT_FALSE(rig.run([&](Tx& tx) { return dating::date_some(tx, rules); }).value().more);
    EXPECT_THAT(rig.script.values["next_to_date"], ElementsAre("2", "200"));
    EXPECT_THAT(rig.script.values["set_dated_down_to"], ElementsAre("0"));
}

class DatingOfEncryptedSales : public SqliteRig {
  protected:
    DatingOfEncryptedSales() {
        open({first_key});
        auto made = begun();
        auto change = change_to(made, AttemptState::sold);
        change.details = TransactionDetails{.data_hora = "2024-04-30T23:59:58-03:00"};
        record(made, change);
    }
    std::string day_by(DayClock clock_of_day) {
        sql("UPDATE sales SET day = NULL; DELETE FROM dating");
        Rules rules;
        rules.day = clock_of_day;
        EXPECT_EQ(ask(journal->date_old_sales(rules)).sales, 1u);
        return text("SELECT day FROM sales");
    }
};

TEST_F(DatingOfEncryptedSales, ReadsWhatIsEncryptedOnlyWhereItIsAskedFor) {
    EXPECT_EQ(day_by(DayClock::request), "2024-05-01") << "in the zone of these rules";
    sql("UPDATE sales SET facts = x'01'");
    const auto told = day_by(DayClock{});
    EXPECT_EQ(journal->stats().unreadable, 0u);
    EXPECT_EQ(day_by(DayClock::request), told);
    EXPECT_EQ(journal->stats().unreadable, 1u);
}

}  // namespace
}  // namespace gateway::test
