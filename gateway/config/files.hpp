// The files that a configuration names, looked at before anything depends on them.
#pragma once

#include "base/secret.hpp"
#include "config/config.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace gateway {

// The whole file, or why not, in words that follow its name.
boost::system::result<std::string, std::string> read_file(const std::string& path, std::size_t limit);
// The first line of a file that holds a password; or what is wrong with the file.
boost::system::result<Secret, std::string> read_password(const std::string& path);
// Whether everybody on this machine may read it.
bool is_public(const std::string& path);

// What is to be said of a certificate and its key.
struct PairRemarks {
    std::optional<std::string> cert;      // why TLS could not use it
    std::optional<std::string> key;       // likewise; it may only belong to another certificate
    std::optional<std::string> validity;  // that the certificate is not good today, or not for long
};
PairRemarks look_at_pair(const TlsConfig& files);
// Why TLS could not use them; nothing where it could.
std::optional<std::string> trouble_with_authorities(const std::string& path);

}  // namespace gateway
