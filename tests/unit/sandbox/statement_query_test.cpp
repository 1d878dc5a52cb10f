#include "sandbox/statement_query.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

using namespace std::chrono_literals;

// It is two in the morning in UTC, and still the day before where the provider is.
constexpr WallTime asked_at{std::chrono::sys_days(std::chrono::year(2024) / 5 / 3) + 2h};
constexpr Day its_today(std::chrono::year(2024) / 5 / 2);

boost::system::result<StatementQuery, std::string> read(const Parameters& parameters,
                                                        StatementKind kind = StatementKind::file) {
    Options options;
    options.estabelecimentos = {"12345678", "2"};
    return read_statement_query(parameters, kind, options, asked_at);
}

std::string wrong(const Parameters& parameters, StatementKind kind = StatementKind::file) {
    const auto query = read(parameters, kind);
    return query ? "" : query.error();
}

TEST(StatementQuery, WithoutParametersItIsTodayAsItIs) {
    const auto query = read({});
    ASSERT_TRUE(query);
    EXPECT_EQ(query->day, its_today);
    EXPECT_EQ(query->written, its_today);
    EXPECT_TRUE(query->estabelecimentos.empty() && !query->only_sold);
    EXPECT_TRUE(query->faults.rows.empty() && query->faults.unknown.empty() && !query->faults.html);
    EXPECT_EQ(content_type(*query), "text/plain; charset=utf-8");
}

TEST(StatementQuery, FormAndDayAreAsAskedFor) {
    const auto query = read({{"day", "29022024"},
                             {"written", "2024-03-01"},
                             {"estabelecimento", "2"},
                             {"estabelecimento", "12345678"},
                             {"only", "sold"},
                             {"money", "comma"},
                             {"encoding", "latin1"},
                             {"eol", "crlf"}});
    ASSERT_TRUE(query) << query.error();
    EXPECT_EQ(query->day, Day(std::chrono::year(2024) / 2 / 29));
    EXPECT_EQ(query->written, Day(std::chrono::year(2024) / 3 / 1));
    EXPECT_EQ(query->estabelecimentos, (std::vector<std::string>{"2", "12345678"}));
    EXPECT_TRUE(query->only_sold);
    EXPECT_EQ(query->form.money, Money::comma);
    EXPECT_EQ(query->form.encoding, Encoding::latin_1);
    EXPECT_EQ(query->form.line_end, LineEnd::crlf);
    EXPECT_EQ(content_type(*query), "text/plain; charset=iso-8859-1");
}

TEST(StatementQuery, EveryRowFaultHasItsParameter) {
    using Kind = RowFault::Kind;
    const auto query = read({{"missing", "1"},
                             {"missing", "A"},
                             {"doubled", "2"},
                             {"day_later", "3"},
                             {"day_earlier", "4"},
                             {"swapped", "5"},
                             {"three_decimals", "6"},
                             {"money", "point"},
                             {"cut", "7"},
                             {"amount", "A:B:4999"},
                             {"status", "8:ESTORNADA"}});
    ASSERT_TRUE(query) << query.error();
    std::vector<Kind> kinds;
    for (const auto& fault : query->faults.rows)
        kinds.push_back(fault.kind);
    EXPECT_EQ(kinds, (std::vector{Kind::missing, Kind::missing, Kind::doubled, Kind::day_later, Kind::day_earlier,
                                  Kind::swapped, Kind::three_decimals, Kind::cut, Kind::amount, Kind::status}));
    EXPECT_EQ(query->faults.rows[1].row, "A");
    EXPECT_EQ(query->faults.rows[8].row, "A:B");
    EXPECT_EQ(query->faults.rows[8].valor, 4999);
    EXPECT_EQ(query->faults.rows[9].status, "ESTORNADA");
}

