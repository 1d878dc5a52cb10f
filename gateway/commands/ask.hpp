// Makes one request of a command, and handles its answer.
#pragma once

#include "commands/commands.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Says what went wrong. Returns exit_failure, or what it is told to.
int fail(const Shell& shell, const std::string& what, int exit = exit_failure);

// Makes the call that a person's command sends. It is answered with text in the language of the shell and in the width
// of its screen, or with JSON where that is wanted.
AdminCall call_of(const Shell& shell, std::string target);
AdminCall post_of(const Shell& shell, std::string target, const boost::json::object& body);

// Prints the answer to standard output, or a refusal to standard error. Returns what the command exits with.
int print(const Shell& shell, const AdminClient::Told& told);
int ask_and_print(const Shell& shell, AdminCall call);

// Asks for JSON. Returns nothing where there is none; that was said then.
std::optional<boost::json::object> ask_for_json(const Shell& shell, std::string target);

// This is the day that an option means: "today", "yesterday" or a date, as the gateway has it. Where it is nothing,
// that was said, and the command ends with `exit`.
struct MeantDay {
    std::optional<std::string> day{};
    int exit = exit_ok;
};
MeantDay day_meant(const Shell& shell, std::string_view option, std::string_view text);

}  // namespace gateway
