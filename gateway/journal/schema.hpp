// Recognises a journal of ours and brings it to the schema of this program.
#pragma once

#include "journal/sqlite.hpp"

#include <string>

namespace gateway {

// Applies the numbered files of sql/ that the journal has not seen. The error says in words why the file cannot be used
// (another program's, damaged, newer than this program); nothing has been changed then.
boost::system::result<void, std::string> bring_up_to_date(sqlite::Connection& connection);

}  // namespace gateway
