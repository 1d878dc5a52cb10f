// Recognises a journal of ours and brings it to the schema of this program.
#pragma once

#include "journal/sqlite.hpp"

#include <string>

namespace gateway {

// The number of the last migration that the journal has seen; 0 for a file without any table. The error says in words
// why the file cannot be used (another program's, damaged, newer than this program).
boost::system::result<std::int64_t, std::string> schema_version(sqlite::Connection& connection);

// Applies the numbered files of sql/ that the journal has not seen. The error says in words why the file cannot be used
// (another program's, damaged, newer than this program); nothing has been changed then.
boost::system::result<void, std::string> bring_up_to_date(sqlite::Connection& connection);

}  // namespace gateway
