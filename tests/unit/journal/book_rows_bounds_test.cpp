// What a row of the books may hold: each column on the last value that makes sense, and on the first one that does not.
#include "journal/book_rows.hpp"
#include "unit/journal/written_row.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace gateway::test {
namespace {

using Cell = WrittenRow::Value;
using Blob = WrittenRow::Blob;
using Altered = std::vector<std::pair<int, Cell>>;

constexpr std::int64_t greatest_int = std::numeric_limits<int>::max();

std::int64_t number(std::int64_t it) {
    return it;
}
WrittenRow altered(WrittenRow row, const Altered& columns) {
    for (const auto& [column, value] : columns)
        row.columns[column] = value;
    return row;
}
// Replaces each text of the row with the same bytes as a blob, and checks that it is then refused.
void no_text_may_be_a_blob(const WrittenRow& row, const std::vector<int>& columns, const auto& is_read) {
    for (const int column : columns)
        EXPECT_FALSE(is_read(altered(row, {{column, Blob{std::string(row.text(column))}}}))) << "column " << column;
}
void are_refused(const WrittenRow& row, const std::vector<Altered>& all, const auto& is_read) {
    ASSERT_TRUE(is_read(row));
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_FALSE(is_read(altered(row, all[i]))) << "row " << i;
}
void are_read(const WrittenRow& row, const std::vector<Altered>& all, const auto& is_read) {
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_TRUE(is_read(altered(row, all[i]))) << "row " << i;
}

std::string attempts(std::string_view latest_state, std::string_view id = "01JD3W4Q8Y0000000000000002") {
    return std::string(R"([{"idExterno":"01JD3W4Q8Y0000000000000003","state":"unsent"},{"idExterno":")")
        .append(id)
        .append(R"(","state":")")
        .append(latest_state)
        .append(R"("}])");
}
WrittenRow day_sale() {
    WrittenRow row;
    row.columns = {{0, "01JD3W4Q8Y0000000000000001"},
                   {1, "till"},
                   {3, "12345678"},
                   {4, "TV"},
                   {5, "tv"},
                   {6, number(4990)},
                   {7, "EFETIVADA"},
                   {8, "2026-11-20"},
                   {10, attempts("sold")},
                   {11, number(1)}};
    return row;
}
std::optional<DaySale> read_sale_of(const WrittenRow& row) {
    FieldCipher cipher;
    rows::FieldReader fields(cipher);
    return rows::read_day_sale(row, fields);
}

TEST(BookRowBounds, ASaleOfADayIsReadFromItsColumns) {
    const auto sale = read_sale_of(altered(day_sale(), {{9, "2026-11-22"}}));
    ASSERT_TRUE(sale);
    EXPECT_EQ(sale->id_externo, "01JD3W4Q8Y0000000000000002");
    EXPECT_EQ(sale->produto, "TV");
    EXPECT_TRUE(sale->retried);
    EXPECT_TRUE(sale->late);
    const auto once =
        read_sale_of(altered(day_sale(), {{10, R"([{"idExterno":"01JD3W4Q8Y0000000000000002","state":"sold"}])"}}));
    ASSERT_TRUE(once);
    EXPECT_FALSE(once->retried);
    EXPECT_FALSE(once->late);
}

TEST(BookRowBounds, ASaleOfADayIsFinalAndMakesSense) {
    const auto is_read = [](const WrittenRow& row) { return read_sale_of(row).has_value(); };
    are_refused(day_sale(),
                {{{0, "no id"}},
                 {{5, "x"}},
                 {{6, number(-1)}},
                 {{6, "x"}},
                 {{7, "x"}},
                 {{7, "AUTORIZADA"}, {10, attempts("confirming")}},
                 {{8, "x"}},
                 {{10, attempts("x")}},
                 {{10, attempts("cancelled")}},
                 {{10, attempts("sold", "")}}},
                is_read);
    no_text_may_be_a_blob(day_sale(), {1, 3, 4}, is_read);
    are_read(day_sale(),
             {{{6, number(0)}}, {{7, "CANCELADA"}, {10, attempts("cancelled")}}, {{7, "NEGADA"}, {12, "{}"}}}, is_read);
}

