// Finds out which program has the journal locked when SQLite has waited for it in vain, and which one reads the journal
// when its log grows. It is a program such as sqlite3, DB Browser or a backup of the operator, because file_lock.hpp
// keeps other gateways away before they open the journal.
#pragma once

#include "base/error.hpp"

#include <optional>
#include <string>

namespace gateway {

// Makes the error of an operation that another program's lock prevented. Its message names that program as far as the
// system knows it: "another program has the journal locked (sqlite3, process 1234): let it finish, or close it". The
// process is determined now, its name whenever the message is read. `journal` is the full name of the file that SQLite
// has open.
boost::system::error_code locked_by_another(const std::string& journal);
// Makes the same error about a program that reads the journal now, if there is one: meanwhile the log cannot begin
// anew.
std::optional<boost::system::error_code> read_by_another(const std::string& journal);
// Makes the same error about a program that has the journal open under another name (a hard link): file_lock.hpp keeps
// away only programs that use the same name. It must be called before this process opens the file.
std::optional<boost::system::error_code> open_by_another_name(const std::string& journal);

}  // namespace gateway
