// Says how the database is reached: by the settings of `journal.url`, made as strict as the gateway's promises need. A
// server on another machine has to show a certificate of its name, and the password stands in a file of its own.
#pragma once

#include "base/clock.hpp"
#include "base/secret.hpp"
#include "journal/postgres/client.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gateway::postgres {

// This is one of the servers that the URL names.
struct Server {
    std::string host;     // a name, an address, or the folder of a socket
    std::string address;  // given in the URL beside the name; empty: the name is looked up
    std::string port;

    bool is_socket() const { return address.empty() && (host.starts_with('/') || host.starts_with('@')); }
};

struct ConnectionOptions {
    std::vector<Server> servers{};  // tried in this order
    // All other settings, under the names that libpq gives them.
    std::vector<std::pair<std::string, std::string>> settings{};
    Secret password{};
    // One address may take this long to answer, including TLS and the password.
    Duration connect_timeout{2'000};
    std::string url{};  // the URL as it was written, without a password
};

// Reads the URL. The error says in words why it is refused.
boost::system::result<ConnectionOptions, std::string> read_url(const Client& client, const std::string& url,
                                                               Secret password);

}  // namespace gateway::postgres
