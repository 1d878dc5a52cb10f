// Looks at the server before anything is entrusted to it, and refuses in words what would break a promise. Looks also
// at the server's standbys, for which commits may wait.
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

// Holds what the server says of itself, to this user's sessions.
struct ServerFacts {
    std::int64_t version = 0;  // 150004: 15.4
    bool is_standby = false;
    std::string fsync;
    std::string full_page_writes;
    std::string synchronous_commit;
    std::string synchronous_standby_names;
    std::string encoding;       // of the text in the database
    std::string other_schema;   // that has a journal, where the schema that is looked into has none
    std::string wrong_setting;  // why a setting of the session is not as it has to be; empty: all are
};

// Every session of ours has these settings, whatever the server, the database, the role or the environment say: they
// change how values are read, written or compared, or what a statement means or does. The text is for the setting
// "options" of a connection: "-c NAME=VALUE" for each of them. What a client asks for at its start stands above the
// server's file, the database and the role, also where those are changed later.
std::string session_options();

// Sets first what not every version of the server knows.
Job<ServerFacts> read_facts(Transaction& tx);

// Says why the server cannot be used; empty: it can.
std::string refusal_of(const ServerFacts& facts);
// Says what the operator may not know; empty: nothing.
std::string warning_of(const ServerFacts& facts);

// Returns the job for SessionOptions::opened, which does all of this on each new connection: the server may be another
// one by then, and the connection must end what it does where this gateway is gone. `log` is told once what is worth a
// warning, and must outlive the session.
std::function<Job<std::string>(Transaction&)> look_at_server(Log& log);

// Returns the names in synchronous_standby_names, in its order; "*" among them stands for any.
std::vector<std::string> names_of_standbys(std::string_view setting);

// Finds the standbys that are connected, those that are named and are not, and whether a commit of ours waits for one.
// It is asked on a connection that has nothing else to do: one whose commit waits cannot ask.
Job<DatabaseState> read_standbys(Transaction& tx);

// Tells which standby the commits wait for, of a server whose commits wait.
std::string what_is_waited_for(const DatabaseState& state);
// Tells the same, asked on a connection of its own; empty where no commit waits, or where that cannot be told.
boost::asio::awaitable<std::string> what_is_waited_for(boost::asio::any_io_executor executor, Clock& clock,
                                                       const Client& client, SessionOptions options);
// Adds what a person is to do about it where the gateway then goes on by itself.
std::string words_on_waiting(std::string what);

}  // namespace gateway::postgres
