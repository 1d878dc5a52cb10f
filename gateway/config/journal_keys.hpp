// Reads the file that journal.key_file names.
#pragma once

#include "base/secret.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <vector>

namespace gateway {

// Returns the file's keys in their order, at least one, of 32 bytes each. The file has one key a line, in 64 hex
// digits; empty lines and lines that begin with # are ignored. The error says in words what is wrong with the file and
// what to do.
boost::system::result<std::vector<Secret>, std::string> read_journal_keys(const std::string& path);

}  // namespace gateway
