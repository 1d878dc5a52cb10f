// How the database is reached: what `journal.url` says, held to what the gateway promises. A server elsewhere has to
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

// One of the servers that the URL names.
struct Server {
    std::string host;     // a name, an address, or the folder of a socket
    std::string address;  // where the URL says it besides the name; else it is looked up
    std::string port;

    bool is_socket() const { return address.empty() && (host.starts_with('/') || host.starts_with('@')); }
};

struct ConnectionOptions {
    std::vector<Server> servers{};  // tried in this order
    // All other settings, as libpq names them.
    std::vector<std::pair<std::string, std::string>> settings{};
    Secret password{};
    // How long one address may take to answer, TLS and the password included.
    Duration connect_timeout{2'000};
    std::string url{};  // as it is written, without a password
};

// What the URL says; or, in words, why it is not taken.
boost::system::result<ConnectionOptions, std::string> read_url(const Client& client, const std::string& url,
                                                               Secret password);

}  // namespace gateway::postgres
