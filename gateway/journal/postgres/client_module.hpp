// Loads postgres-client.so, the module that is linked with libpq. It stays loaded until the process ends: what it made
// is used until then.
#pragma once

#include "journal/postgres/client.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <vector>

namespace gateway::postgres {

// Where the module stands: beside the program, in a build, or where its package puts it.
std::vector<std::string> client_module_folders();

// The client of the module in the first of these folders that has one. What is the matter, in words, where none has,
// where it cannot be loaded, or where it was made for another version of the program.
boost::system::result<const Client*, std::string> load_client(
    const std::vector<std::string>& folders = client_module_folders());

}  // namespace gateway::postgres
