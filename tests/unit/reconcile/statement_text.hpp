// Makes statements for tests: with the published header, and detail lines of a made-up record.
#pragma once

#include "reconcile/statement_reader.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::test {

inline constexpr std::string_view some_id = "01J0ABCDEF0123456789ABCDEF";
inline constexpr std::string_view other_id = "01J0ABCDEF0123456789ABCDEG";
inline constexpr std::string_view third_id = "01J0ABCDEF0123456789ABCDEH";

inline const Day some_day{std::chrono::year(2026), std::chrono::month(11), std::chrono::day(20)};
inline const Day next_day{std::chrono::year(2026), std::chrono::month(11), std::chrono::day(21)};

// Reads a clock that is three hours behind UTC.
inline WallTime in_brasilia(LocalTime local) {
    return WallTime(local.time_since_epoch() + std::chrono::hours(3));
}

// 1;<idExterno>;<idTransacao>;<nsu>;<estabelecimento>;<valor>;<situacao>;<dataHora>;
inline StatementFormat usual_format() {
    StatementFormat format;
    format.detail_column = 1;
    format.detail_text = "1";
    format.columns = {
        .id_externo = 2, .id_transacao = 3, .nsu = 4, .valor = 6, .status = 7, .data_hora = 8, .estabelecimento = 5};
    return format;
}

inline std::string header_line(std::string_view count, std::string_view total) {
    return "0;1234;REDE UM;;21112026;20112026;" + std::string(count) + ";" + std::string(total) + ";12;34;\n";
}

inline std::string detail_line(std::string_view id_externo, std::string_view valor,
                               std::string_view status = "EFETIVADA") {
    return "1;" + std::string(id_externo) + ";T-1;77;12345678;" + std::string(valor) + ";" + std::string(status) +
           ";2026-11-20T10:11:12-03:00;\n";
}

struct StatementReading {
    std::optional<StatementHeader> header;
    std::vector<StatementRow> rows;
    std::string error;  // empty: there is none
};

// Reads a text that comes in pieces of `piece` bytes.
inline StatementReading read_statement(std::string_view text, const StatementFormat& format = usual_format(),
                                       std::size_t piece = 4096) {
    StatementReader reader(format, in_brasilia);
    StatementReading reading;
    for (auto rest = text; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size())))
        if (reader.take(rest.substr(0, piece), reading.rows)) break;
    if (const auto error = reader.finish(reading.rows)) reading.error = error->message;
    reading.header = reader.header();
    return reading;
}

// Returns the rows of a text that must be good.
inline std::vector<StatementRow> good_rows(std::string_view text, const StatementFormat& format = usual_format()) {
    auto reading = read_statement(text, format);
    EXPECT_EQ(reading.error, "");
    return reading.rows;
}

// Returns the only row of a header and this line.
inline StatementRow row_of(std::string_view line, const StatementFormat& format = usual_format()) {
    const auto rows = good_rows(header_line("1", "1") + std::string(line), format);
    EXPECT_EQ(rows.size(), 1U);
    return rows.empty() ? StatementRow{} : rows.front();
}

// Returns what is wrong with this line below a header.
inline std::string error_of(std::string_view line, const StatementFormat& format = usual_format()) {
    return read_statement(header_line("1", "1") + std::string(line), format).error;
}

}  // namespace gateway::test
