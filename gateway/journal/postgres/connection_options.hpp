// Says how the database is reached: as `journal.url` says, held to what the gateway promises. A server elsewhere has to
// show a certificate of its name, and the password stands in a file of its own.
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
    std::string address;  // where the URL says it besides the name; else it is looked up
    std::string port;

    bool is_socket() const { return address.empty() && (host.starts_with('/') || host.starts_with('@')); }
};

struct ConnectionOptions {
    std::vector<Server> servers{};  // tried in this order
    // These are all other settings, as libpq names them.
    std::vector<std::pair<std::string, std::string>> settings{};
    Secret password{};
    // One address may take so long to answer, TLS and the password included.
    Duration connect_timeout{2'000};
    std::string url{};  // as it is written, without a password
};

// Reads what the URL says. The error says in words why it is not taken.
boost::system::result<ConnectionOptions, std::string> read_url(const Client& client, const std::string& url,
                                                               Secret password);

}  // namespace gateway::postgres
