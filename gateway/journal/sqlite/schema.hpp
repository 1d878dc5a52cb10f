// Recognises a journal of this program, and brings it to the present schema.
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
// Returns the migrations of this program in their order; there is at least one.
std::span<const Migration> migrations() noexcept;

// Returns the number of the last migration that was applied to the journal; 0 for a file without any table. The error
// says in words why the file cannot be used: it is another program's, damaged, or newer than the migrations `known`.
Explained<std::int64_t> schema_version(sqlite::Database& database, std::span<const Migration> known = migrations());

// Applies those of the migrations `known` that the journal does not have yet, and then calls `with`, all in one
// transaction. The error says in words why the file cannot be used, as above, or what failed.
Explained<void> bring_up_to_date(sqlite::Database& database, std::span<const Migration> known = migrations(),
                                 const std::function<Result<void>()>& with = {});

}  // namespace gateway
