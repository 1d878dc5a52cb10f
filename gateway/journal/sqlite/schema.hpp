// Recognises a journal of ours and brings it to the schema of this program.
#pragma once

#include "journal/sqlite/database.hpp"
#include "journal/sqlite/file_user.hpp"

#include <functional>
#include <span>
#include <string>

namespace gateway {

// This is a numbered file of sql/.
struct Migration {
    int number;
    const char* name;
    const char* sql;
};
// Returns the migrations of this program, in order; there is at least one.
std::span<const Migration> migrations() noexcept;

// Returns the number of the last migration that the journal has seen; 0 for a file without any table. The error says in
// words why the file cannot be used (another program's, damaged, newer than the migrations `known`).
Explained<std::int64_t> schema_version(sqlite::Database& database, std::span<const Migration> known = migrations());

// Applies those of `known` that the journal has not seen, and then does what is to be done `with` them: in one
// transaction, all of it or nothing. The error says in words why the file cannot be used, as above, or what failed.
Explained<void> bring_up_to_date(sqlite::Database& database, std::span<const Migration> known = migrations(),
                                 const std::function<Result<void>()>& with = {});

}  // namespace gateway
