#include "journal/copy/tables.hpp"

#include "base/utf8.hpp"
#include "journal/encrypted_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace gateway::moving {
namespace {

using enum Column::Kind;

// Those among them that the journal may encrypt are told by its own list.
template <const auto& Fields, std::size_t Count>
consteval auto columns_with(const Column (&plain)[Count]) {
    auto columns = std::to_array(plain);
    for (auto& column : columns)
        if (encrypted::is_encrypted(Fields, column.name)) column.kind = sealed;
    return columns;
}

constexpr auto sales_columns = columns_with<encrypted::of_sale>({
    {"n", big},
    {"id", text},
    {"terminal", text},
    {"key", text},
    {"digest", text},
    {"family", text},
    {"mode", text},
    {"estabelecimento", text},
    {"produto", text},
    {"fornecedor", text},
    {"valor", big},
    {"segment", text},
    {"request", text},
    {"callback_hash", text},
    {"redemption", text},
    {"created_at", big},
    {"updated_at", big},
    {"status", text},
    {"settled", small},
    {"attention", text},
    {"reason", text},
    {"words", text},
    {"facts", text},
    {"goods", text},
    {"esim", text},
    {"receipts", big},
    {"attempts", text},
    {"recorded_at", big},
    {"story", text},
    {"cashier", text},
    {"duplicate_hash", text},
    {"day", text},
    {"late_day", text},
});
constexpr std::array id_externos_columns{Column{"id_externo", text}, Column{"sale", text}};
constexpr std::array id_prefixes_columns{Column{"prefix", text}, Column{"used_at", big}};
constexpr std::array cancelled_keys_columns{Column{"terminal", text}, Column{"key", text},
                                            Column{"at", big, "cancelled_at"}};
constexpr auto notes_columns = columns_with<encrypted::of_note>({{"n", big}, {"sale", text}, {"note", text}});
constexpr auto callbacks_columns = columns_with<encrypted::of_callback>(
    {{"n", big}, {"received_at", big}, {"sale", text}, {"kind", text}, {"valid", small}, {"body", text}});
constexpr auto token_columns = columns_with<encrypted::of_token>(
    {{"one", small}, {"access", text}, {"refresh", text}, {"obtained_at", big}, {"expires_at", big}, {"owner", text}});
constexpr std::array erasure_columns{Column{"one", small}, Column{"done_until", text}};
constexpr std::array erase_later_columns{Column{"sale", text}, Column{"met_at", big}};
constexpr std::array sealing_keys_columns{Column{"name", text}, Column{"current", small}, Column{"done_until", text}};
constexpr auto duplicate_key_columns = columns_with<encrypted::of_duplicate_key>({{"one", small}, {"key", text}});
constexpr std::array dating_columns{Column{"one", small}, Column{"done_down_to", big}};
constexpr std::array closes_columns{
    Column{"estabelecimento", text}, Column{"number", middle}, Column{"series", middle}, Column{"day", text},
    Column{"made_at", big},          Column{"made_by", text},  Column{"open", text},     Column{"totals", text},
    Column{"digest", text}};
constexpr std::array close_series_columns{Column{"one", small}, Column{"series", middle}};
constexpr std::array statements_columns{Column{"id", big},       Column{"day", text},     Column{"source", text},
                                        Column{"network", text}, Column{"digest", text},  Column{"reading", text},
                                        Column{"read_at", big},  Column{"read_by", text}, Column{"header_money", text},
                                        Column{"rows", big},     Column{"matched", big},  Column{"others", big},
                                        Column{"findings", big}, Column{"replaced", big}};
constexpr auto findings_columns = columns_with<encrypted::of_finding>({{"number", big},      {"statement", big},
                                                                       {"day", text},        {"kind", text},
                                                                       {"subject", text},    {"sale", text},
                                                                       {"id_externo", text}, {"id_transacao", text},
                                                                       {"nsu", text},        {"estabelecimento", text},
                                                                       {"our_valor", big},   {"our_status", text},
                                                                       {"their_valor", big}, {"their_status", text},
                                                                       {"line", big},        {"detail", text},
                                                                       {"asks", text},       {"pending", small},
                                                                       {"effect", text},     {"opened_at", big},
                                                                       {"closed_at", big},   {"closed_as", text},
                                                                       {"closed_by", text},  {"note", text}});

constexpr std::array tables{
    Table{"sales", sales_columns, 1, true},
    Table{"id_externos", id_externos_columns, 1, true},
    Table{"cancelled_keys", cancelled_keys_columns, 2, true, "keys", "sale IS NULL"},
    Table{"notes", notes_columns, 1, true},
    Table{"callbacks", callbacks_columns, 1, true},
    Table{"closes", closes_columns, 3, true},
    Table{"statements", statements_columns, 1, true},
    Table{"findings", findings_columns, 1, true},
    Table{"id_prefixes", id_prefixes_columns, 1, false},
    Table{"token", token_columns, 1, false, nullptr, "access IS NOT NULL"},
    Table{"erasure", erasure_columns, 1, false},
    Table{"erase_later", erase_later_columns, 1, false},
    Table{"sealing_keys", sealing_keys_columns, 1, false},
    Table{"duplicate_key", duplicate_key_columns, 1, false},
    Table{"dating", dating_columns, 1, false},
    Table{"close_series", close_series_columns, 1, false},
};

const char* name_of(const Column& column, Engine engine) {
    return engine == Engine::postgres && column.on_postgres != nullptr ? column.on_postgres : column.name;
}

const char* name_of(const Table& table, Engine engine) {
    return engine == Engine::postgres && table.on_postgres != nullptr ? table.on_postgres : table.name;
}

std::string names_of(const Table& table, Engine engine, std::size_t columns, const char* each = "") {
    std::string names;
    for (const auto& column : table.columns.first(columns))
        names += fmt::format("{}{}{}", names.empty() ? "" : ", ", name_of(column, engine), each);
    return names;
}

std::string places(std::size_t count, Engine engine) {
    std::string all;
    for (std::size_t i = 1; i <= count; ++i)
        all += fmt::format("{}{}{}", i == 1 ? "" : ", ", engine == Engine::postgres ? '$' : '?', i);
    return all;
}

// The rows, with one more condition, which may be empty.
std::string from(const Table& table, Engine engine, const std::string& condition = {}) {
    auto text = fmt::format(" FROM {}", name_of(table, engine));
    const char* joined = " WHERE ";
    if (engine == Engine::postgres && table.where_on_postgres != nullptr) {
        text += joined;
        text += table.where_on_postgres;
        joined = " AND ";
    }
    if (!condition.empty()) text += joined + condition;
    return text;
}

template <class T>
bool fits(std::int64_t number) {
    return number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max();
}

bool is_number(Column::Kind kind) {
    return kind == small || kind == middle || kind == big;
}

}  // namespace

