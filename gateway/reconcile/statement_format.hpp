// Says how a statement of the provider is read: plain data, as the configuration has it. Only the header of the file is
// publicly known. A store learns from its provider which column has what, in which unit and with which words.
#pragma once

#include "sale/sale.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

enum class StatementEncoding { utf8, latin1 };
// An amount is written as a whole number of cents, or with two decimals after a comma or a point.
enum class AmountUnit { cents, comma, point };
// Says whose sales the statement has: those of a whole network of stores, or only what this gateway sells.
enum class StatementCovers { network, this_gateway };
// The header's count and total are about these rows.
enum class CountedRows { sold, all };

// No record of a sale has more columns. A line that has more belongs to another kind of file.
constexpr std::int64_t max_statement_columns = 64;

// These are the columns of a detail line, counted from 1. A column that the line does not have is nothing.
struct StatementColumns {
    std::optional<std::int64_t> id_externo;
    std::optional<std::int64_t> id_transacao;
    std::optional<std::int64_t> nsu;
    std::optional<std::int64_t> valor;
    std::optional<std::int64_t> status;  // without it the statement lists only what is sold
    std::optional<std::int64_t> data_hora;
    std::optional<std::int64_t> estabelecimento;
};

// Names one column as the provider and the configuration name the field.
struct NamedColumn {
    std::string_view name;
    std::int64_t column;
};
std::vector<NamedColumn> named_columns(const StatementColumns& columns);

// These are the provider's words for each status. They must match letter by letter.
struct StatementWords {
    std::vector<std::string> efetivada{"EFETIVADA"};
    std::vector<std::string> cancelada{"CANCELADA"};
    std::vector<std::string> negada{"NEGADA"};
    std::vector<std::string> autorizada{"AUTORIZADA"};
};
std::optional<Status> status_in(const StatementWords& words, std::string_view word);

// Separates two fields. It is one character of UTF-8, which may be the tab.
struct Separator : std::string {
    using std::string::string;
    using std::string::operator=;
};

struct StatementFormat {
    StatementEncoding encoding = StatementEncoding::utf8;
    Separator separator = ";";
    // A detail line has this text in this column. Without a column only the header is read, and every other line is
    // ignored.
    std::optional<std::int64_t> detail_column;
    std::string detail_text;
    // These are the first fields of lines that are neither header nor detail, such as a trailer.
    std::vector<std::string> ignored;
    StatementColumns columns;
    AmountUnit money = AmountUnit::cents;
    // The header's total has this unit. If none is set, it is guessed: it is the one in which the total agrees.
    std::optional<AmountUnit> header_money;
    CountedRows counts = CountedRows::sold;
    StatementWords words;
    std::string time = "rfc3339";  // the pattern of data_hora: see local_time_text.hpp
    bool any_id = false;           // an idExterno may be one that this gateway could not have made
    StatementCovers covers = StatementCovers::network;
    std::string network;  // the code of the network in the header; empty if any may come

    bool reads_rows() const noexcept { return detail_column.has_value(); }
    bool lists_sold_only() const noexcept { return !columns.status; }
};

// Returns the SHA-256 of everything that says how a statement is read: if it differs, statements are read differently.
std::string reading_of(const StatementFormat& format);

// These give, and read, the words of the configuration.
std::string_view to_string(AmountUnit unit) noexcept;
std::optional<StatementEncoding> parse_statement_encoding(std::string_view text) noexcept;
std::optional<AmountUnit> parse_amount_unit(std::string_view text) noexcept;
std::optional<StatementCovers> parse_statement_covers(std::string_view text) noexcept;
std::optional<CountedRows> parse_counted_rows(std::string_view text) noexcept;

}  // namespace gateway
