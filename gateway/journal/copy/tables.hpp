// What a journal consists of, whichever engine it is on: the tables that are moved, with their columns. Tables that an
// engine has for itself (which file it is; leases, words and who carries a sale) are not among them.
#pragma once

#include "journal/row.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::moving {

// One value, exactly as it stands in the journal. What is encrypted stays so.
struct Cell {
    enum class Kind : std::uint8_t { null, number, text, blob };
    Kind kind = Kind::null;
    std::int64_t number = 0;
    std::string bytes{};

    bool operator==(const Cell&) const = default;
};
using Record = std::vector<Cell>;

struct Column {
    enum class Kind : std::uint8_t {
        small,   // numbers of 16,
        middle,  // of 32
        big,     // and of 64 bits
        text,
        sealed,  // a text in clear, or what was encrypted
    };
    const char* name;
    Kind kind;
    const char* on_postgres = nullptr;  // where it is called otherwise there
};

struct Table {
    const char* name;
    std::span<const Column> columns;
    // By so many of its first columns the rows are told apart, and put in order: the same order on both engines.
    std::size_t keys;
    // Whether something has happened where it has a row; the others have rows in a new journal.
    bool tells_of_use;
    // Where it is otherwise on PostgreSQL: in which table, and which rows of that.
    const char* on_postgres = nullptr;
    const char* where_on_postgres = nullptr;
};

// In the order in which they are moved.
std::span<const Table> all_tables() noexcept;

enum class Engine : std::uint8_t { sqlite, postgres };

// All rows in order; from `after` on, those behind the row whose keys are the parameters. `limited`: no more than the
// number that is the last parameter.
std::string select_sql(const Table& table, Engine engine, bool after, bool limited);
std::string insert_sql(const Table& table, Engine engine);
// The keys of the last row.
std::string last_sql(const Table& table, Engine engine);
std::string count_sql(const Table& table, Engine engine);
std::string clear_sql(const Table& table, Engine engine);

// Reads `columns` of them from the row. The name of the first one that holds what does not belong there, or that the
// engine cannot hold; nullptr: none.
const char* read_record(const Row& row, const Table& table, std::size_t columns, Record& record);
const char* unfit_for_postgres(const Table& table, const Record& record);

// A row's keys for a person: "n 7", "estabelecimento 000123, number 4, series 1".
std::string keys_in_words(const Table& table, const Record& record);

}  // namespace gateway::moving