std::span<const Table> all_tables() noexcept {
    return tables;
}

std::string select_sql(const Table& table, Engine engine, bool after, bool limited) {
    std::string condition;
    if (after) condition = fmt::format("({}) > ({})", names_of(table, engine, table.keys), places(table.keys, engine));
    auto sql = fmt::format("SELECT {}{} ORDER BY {}", names_of(table, engine, table.columns.size()),
                           from(table, engine, condition), names_of(table, engine, table.keys));
    if (limited) sql += fmt::format(" LIMIT {}{}", engine == Engine::postgres ? '$' : '?', after ? table.keys + 1 : 1);
    return sql;
}

std::string insert_sql(const Table& table, Engine engine) {
    return fmt::format("INSERT INTO {} ({}) VALUES ({})", name_of(table, engine),
                       names_of(table, engine, table.columns.size()), places(table.columns.size(), engine));
}

std::string last_sql(const Table& table, Engine engine) {
    return fmt::format("SELECT {}{} ORDER BY {} LIMIT 1", names_of(table, engine, table.keys), from(table, engine),
                       names_of(table, engine, table.keys, " DESC"));
}

std::string count_sql(const Table& table, Engine engine) {
    return "SELECT count(*)" + from(table, engine);
}

std::string clear_sql(const Table& table, Engine engine) {
    return fmt::format("DELETE FROM {}", name_of(table, engine));
}

const char* read_record(const Row& row, const Table& table, std::size_t columns, Record& record) {
    record.resize(columns);
    for (std::size_t i = 0; i < columns; ++i) {
        auto& cell = record[i];
        const auto kind = table.columns[i].kind;
        const int at = static_cast<int>(i);
        cell.number = 0;
        cell.bytes.clear();
        cell.kind = Cell::Kind::null;
        if (row.is_null(at)) continue;
        if (is_number(kind) && row.is_integer(at)) {
            cell.kind = Cell::Kind::number;
            cell.number = row.integer(at);
        } else if (!is_number(kind) && row.is_text(at)) {
            cell.kind = Cell::Kind::text;
            cell.bytes = row.text(at);
        } else if (kind == sealed && row.is_blob(at)) {
            cell.kind = Cell::Kind::blob;
            cell.bytes = row.blob(at);
        } else {
            return table.columns[i].name;
        }
    }
    return nullptr;
}

const char* unfit_for_postgres(const Table& table, const Record& record) {
    for (std::size_t i = 0; i < record.size(); ++i) {
        const auto& [name, kind, other_name] = table.columns[i];
        const auto& cell = record[i];
        if (kind == small && !fits<std::int16_t>(cell.number)) return name;
        if (kind == middle && !fits<std::int32_t>(cell.number)) return name;
        if (kind == text && (cell.bytes.find('\0') != std::string::npos || !is_utf8(cell.bytes))) return name;
    }
    return nullptr;
}

std::string keys_in_words(const Table& table, const Record& record) {
    std::string words;
    for (std::size_t i = 0; i < table.keys && i < record.size(); ++i) {
        words += fmt::format("{}{} ", words.empty() ? "" : ", ", table.columns[i].name);
        words += record[i].kind == Cell::Kind::number ? std::to_string(record[i].number) : record[i].bytes;
    }
    return words;
}

}  // namespace gateway::moving
