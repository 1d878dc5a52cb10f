// Checks the server before anything is entrusted to it, and refuses in words a server that would break a promise. It
// also looks at the server's standbys, for which commits may wait.
#pragma once

#include "base/log.hpp"
#include "journal/journal_stats.hpp"
#include "journal/postgres/session.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::postgres {

// Holds what the server says about itself to a session of this user.
struct ServerFacts {
    std::int64_t version = 0;  // for example 150004, which is 15.4
    bool is_standby = false;
    std::string fsync;
    std::string full_page_writes;
    std::string synchronous_commit;
    std::string synchronous_standby_names;
    std::string encoding;       // of texts in the database
    std::string other_schema;   // another schema that has a journal, where the schema in use has none
    std::string wrong_setting;  // why a setting of the session is not as it has to be; empty: all are right
};

// Returns the settings that every session of ours has, whatever the server, the database, the role or the environment
// say. They are the settings that change how values are read, written or compared, or what a statement means or does.
// The text is for the connection's setting "options": "-c NAME=VALUE" for each of them. What a client asks for at its
// start takes precedence over the server's file, the database and the role, also where those are changed later.
std::string session_options();

// Sets first those settings that not every version of the server knows, and then reads the facts.
Job<ServerFacts> read_facts(Transaction& tx);

// Says why the server cannot be used; empty: it can be used.
std::string refusal_of(const ServerFacts& facts);
// Says what the operator may not know about the server; empty: there is nothing.
std::string warning_of(const ServerFacts& facts);

// Returns the job for SessionOptions::opened, which makes these checks on each new connection: the server may be
// another one by then, and has to end what the connection does where this gateway is gone. `log` is told once of
// whatever is worth a warning, and must outlive the session.
std::function<Job<std::string>(Transaction&)> look_at_server(Log& log);

// Returns the names in synchronous_standby_names, in their order; "*" among them stands for any standby.
std::vector<std::string> names_of_standbys(std::string_view setting);

// Finds the standbys that are connected, those that are named but away, and whether a commit of ours waits for one. It
// runs on a connection that has nothing else to do, because one whose commit waits cannot ask.
Job<DatabaseState> read_standbys(Transaction& tx);

// Says which standby the commits of this server wait for.
std::string what_is_waited_for(const DatabaseState& state);
// Says the same, by way of a connection of its own; empty where no commit waits, or where that cannot be found out.
boost::asio::awaitable<std::string> what_is_waited_for(boost::asio::any_io_executor executor, Clock& clock,
                                                       const Client& client, SessionOptions options);
// Adds what a person has to do, for the case in which the gateway then goes on by itself.
std::string words_on_waiting(std::string what);

}  // namespace gateway::postgres
