// How a statement of the provider is to be read: plain data, as the configuration has it. Only the header of the file
// is publicly known; which column has what, in which unit and by which words, a store learns from its provider.
#pragma once

#include "sale/sale.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

enum class StatementEncoding { utf8, latin1 };
// How an amount is written: as a whole number of cents, or with its two decimals behind a comma or a point.
enum class AmountUnit { cents, comma, point };
// Whose sales the statement has: those of a whole network of stores, or what this gateway sells and nothing else.
enum class StatementCovers { network, this_gateway };
// The rows that count and total of the header are about.
enum class CountedRows { sold, all };

// More columns than any record of a sale has; a line that has more is of another kind of file.
constexpr std::int64_t max_statement_columns = 64;

// The columns of a detail line, counted from 1; nothing where the line has no such field.
struct StatementColumns {
    std::optional<std::int64_t> id_externo;
    std::optional<std::int64_t> id_transacao;
    std::optional<std::int64_t> nsu;
    std::optional<std::int64_t> valor;
    std::optional<std::int64_t> status;  // without it the source lists what is sold, and nothing else
    std::optional<std::int64_t> data_hora;
    std::optional<std::int64_t> estabelecimento;
};

// The columns that there are, by the names that the provider and the configuration give to the fields.
struct NamedColumn {
    std::string_view name;
    std::int64_t column;
};
std::vector<NamedColumn> named_columns(const StatementColumns& columns);

// The provider's words for each status, letter by letter.
struct StatementWords {
    std::vector<std::string> efetivada{"EFETIVADA"};
    std::vector<std::string> cancelada{"CANCELADA"};
    std::vector<std::string> negada{"NEGADA"};
    std::vector<std::string> autorizada{"AUTORIZADA"};
};
std::optional<Status> status_in(const StatementWords& words, std::string_view word);

// What stands between two fields: one character of UTF-8, perhaps the tab.
struct Separator : std::string {
    using std::string::string;
    using std::string::operator=;
};

struct StatementFormat {
    StatementEncoding encoding = StatementEncoding::utf8;
    Separator separator = ";";
    // What a detail line is told by. Without a column only the header is read, and every other line is passed over.
    std::optional<std::int64_t> detail_column;
    std::string detail_text;
    std::vector<std::string> ignored;  // first fields of lines that are neither: a trailer's
    StatementColumns columns;
    AmountUnit money = AmountUnit::cents;
    std::optional<AmountUnit> header_money;  // nothing: guessed by agreement with what it is the total of
    CountedRows counts = CountedRows::sold;
    StatementWords words;
    std::string time = "rfc3339";  // of data_hora: see local_time_text.hpp
    bool any_id = false;           // whether an idExterno may be another than one of ours could be
    StatementCovers covers = StatementCovers::network;
    std::string network;  // the code of the network, as the header has it; empty: any

    bool reads_rows() const noexcept { return detail_column.has_value(); }
    // Whether what is not sold does not stand in it.
    bool lists_sold_only() const noexcept { return !columns.status; }
};

// SHA-256 of all that says how a statement is read: what is different here is read differently.
std::string reading_of(const StatementFormat& format);

// Words as the configuration has them.
std::string_view to_string(AmountUnit unit) noexcept;
std::optional<StatementEncoding> parse_statement_encoding(std::string_view text) noexcept;
std::optional<AmountUnit> parse_amount_unit(std::string_view text) noexcept;
std::optional<StatementCovers> parse_statement_covers(std::string_view text) noexcept;
std::optional<CountedRows> parse_counted_rows(std::string_view text) noexcept;

}  // namespace gateway
