#include "sandbox/statement_faults.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

using namespace std::chrono_literals;
using Kind = RowFault::Kind;

constexpr Day faulty_day(std::chrono::year(2024) / 5 / 2);
constexpr Day next_day(std::chrono::year(2024) / 5 / 3);
constexpr Day day_before(std::chrono::year(2024) / 5 / 1);

StatementRow sold_row(const std::string& idExterno, WallTime at) {
    return {.idExterno = idExterno, .valor = 100, .status = "EFETIVADA", .at = at};
}

// Makes one row of the day before, three of the day, and one of the next day.
std::vector<StatementRow> five_rows() {
    const auto noon = noon_of(faulty_day);
    return {sold_row("before", noon - 24h), sold_row("A", noon - 1h), sold_row("B", noon), sold_row("C", noon + 1h),
            sold_row("after", noon + 24h)};
}

boost::system::result<Statement, std::string> made(const StatementFaults& faults, Day day = faulty_day) {
    return make_statement(five_rows(), day, next_day, faults);
}

boost::system::result<Statement, std::string> made(const RowFault& fault, Day day = faulty_day) {
    return made(StatementFaults{.rows = {fault}}, day);
}

std::string names(const boost::system::result<Statement, std::string>& statement) {
    if (!statement) return statement.error();
    std::string text;
    for (const auto& row : statement->rows)
        text.append(text.empty() ? "" : " ").append(row.idExterno);
    return text;
}

TEST(StatementFaults, WithoutAnyAStatementHasTheRowsOfItsDay) {
    const auto statement = made(StatementFaults{});
    ASSERT_TRUE(statement);
    EXPECT_EQ(names(statement), "A B C");
    EXPECT_EQ(statement->day, faulty_day);
    EXPECT_EQ(statement->written, next_day);
    EXPECT_FALSE(statement->count || statement->total);
    EXPECT_EQ(names(made(StatementFaults{}, next_day)), "after");
}

TEST(StatementFaults, ARowIsNamedByItsNumberOrItsIdExternoOrWithAllOthers) {
    EXPECT_EQ(names(made({.kind = Kind::missing, .row = "2"})), "A C");
    EXPECT_EQ(names(made({.kind = Kind::missing, .row = "B"})), "A C");
    EXPECT_EQ(names(made({.kind = Kind::missing, .row = "all"})), "");
    EXPECT_EQ(names(made({.kind = Kind::doubled, .row = "all"})), "A A B B C C");
}

TEST(StatementFaults, ARowThatIsNotThereIsSaid) {
    EXPECT_EQ(names(made({.kind = Kind::missing, .row = "4"})), "there is no row 4: the day has 3");
    EXPECT_EQ(names(made({.kind = Kind::missing, .row = "0"})), "there is no row 0: the day has 3");
    EXPECT_EQ(names(made({.kind = Kind::missing, .row = "X"})), "there is no row of the idExterno X");
    EXPECT_EQ(names(made({.kind = Kind::missing, .row = "1234567890"})), "there is no row of the idExterno 1234567890");
}

TEST(StatementFaults, NumbersAreThoseBeforeAnyFault) {
    EXPECT_EQ(names(made({.rows = {{.kind = Kind::missing, .row = "1"}, {.kind = Kind::doubled, .row = "2"}}})),
              "B B C");
}

TEST(StatementFaults, ARowTwiceDoubledIsThereTwice) {
    EXPECT_EQ(names(made({.rows = {{.kind = Kind::doubled, .row = "1"}, {.kind = Kind::doubled, .row = "A"}}})),
              "A A B C");
}

TEST(StatementFaults, AmountAndStatusAreWhatTheyAreSaidToBe) {
    const auto statement = made({.rows = {{.kind = Kind::amount, .row = "1", .valor = 7},
                                          {.kind = Kind::status, .row = "C", .status = "ESTORNADA"}}});
    ASSERT_TRUE(statement);
    EXPECT_EQ(statement->rows[0].valor, 7);
    EXPECT_EQ(statement->rows[1].valor, 100);
    EXPECT_EQ(statement->rows[1].status, "EFETIVADA");
    EXPECT_EQ(statement->rows[2].status, "ESTORNADA");
}

TEST(StatementFaults, ARowOfADayOffIsInTheNeighboursStatement) {
    const RowFault later{.kind = Kind::day_later, .row = "A"};
    EXPECT_EQ(names(made(later)), "B C");
    const auto next = made(later, next_day);
    ASSERT_EQ(names(next), "A after");
    EXPECT_EQ(next->rows[0].at, noon_of(next_day) - 1h);
    const RowFault earlier{.kind = Kind::day_earlier, .row = "A"};
    EXPECT_EQ(names(made(earlier)), "B C");
    EXPECT_EQ(names(made(earlier, day_before)), "A before");
    EXPECT_EQ(names(made({.kind = Kind::day_later, .row = "1"})), "B C");
    EXPECT_EQ(names(made({.kind = Kind::day_earlier, .row = "after"})), "A B after C");
}

TEST(StatementFaults, HowARowIsWrittenIsTheRowsOwnMark) {
    const auto statement = made({.rows = {{.kind = Kind::swapped, .row = "1"},
                                          {.kind = Kind::three_decimals, .row = "2"},
                                          {.kind = Kind::cut, .row = "3"}}});
    ASSERT_TRUE(statement);
    const auto& rows = statement->rows;
    EXPECT_TRUE(rows[0].swapped && rows[1].three_decimals && rows[2].cut);
    EXPECT_FALSE(rows[1].swapped || rows[2].three_decimals || rows[0].cut);
}

TEST(StatementFaults, AnUnknownRowIsAmongTheDaysAndCanBeBentLikeThem) {
    const auto statement = made({.unknown = {{"X", "12345678", 4900}, {"Y", "12345678"}},
                                 .rows = {{.kind = Kind::status, .row = "Y", .status = "AUTORIZADA"}}});
    ASSERT_EQ(names(statement), "A B X Y C");
    const auto& x = statement->rows[2];
    const auto& y = statement->rows[3];
    EXPECT_EQ(x.status, "EFETIVADA");
    EXPECT_EQ(x.estabelecimento, "12345678");
    EXPECT_EQ(x.valor, 4900);
    EXPECT_EQ(y.status, "AUTORIZADA");
    EXPECT_TRUE(x.idTransacao != y.idTransacao && x.nsu != y.nsu);
    EXPECT_EQ(names(made({.unknown = {{"after"}}})), "there is a row already of the idExterno after");
    EXPECT_EQ(names(made({.unknown = {{"X"}, {"X"}}})), "there is a row already of the idExterno X");
}

TEST(StatementFaults, TheFirstLinesFaultsAreHandedOn) {
    const auto statement = made({.count = 9, .total = 1, .network = "0001", .day = next_day});
    ASSERT_TRUE(statement);
    EXPECT_EQ(names(statement), "A B C");
    EXPECT_EQ(statement->count, 9U);
    EXPECT_EQ(statement->total, 1);
    EXPECT_EQ(statement->network, "0001");
    EXPECT_EQ(statement->day, next_day);
}

}  // namespace
}  // namespace gateway::sandbox