WrittenRow close_row() {
    WrittenRow row;
    row.columns = {{0, "12345678"}, {1, number(1)}, {2, number(7)}, {3, "2026-11-20"},        {4, number(1000)},
                   {5, "maria"},    {6, "[]"},      {7, "{}"},      {8, std::string(64, 'a')}};
    return row;
}

TEST(BookRowBounds, ACloseIsFinishedOrNotAndMakesSense) {
    const auto is_read = [](const WrittenRow& row) { return rows::read_close(row).has_value(); };
    are_refused(close_row(),
                {{{1, number(0)}},
                 {{1, greatest_int + 1}},
                 {{2, number(0)}},
                 {{2, greatest_int + 1}},
                 {{3, "x"}},
                 {{6, "{}"}},
                 {{7, "[]"}},
                 {{7, "{"}},
                 {{7, {}}},
                 {{8, {}}},
                 {{8, std::string(63, 'a')}},
                 {{8, std::string(65, 'a')}},
                 {{8, std::string(63, 'a') + "g"}}},
                is_read);
    no_text_may_be_a_blob(close_row(), {0, 3, 5, 6, 7, 8}, is_read);
    are_read(close_row(), {{{1, greatest_int}, {2, greatest_int}}, {{1, number(1)}, {2, number(1)}}}, is_read);
    const auto unfinished = rows::read_close(altered(close_row(), {{7, {}}, {8, {}}}));
    ASSERT_TRUE(unfinished);
    EXPECT_FALSE(unfinished->totals || unfinished->digest);
}

WrittenRow statement_row() {
    WrittenRow row;
    row.columns = {{0, number(40)},   {1, "2026-11-20"}, {2, "file"},     {3, "4711"},     {4, "digest"},
                   {5, "reading"},    {6, number(1000)}, {7, "maria"},    {8, "cents"},    {9, number(0)},
                   {10, number(101)}, {11, number(102)}, {12, number(0)}, {13, number(39)}};
    return row;
}

TEST(BookRowBounds, AStatementIsReadFromItsColumns) {
    const auto is_read = [](const WrittenRow& row) { return rows::read_statement(row).has_value(); };
    no_text_may_be_a_blob(statement_row(), {1, 2, 3, 4, 5, 7, 8}, is_read);
    are_refused(statement_row(), {{{9, number(-1)}}, {{10, number(-1)}}, {{11, number(-1)}}, {{12, number(-1)}}},
                is_read);
    const auto read = rows::read_statement(statement_row());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->matched, 101);
    EXPECT_EQ(read->others, 102);
    EXPECT_EQ(read->findings, 0);
    EXPECT_EQ(read->replaced, 39);
    EXPECT_FALSE(read->superseded) << "nobody knows which one counts now";
    EXPECT_FALSE(rows::read_statement(altered(statement_row(), {{14, number(40)}}))->superseded);
    EXPECT_EQ(rows::read_statement(altered(statement_row(), {{14, number(41)}}))->superseded, 41);
}

WrittenRow finding_row() {
    WrittenRow row;
    row.columns = {{0, number(5)},     {1, number(40)},   {2, "2026-11-20"}, {3, "sold_there"}, {5, "A1"},
                   {6, "T1"},          {7, "9"},          {8, "12345678"},   {9, number(0)},    {10, "CANCELADA"},
                   {11, number(2500)}, {12, "EFETIVADA"}, {13, number(0)},   {14, "detail"},    {15, "person"},
                   {16, number(0)},    {17, "effect"},    {18, number(1000)}};
    return row;
}

