// The standbys of the server: which of those that a commit may wait for are there, and whether commits wait.
#pragma once

#include "journal/journal_stats.hpp"
#include "journal/postgres/session.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gateway::postgres {

// The names in synchronous_standby_names, in its order; "*" among them stands for any.
std::vector<std::string> names_of_standbys(std::string_view setting);

// The standbys that are connected, those that are named and are not, and whether a commit of ours waits for one. Asked
// on a connection that has nothing else to do: one whose commit waits cannot ask.
Job<DatabaseState> read_standbys(Transaction& tx);

// Tells which standby the commits wait for, of a server whose commits wait.
std::string what_is_waited_for(const DatabaseState& state);
// Tells the same, asked on a connection of its own; empty where no commit waits, or where that cannot be told.
boost::asio::awaitable<std::string> what_is_waited_for(boost::asio::any_io_executor executor, Clock& clock,
                                                       const Client& client, SessionOptions options);
// Adds what a person is to do about it where the gateway then goes on by itself.
std::string words_on_waiting(std::string what);

}  // namespace gateway::postgres
