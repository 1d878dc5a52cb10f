// What is written for PostgreSQL, as SQLite takes it: word by word, so that whatever is not known here is an error of
// SQLite's.
#pragma once

#include <string>
#include <string_view>

namespace gateway::simulation {

// The tables of sql/postgres/, their indexes and first rows. A column that PostgreSQL numbers takes its number from
// nextval(TABLE).
std::string shared_tables();

// A statement, whose parameters are $1, $2, … there and ?1, ?2, … here.
struct SqliteText {
    enum class Locks {
        nothing,
        words_alone,        // the advisory lock of its parameter, and does nothing else
        words_with_others,  // the same, shared
        rows_alone,         // those that it selects, whose numbers are its first column
        rows_with_others,   // the same, shared
    };
    std::string sql;
    Locks locks = Locks::nothing;
    std::string table{};  // that it inserts into, or locks rows of
    bool writes = false;
    bool inserts = false;
};
SqliteText as_sqlite_takes_it(std::string sql);

}  // namespace gateway::simulation
