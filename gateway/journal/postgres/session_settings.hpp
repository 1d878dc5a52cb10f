// What every session of ours has set, whatever the server, the database, the role or the environment say: settings that
// change how values are read, written or compared, or what a statement means or does.
#pragma once

#include "journal/postgres/statement.hpp"

#include <string>
#include <string_view>

namespace gateway::postgres {

// For the setting "options" of a connection: "-c NAME=VALUE" for each of them. What a client asks for at its start
// stands above the server's file, the database and the role, also where those are changed later.
std::string session_options();

// Sets what not every version of the server knows. To be run once on each connection.
extern const Statement set_what_is_known;

// One row (name, is, should_be) for each setting of the session that is not as it has to be: of those above, where
// something between us and the server took them away, and of those that only a superuser may change.
extern const Statement wrong_settings;

// Why a gateway does not use a server with it, and what to do.
std::string refusal_of_setting(std::string_view name, std::string_view is, std::string_view should_be);

}  // namespace gateway::postgres
