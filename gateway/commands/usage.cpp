#include "commands/usage.hpp"

#include "commands/commands.hpp"
#include "config/spelling.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <string_view>
#include <vector>

namespace gateway {
namespace {

bool any(const CLI::App*) {
    return true;
}

// Says what may have been meant by a word that the command line does not know.
std::string suggestion(const CLI::App& app, const std::string& word) {
    std::vector<std::string> known;
    const auto used = app.get_subcommands();
    const auto& command = used.empty() ? app : *used.front();
    if (word.starts_with('-')) {
        for (const auto* option : command.get_options())
            for (const auto& name : option->get_lnames())
                known.push_back("--" + name);
    } else if (used.empty()) {
        for (const auto* other : app.get_subcommands(any))
            known.push_back(other->get_name());
    }
    const std::vector<std::string_view> words(known.begin(), known.end());
    return did_you_mean(word, words);
}

}  // namespace

// An unknown word is reported first, because what is missing may be what it was meant to be.
int wrong_command_line(const CLI::App& app, const CLI::ParseError& error) {
    if (const auto unknown = app.remaining(true); !unknown.empty()) {
        const bool wants_command = app.get_subcommands().empty() && !app.get_subcommands(any).empty();
        const bool is_command = wants_command && !unknown.front().starts_with('-');
        std::cerr << "error: " << unknown.front() << (is_command ? " is no command" : " was not expected")
                  << suggestion(app, unknown.front()) << '\n';
    } else {
        std::cerr << "error: " << error.what() << '\n';
    }
    std::cerr << "Run with --help for more information.\n";
    return exit_usage;
}

bool confirmed(const std::string& question) {
    std::cerr << question << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    constexpr std::array<std::string_view, 6> yes{"y", "Y", "yes", "s", "S", "sim"};
    return std::ranges::find(yes, answer) != yes.end();
}

}  // namespace gateway
