// Finds out who has the journal locked when SQLite has waited for it in vain, and who reads it when its log grows. It
// is another program (sqlite3, DB Browser, a backup of the operator's own): file_lock.hpp keeps other gateways away
// before they open the journal.
#pragma once

#include "base/error.hpp"

#include <optional>
#include <string>

namespace gateway {

// Makes the error of what another program's lock was in the way of. Its words name that program as far as the system
// tells: "another program has the journal locked (sqlite3, process 1234): let it finish, or close it". The system is
// asked for the process now, and for its name whenever the words are wanted. `journal` is the file that SQLite has
// open, by its full name.
boost::system::error_code locked_by_another(const std::string& journal);
// Does the same of a program that reads the journal now, where one does: meanwhile the log cannot begin anew.
std::optional<boost::system::error_code> read_by_another(const std::string& journal);
// Does the same of a program that has the journal open where the journal has several names (hard links): file_lock.hpp
// keeps away only those that use the same name. Call it before this process opens the file.
std::optional<boost::system::error_code> open_by_another_name(const std::string& journal);

}  // namespace gateway
