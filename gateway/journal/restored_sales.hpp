// What a copy of the journal does not know of the sales that it holds open, and what is done about it when the copy
// takes the journal's place, however it came there: see restore() in copy.hpp, and sale/machine.hpp.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/sqlite/database.hpp"

#include <cstdint>

namespace gateway {

// Leaves every open sale to the provider's word, marks it `restored` for a person, or `unreadable` where its row cannot
// be read, removes the access token, and begins a new series of closes. To be called within a transaction, on a journal
// that no gateway runs on. How many sales a person is asked to look at; SQLite's error where it fails.
Result<std::int64_t> doubt_open_sales(sqlite::Database& journal, WallTime now);

}  // namespace gateway
