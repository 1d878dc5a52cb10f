// Has what the programs of the package share on the command line: where the configuration is, what is said of a wrong
// line, and how a person is asked before something is done.
#pragma once

#include "base/language.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>

namespace gateway {

// The package puts the configuration here.
constexpr auto usual_config = "/etc/sales-gateway/gateway.toml";

// Both programs have this sentence in their --help.
constexpr auto what_probe_does =
    "Find out how the provider behaves where its document does not say, in its test environment, and write the report "
    "of "
    "it";

// Has everything that --help says told in the language, also what the library says itself.
void tell(CLI::App& app, Language language);

// Says on standard error what went wrong, in the language. The text is marked with told(), or made of such ones.
void complain(Language language, std::string_view english);

// Says what is wrong with the command line, and what may have been meant. Returns the exit code.
int wrong_command_line(const CLI::App& app, const CLI::ParseError& error, Language language = Language::english);

// Asks the person at standard input, and returns whether the answer is yes.
bool confirmed(const std::string& question);

}  // namespace gateway
