// The files that a configuration names, looked at before anything depends on them.
#pragma once

#include "config/config.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace gateway {

// The whole file, or in words why not.
boost::system::result<std::string, std::string> read_file(const std::string& path, std::size_t limit);
// Whether everybody on this machine may read it.
bool is_public(const std::string& path);

// Why TLS could not use them; nothing where it could. Both files of the pair are looked at together.
std::optional<std::string> trouble_with_pair(const TlsConfig& files);
std::optional<std::string> trouble_with_authorities(const std::string& path);

}  // namespace gateway
