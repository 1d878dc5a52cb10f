// Translates what is written for PostgreSQL for SQLite, word by word, so that everything unknown here becomes an error
// of SQLite.
#pragma once

#include <string>
#include <string_view>

namespace gateway::simulation {

// Returns the tables of sql/postgres/ with their indexes and first rows. A column that PostgreSQL numbers gets its
// number from nextval(TABLE).
std::string shared_tables();

// This is a translated statement: its parameters are ?1, ?2, … instead of $1, $2, ….
struct SqliteText {
    enum class Locks {
        nothing,
        words_alone,        // it takes the advisory lock named by its parameter, and does nothing else
        words_with_others,  // the same in shared mode
        rows_alone,         // it locks the rows that it selects, whose numbers are in its first column
        rows_with_others,   // the same in shared mode
    };
    std::string sql;
    Locks locks = Locks::nothing;
    std::string table{};  // the table that it inserts into, or locks rows of
    bool writes = false;
    bool inserts = false;
};
SqliteText as_sqlite_takes_it(std::string sql);

}  // namespace gateway::simulation
