#include "reconcile/statement_checks.hpp"

#include "unit/reconcile/statement_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

namespace gateway::test {
namespace {

StatementHeader some_header(std::int64_t count, std::string total) {
    return {.network = "1234", .written = next_day, .movement = some_day, .count = count, .total = std::move(total)};
}

StatementRow some_row(std::size_t line, std::string_view id, std::int64_t cents, Status status = Status::EFETIVADA) {
    return {.line = line, .id_externo = std::string(id), .valor = Cents{cents}, .status = status};
}

// Makes a sum of 3000 sold in two rows, and 500 not sold.
StatementTally three_rows() {
    StatementTally tally;
    tally.add(some_row(2, some_id, 1000));
    tally.add(some_row(3, other_id, 500, Status::CANCELADA));
    tally.add(some_row(4, third_id, 2000));
    return tally;
}

FileChecks checks_of(const StatementHeader& header, StatementTally tally = three_rows(),
                     const StatementFormat& format = usual_format(), std::optional<Day> asked = some_day) {
    return check_file(header, format, tally, asked);
}

std::string only_finding(const FileChecks& checks) {
    EXPECT_EQ(checks.findings.size(), 1U);
    if (checks.findings.empty()) return "";
    return std::string(to_string(checks.findings[0].kind)) + ": " + checks.findings[0].detail;
}

TEST(StatementChecks, FileThatHoldsHasNoFinding) {
    EXPECT_TRUE(checks_of(some_header(2, "3000")).findings.empty());
    auto all = usual_format();
    all.counts = CountedRows::all;
    EXPECT_TRUE(checks_of(some_header(3, "3500"), three_rows(), all).findings.empty());
    EXPECT_FALSE(checks_of(some_header(3, "3500")).findings.empty()) << "not sold is not counted";
    EXPECT_TRUE(checks_of(some_header(0, "0"), {}).findings.empty());
}

TEST(StatementChecks, UnitOfTheTotalIsGuessedByAgreementAndSaid) {
    EXPECT_EQ(checks_of(some_header(2, "3000")).header_unit, AmountUnit::cents);
    EXPECT_EQ(checks_of(some_header(2, "30,00")).header_unit, AmountUnit::comma);
    EXPECT_EQ(checks_of(some_header(2, "30.00")).header_unit, AmountUnit::point);
    const auto none = checks_of(some_header(2, "3001"));
    EXPECT_FALSE(none.header_unit);
    EXPECT_EQ(
        only_finding(none),
        "total_differs: the header's total is \"3001\", which in any unit is not R$ 30,00, what its rows that are "
        "sold make");
    auto configured = usual_format();
    configured.header_money = AmountUnit::comma;
    EXPECT_TRUE(checks_of(some_header(2, "30,00"), three_rows(), configured).findings.empty());
    EXPECT_EQ(
        only_finding(checks_of(some_header(2, "3000"), three_rows(), configured)),
        "total_differs: the header's total is \"3000\", which in comma is not R$ 30,00, what its rows that are sold "
        "make");
}

TEST(StatementChecks, CountMustBeThatOfTheRows) {
    EXPECT_EQ(only_finding(checks_of(some_header(3, "3000"))),
              "count_differs: the header counts 3, and its rows that are sold make 2: is the file cut?");
}

TEST(StatementChecks, DayIsTheOneThatWasAskedForAndHasBegun) {
    EXPECT_TRUE(checks_of(some_header(2, "3000"), three_rows(), usual_format(), std::nullopt).findings.empty());
    EXPECT_EQ(only_finding(checks_of(some_header(2, "3000"), three_rows(), usual_format(), next_day)),
              "wrong_day: it is of 2026-11-20, and was taken for that of 2026-11-21");
    auto early = some_header(2, "3000");
    early.movement = next_day;
    early.written = some_day;
    EXPECT_EQ(only_finding(checks_of(early, three_rows(), usual_format(), std::nullopt)),
              "wrong_day: it says that it was written on 2026-11-20, before its movement day, 2026-11-21");
}

TEST(StatementChecks, NetworkIsTheConfiguredOne) {
    auto format = usual_format();
    format.network = "1234";
    EXPECT_TRUE(checks_of(some_header(2, "3000"), three_rows(), format).findings.empty());
    format.network = "4321";
    EXPECT_EQ(only_finding(checks_of(some_header(2, "3000"), three_rows(), format)),
              "wrong_network: it is of \"1234\", not \"4321\"");
}

TEST(StatementChecks, TwoRowsOfOneAttemptAreNamedByTheirLines) {
    auto tally = three_rows();
    tally.add(some_row(7, third_id, 0, Status::CANCELADA));
    tally.add(some_row(6, some_id, 0, Status::CANCELADA));
    EXPECT_EQ(tally.twins(), std::pair(std::size_t{2}, std::size_t{6}));
    EXPECT_EQ(only_finding(checks_of(some_header(2, "3000"), tally)),
              "unreadable_line: line 6 is about the same attempt as line 2");
    EXPECT_EQ(checks_of(some_header(2, "3000"), tally).findings.at(0).line, 6U);
    EXPECT_FALSE(three_rows().twins());
}

TEST(StatementChecks, TwinsAreLookedForInPartsAndAreTheSame) {
    constexpr std::size_t many = 2'000;
    StatementTally tally;
    for (std::size_t line = many; line > 0; --line)
        tally.add(some_row(line, fmt::format("A{}", line % (many - 3)), 1));
    constexpr std::size_t at_once = 500;
    int parts = 1;
    while (tally.look_for_twins(at_once))
        ++parts;
    EXPECT_EQ(parts, 4);
    EXPECT_EQ(tally.twins(), std::pair(std::size_t{1}, many - 2)) << "the first of three pairs";
}

TEST(StatementChecks, RowsAreOfOneAttemptByTheIdThatTheyAreMatchedBy) {
    const auto are_twins = [](StatementRow one, StatementRow other) {
        StatementTally tally;
        one.line = 2;
        other.line = 3;
        tally.add(one);
        tally.add(other);
        return tally.twins().has_value();
    };
    EXPECT_TRUE(are_twins({.id_externo = "A", .nsu = "1"}, {.id_externo = "A", .nsu = "2"}));
    EXPECT_FALSE(are_twins({.id_externo = "A", .id_transacao = "T"}, {.id_externo = "B", .id_transacao = "T"}));
    EXPECT_TRUE(
        are_twins({.id_transacao = "T", .estabelecimento = "1"}, {.id_transacao = "T", .estabelecimento = "2"}));
    EXPECT_FALSE(are_twins({.id_transacao = "A"}, {.id_externo = "A"}));
    EXPECT_TRUE(are_twins({.nsu = "7", .estabelecimento = "1"}, {.nsu = "7", .estabelecimento = "1"}));
    EXPECT_FALSE(are_twins({.nsu = "7", .estabelecimento = "1"}, {.nsu = "7", .estabelecimento = "2"}))
        << "every establishment has its own";
}

TEST(StatementChecks, SumThatDoesNotFitAgreesWithNothing) {
    StatementTally tally;
    tally.add(some_row(2, some_id, std::numeric_limits<std::int64_t>::max()));
    tally.add(some_row(3, other_id, 1));
    EXPECT_EQ(tally.sold().count, 2);
    EXPECT_FALSE(tally.sold().total);
    EXPECT_EQ(only_finding(checks_of(some_header(2, "0"), tally)),
              "total_differs: the header's total is \"0\", which in any unit is not more than can be counted, what its "
              "rows that are sold make");
}

TEST(StatementChecks, HeaderAloneIsComparedWithOursWhereItCoversNoOthers) {
    auto format = StatementFormat{};
    const CountAndTotal ours{.count = 2, .total = Cents{3000}};
    StatementTally none;
    EXPECT_TRUE(check_file(some_header(9, "1"), format, none, some_day).findings.empty()) << "no rows are read";
    EXPECT_TRUE(check_against_ours(some_header(9, "1"), format, ours).findings.empty()) << "others' are in it";
    format.covers = StatementCovers::this_gateway;
    const auto agreeing = check_against_ours(some_header(2, "30,00"), format, ours);
    EXPECT_TRUE(agreeing.findings.empty());
    EXPECT_EQ(agreeing.header_unit, AmountUnit::comma);
    EXPECT_EQ(only_finding(check_against_ours(some_header(3, "3000"), format, ours)),
              "count_differs: the header counts 3, and our sales make 2");
    EXPECT_EQ(only_finding(check_against_ours(some_header(2, "3500"), format, ours)),
              "total_differs: the header's total is \"3500\", which in any unit is not R$ 30,00, what our sales make");
}

TEST(StatementChecks, UnreadableLineIsAFindingOfItsFile) {
    EXPECT_EQ(finding_of({17, "line 17, field 4 (valor): \"12,345\" is wrong", "line 17, field 4 (valor): is wrong"}),
              (FileFinding{FindingKind::unreadable_line, "line 17, field 4 (valor): \"12,345\" is wrong",
                           "line 17, field 4 (valor): is wrong", 17}));
}

TEST(StatementChecks, WhatStandsInTheFileIsLeftOutOfTheWordsForTheLog) {
    auto format = usual_format();
    format.network = "4711";
    auto header = some_header(11144477735, "11144477735");
    header.network = "Genoveva";
    StatementTally one;
    one.add(some_row(2, some_id, 11144477735));
    for (const auto& total : {"11144477735", "11144477736"}) {
        header.total = total;
        const auto checks = checks_of(header, one, format);
        EXPECT_GE(checks.findings.size(), 2U);
        for (const auto& finding : checks.findings) {
            EXPECT_FALSE(finding.unquoted.empty());
            for (const auto* const secret : {"Genoveva", "111444777", "111.444.777"})
                EXPECT_EQ(finding.unquoted.find(secret), std::string::npos) << finding.unquoted;
        }
    }
}

}  // namespace
}  // namespace gateway::test