TEST(StatementQuery, EveryOtherFaultHasItsParameter) {
    const auto query = read({{"unknown", "X:4900"},
                             {"unknown", "Y"},
                             {"count", "7"},
                             {"total", "100"},
                             {"network", "0001"},
                             {"header_day", "2024-05-01"},
                             {"estabelecimento", "2"},
                             {"html", "yes"}});
    ASSERT_TRUE(query) << query.error();
    const auto& faults = query->faults;
    ASSERT_EQ(faults.unknown.size(), 2U);
    EXPECT_EQ(faults.unknown[0].idExterno, "X");
    EXPECT_EQ(faults.unknown[0].valor, 4900);
    EXPECT_EQ(faults.unknown[0].estabelecimento, "2");
    EXPECT_EQ(faults.unknown[1].idExterno, "Y");
    EXPECT_EQ(faults.count, 7U);
    EXPECT_EQ(faults.total, 100);
    EXPECT_EQ(faults.network, "0001");
    EXPECT_EQ(faults.day, Day(std::chrono::year(2024) / 5 / 1));
    EXPECT_EQ(content_type(*query), "text/html");
    EXPECT_TRUE(statement_text({}, *query).starts_with("<!doctype html>"));
    EXPECT_EQ(read({{"unknown", "X"}})->faults.unknown[0].estabelecimento, "12345678");
}

TEST(StatementQuery, WhatIsWrongIsSaidInWords) {
    EXPECT_EQ(wrong({{"day", "2024-02-30"}}), "day must be a day, such as 2026-11-20 or 20112026");
    EXPECT_EQ(wrong({{"only", "open"}}), "only must be sold");
    EXPECT_EQ(wrong({{"money", "reais"}}), "money must be cents or comma or point");
    EXPECT_EQ(wrong({{"encoding", "cp1252"}}), "encoding must be utf-8 or latin1");
    EXPECT_EQ(wrong({{"eol", "cr"}}), "eol must be lf or crlf");
    EXPECT_EQ(wrong({{"missing", ""}}), "missing must name a row");
    for (const auto* value : {"2", "2:", ":2", "2:-1", "2:4,99", "2:12345678901"})
        EXPECT_EQ(wrong({{"amount", value}}), "amount must be a row, a colon and an amount in cents, such as 2:4999");
    EXPECT_EQ(wrong({{"status", "2"}}), "status must be a row, a colon and a status, such as 2:CANCELADA");
    EXPECT_EQ(wrong({{"unknown", ""}}), "unknown must be an idExterno");
    EXPECT_EQ(wrong({{"count", "many"}}), "count must be a whole number");
    EXPECT_EQ(wrong({{"total", "1,00"}}), "total must be an amount in cents");
    EXPECT_EQ(wrong({{"html", "no"}}), "html must be yes");
    EXPECT_EQ(wrong({{"estabelecimento", "3"}}), "estabelecimento is not known: 3");
    EXPECT_EQ(wrong({{"three_decimals", "1"}}), "three_decimals needs money=comma or money=point");
    EXPECT_EQ(wrong({{"day", "2024-05-02"}, {"day", "2024-05-03"}}), "day is given twice");
    EXPECT_TRUE(wrong({{"mising", "1"}}).starts_with("unknown parameter \"mising\": there are day, estabelecimento, "));
}

TEST(StatementQuery, TheListHasNoFirstLineAndNoFormOfAFile) {
    for (const auto* name : {"encoding", "eol", "written", "count", "total", "network", "header_day"}) {
        EXPECT_TRUE(wrong({{name, "1"}}, StatementKind::list).starts_with("unknown parameter ")) << name;
        EXPECT_FALSE(wrong({{name, "1"}}).starts_with("unknown parameter ")) << name;
    }
    const auto query = read({{"missing", "1"}, {"only", "sold"}}, StatementKind::list);
    ASSERT_TRUE(query);
    EXPECT_EQ(content_type(*query), "application/json");
    EXPECT_EQ(statement_text({}, *query), "[\n]\n");
}

TEST(StatementQuery, TheHelpNamesEveryParameter) {
    const auto help = statement_help();
    const auto error = wrong({{"x", ""}});
    auto names = error.substr(error.find("there are ") + 10) + ", ";
    int count = 0;
    for (auto end = names.find(", "); end != std::string::npos; end = names.find(", ")) {
        EXPECT_NE(help.find("\n  " + names.substr(0, end) + "="), std::string::npos) << names;
        names.erase(0, end + 2);
        ++count;
    }
    EXPECT_EQ(count, 22);
}

}  // namespace
}  // namespace gateway::sandbox
