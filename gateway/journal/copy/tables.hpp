// A journal consists of these tables, whichever engine it is on: the tables and columns of a new file, which a database
// has too. Tables that an engine has for itself (which file it is; leases, forwarded commands and who owns a sale) are
// not among them.
#pragma once

#include "journal/engine.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gateway::moving {

struct Column {
    std::string name;
    bool is_number = false;
    bool may_be_encrypted = false;
};

struct Table {
    std::string name;
    std::vector<Column> columns{};
    // So many of its first columns distinguish its rows and put them in order. The order is the same on both
    // engines.
    std::size_t keys = 0;
};

// Returns the tables in the order in which they are moved.
const std::vector<Table>& all_tables();

// This many rows are read at once, and written in one transaction.
constexpr std::size_t rows_at_once = 1'000;

// Selects the next rows in order: the first ones or, with `after`, those behind the row whose keys are the parameters.
std::string page_sql(const Table& table, bool after);
std::string insert_sql(const Table& table);
// Selects the keys of the last row.
std::string last_sql(const Table& table);
std::string count_sql(const Table& table);
std::string clear_sql(const Table& table);

// Returns the first `columns` values of the row as parameters. Encrypted values stay encrypted.
std::vector<Value> values_of(const Table& table, const Rows::One& row, std::size_t columns);
// Returns the first column whose value does not belong there; nullptr where there is none.
const Column* misplaced(const Table& table, const Row& row);
// Names a row for a person by its keys, for example "n 7" or "estabelecimento 000123, number 4, series 1".
std::string keys_in_words(const Table& table, const Row& row);

}  // namespace gateway::moving
