#include "journal/copy/tables.hpp"

#include "base/check.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/sqlite/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gateway::moving {
namespace {

// The key columns of each table come first.
constexpr std::string_view all_columns =
    "SELECT t.name, c.name, c.type, c.pk FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c"
    " WHERE t.type = 'table' AND t.name NOT IN ('journal_file', 'moving', 'console_sessions') ORDER BY t.rowid, c.pk = "
    "0, c.pk, c.cid";

bool may_be_encrypted(std::string_view table, std::string_view column) {
    const auto* const known = std::ranges::find(encrypted::tables, table, &encrypted::Table::name);
    return known != encrypted::tables.end() && encrypted::is_encrypted(known->fields, column);
}

std::vector<Table> read_tables() {
    auto journal = sqlite::Database::open(":memory:", nullptr);
    CHECK(journal.has_value() && bring_up_to_date(*journal).has_value());
    const auto columns = journal->ask(all_columns);
    std::vector<Table> tables;
    for (const auto& row : *columns) {
        if (tables.empty() || tables.back().name != row.text(0)) tables.push_back({std::string(row.text(0))});
        auto& table = tables.back();
        const std::string name(row.text(1));
        table.columns.push_back({name, row.text(2) == "INTEGER", may_be_encrypted(table.name, name)});
        if (row.integer(3) != 0) ++table.keys;
    }
    return tables;
}

std::string list(const Table& table, std::size_t columns, std::string_view each = {}) {
    std::string names;
    for (std::size_t i = 0; i < columns; ++i)
        names += fmt::format("{}{}{}", i == 0 ? "" : ", ", table.columns[i].name, each);
    return names;
}

std::string places(std::size_t count) {
    std::string all;
    for (std::size_t i = 1; i <= count; ++i)
        all += fmt::format("{}?{}", i == 1 ? "" : ", ", i);
    return all;
}

// A database has a row for the token even where there is no token; that row does not count.
std::string from(const Table& table) {
    return fmt::format(" FROM {} WHERE {}", table.name, table.name == "token" ? "access IS NOT NULL" : "1 = 1");
}

}  // namespace

const std::vector<Table>& all_tables() {
    static const auto tables = read_tables();
    return tables;
}

std::string page_sql(const Table& table, bool after) {
    const auto keys = list(table, table.keys);
    return fmt::format("SELECT {}{}{} ORDER BY {} LIMIT {}", list(table, table.columns.size()), from(table),
                       after ? fmt::format(" AND ({}) > ({})", keys, places(table.keys)) : "", keys, rows_at_once);
}

std::string insert_sql(const Table& table) {
    const auto count = table.columns.size();
    return fmt::format("INSERT INTO {} ({}) VALUES ({})", table.name, list(table, count), places(count));
}

std::string last_sql(const Table& table) {
    return fmt::format("SELECT {}{} ORDER BY {} LIMIT 1", list(table, table.keys), from(table),
                       list(table, table.keys, " DESC"));
}

std::string count_sql(const Table& table) {
    return "SELECT count(*)" + from(table);
}

std::string clear_sql(const Table& table) {
    return "DELETE FROM " + table.name;
}

std::vector<Value> values_of(const Table& table, const Rows::One& row, std::size_t columns) {
    std::vector<Value> values;
    values.reserve(columns);
    for (std::size_t i = 0; i < columns; ++i) {
        const int at = static_cast<int>(i);
        if (row.is_null(at))
            values.emplace_back(std::nullopt);
        else if (row.is_integer(at))
            values.emplace_back(row.integer(at));
        else if (table.columns[i].may_be_encrypted)
            values.emplace_back(
                ColumnValue{row.is_blob(at) ? ColumnValue::Kind::blob : ColumnValue::Kind::text, row.text(at)});
        else
            values.emplace_back(row.text(at));
    }
    return values;
}

const Column* misplaced(const Table& table, const Row& row) {
    int at = 0;
    for (const auto& column : table.columns) {
        const bool fits = row.is_null(at) || (column.is_number ? row.is_integer(at) : row.is_text(at)) ||
                          (column.may_be_encrypted && row.is_blob(at));
        if (!fits) return &column;
        ++at;
    }
    return nullptr;
}

std::string keys_in_words(const Table& table, const Row& row) {
    std::string words;
    for (std::size_t i = 0; i < table.keys; ++i)
        words += fmt::format("{}{} {}", i == 0 ? "" : ", ", table.columns[i].name, row.text(static_cast<int>(i)));
    return words;
}

}  // namespace gateway::moving
