// The addresses of a server of the database. libpq would look a name up itself, and stop the whole gateway while a name
// server does not answer; and it would wait for one address that is silent for as long as for all of them.
#pragma once

#include "base/clock.hpp"
#include "journal/postgres/connection_options.hpp"
#include "journal/postgres/socket_wait.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <vector>

namespace gateway::postgres {

// An empty one where the server is reached without: a socket of this machine. Why there is none, in words, where the
// name cannot be looked up.
boost::asio::awaitable<boost::system::result<std::vector<std::string>, std::string>> addresses_of(
    boost::asio::any_io_executor executor, SocketWait& wait, const Server& server, Duration patience);

}  // namespace gateway::postgres
