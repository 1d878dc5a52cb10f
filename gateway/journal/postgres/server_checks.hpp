// A look at the server before anything is entrusted to it: what would break a promise is refused, in words.
#pragma once

#include "base/log.hpp"
#include "journal/engine.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace gateway::postgres {

// What the server says of itself, to this user's sessions.
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

// What every session of ours has set, whatever the server, the database, the role or the environment say: settings that
// change how values are read, written or compared, or what a statement means or does. For the setting "options" of a
// connection: "-c NAME=VALUE" for each of them. What a client asks for at its start stands above the server's file, the
// database and the role, also where those are changed later.
std::string session_options();

// Sets first what not every version of the server knows.
Job<ServerFacts> read_facts(Transaction& tx);

// Why it cannot be used; empty: it can.
std::string refusal_of(const ServerFacts& facts);
// What the operator may not know; empty: nothing.
std::string warning_of(const ServerFacts& facts);

// For SessionOptions::opened: all of this on each new connection, as the server may be another one by then, and a
// connection that ends what it does where this gateway is gone. `log` is told once what is worth a warning, and must
// outlive the session.
std::function<Job<std::string>(Transaction&)> look_at_server(Log& log);

}  // namespace gateway::postgres