TEST(BookRowBounds, AFindingIsReadFromItsColumns) {
    const auto read = [](const WrittenRow& row) {
        FieldCipher cipher;
        rows::FieldReader fields(cipher);
        auto finding = rows::read_finding(row, fields);
        EXPECT_NE(finding.has_value(), !fields.unreadable().empty());
        return finding;
    };
    const auto is_read = [&](const WrittenRow& row) { return read(row).has_value(); };
    const Altered closed{{19, number(1000)}, {20, "resolved"}, {21, "rita"}, {22, "n"}};
    const auto whole = read(finding_row());
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->ours, (Saying{.valor = Cents{0}, .status = Status::CANCELADA}));
    EXPECT_EQ(whole->nsu, "9");
    EXPECT_FALSE(whole->sale || whole->closed);
    no_text_may_be_a_blob(finding_row(), {2, 5, 6, 7, 8, 14, 17}, is_read);
    are_refused(finding_row(),
                {{{4, ""}},
                 {{9, number(-1)}},
                 {{9, {}}},
                 {{10, {}}},
                 {{11, {}}},
                 {{12, {}}},
                 {{13, "1"}},
                 {{13, number(-1)}},
                 {{16, "1"}},
                 {{19, number(1000)}},
                 {{19, number(1000)}, {21, "rita"}},
                 {{20, "resolved"}},
                 {{19, number(1000)}, {20, "resolved"}}},
                is_read);
    are_read(finding_row(), {closed, {{21, "rita"}}, {{9, {}}, {10, {}}}, {{4, "01JD3W4Q8Y0000000000000001"}}},
             is_read);
    EXPECT_EQ(read(altered(finding_row(), closed))->closed->note, "n");
    EXPECT_EQ(read(altered(finding_row(), {{22, "n"}}))->note, "n");
}

TEST(BookRowBounds, AFindingIsNamedByTheBestOfItsIds) {
    Finding finding;
    EXPECT_EQ(rows::subject_of(finding), "");
    finding.estabelecimento = "12345678";
    EXPECT_EQ(rows::subject_of(finding), "");
    finding.nsu = "9";
    EXPECT_EQ(rows::subject_of(finding), "nsu 9 12345678");
    finding.id_transacao = "T1";
    EXPECT_EQ(rows::subject_of(finding), "idTransacao T1");
    finding.id_externo = "A1";
    EXPECT_EQ(rows::subject_of(finding), "A1");
}

TEST(BookRowBounds, APlaceAmongTheDaysIsReadAsItWasWrittenAndNothingElseIs) {
    const rows::DayPlace place{.day = std::chrono::year(2026) / 11 / 20, .estabelecimento = "1:2", .id = "a:b"};
    EXPECT_EQ(rows::written(place), "2026-11-203:a:b1:2");
    const auto read = rows::place_of(rows::written(place));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->day, place.day);
    EXPECT_EQ(read->id, "a:b");
    EXPECT_EQ(read->estabelecimento, "1:2");
    EXPECT_TRUE(rows::place_of("2026-11-203:abc")) << "an establishment may be empty";
    for (const auto* text : {"", "2026-11-2", "2026-11-20", "2026-11-20:", "2026-11-20x:", "2026-11-201xab",
                             "2026-11-204:abc", "2026-11-2099999999999999999999:"})
        EXPECT_FALSE(rows::place_of(text)) << text;
    EXPECT_FALSE(rows::place_of(std::string_view("2026-11-200:").substr(0, 11))) << "the colon is past its end";
}

TEST(BookRowBounds, AnOpenSaleIsToldAsFarAsItCanBeRead) {
    rows::OpenSalesText text;
    WrittenRow row;
    row.columns = {{0, "id"}, {1, attempts("held", "E")}, {2, "tv"}, {3, number(4990)}, {4, "AUTORIZADA"}};
    text.add(row);
    text.add(altered(row, {{1, "["}, {3, "x"}}));
    EXPECT_EQ(text.finish(), R"([{"id":"id","idExterno":"E","family":"tv","valor":4990,"status":"AUTORIZADA"},)"
                             R"({"id":"id","idExterno":"","family":"tv","valor":0,"status":"AUTORIZADA"}])");
}

}  // namespace
}  // namespace gateway::test
