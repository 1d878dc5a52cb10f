// The write-ahead log that a journal is to be used with.
#pragma once

#include "base/error.hpp"
#include "journal/sqlite.hpp"

#include <cstdint>

namespace gateway {

// Gives the log of this database, which was opened through a LogVfs, its whole length, and writes its header: SQLite
// flushes that by itself, and else the first sale would wait for it. SQLite's error where the disk does not take it;
// the database can be used all the same.
Result<void> make_log(sqlite::Database& database, std::int64_t bytes);

// How many pages of this database a log of that length has room for.
Result<std::int64_t> pages_in_log(sqlite::Database& database, std::int64_t bytes);

// A commit that changes nothing and is flushed.
Result<void> write_harmlessly(sqlite::Database& database);

}  // namespace gateway
