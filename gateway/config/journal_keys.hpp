// The file that journal.key_file names.
#pragma once

#include "base/secret.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <vector>

namespace gateway {

// The keys in it, 32 bytes each, in their order, at least one; or in words what is wrong with the file and what to do.
// One key a line, 64 hex digits; empty lines and lines that begin with # are passed over.
boost::system::result<std::vector<Secret>, std::string> read_journal_keys(const std::string& path);

}  // namespace gateway
