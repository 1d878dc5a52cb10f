#include "commands/usage.hpp"

#include "base/told.hpp"
#include "commands/commands.hpp"
#include "config/spelling.hpp"
#include "words/sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <string_view>
#include <vector>

namespace gateway {
namespace {

// These words stand in --help in places that have names, and not in descriptions.
constexpr std::array labels{
    told("Usage"),       told("OPTIONS"),  told("SUBCOMMAND"),
    told("Positionals"), told("REQUIRED"), told("Needs"),
    told("Excludes"),    told("FILE"),     told("TEXT"),
    told("NUMBER"),      told("NAME"),     told("TIME"),
    told("DAY"),         told("GROUPS"),   told("PLACE"),
    told("ROLE"),        told("LANGUAGE"), told("KEY"),
    told("KIND"),        told("LISTENER"), told("NAME-OR-ADDRESS"),
};
// The library says these of every command, and of a wrong command line.
[[maybe_unused]] constexpr std::array of_the_library{
    told("Options"),
    told("Subcommands"),
    told("Print this help message and exit"),
    told("UINT:INT in [{} - {}]"),
    told("{} is required"),
    told("--{} excludes --{}"),
    told("--{} requires --{}"),
    told("--{}: {} required {} missing"),
    told("Value {} not in range {} to {}"),
    told("{}: {} not in {{{}}}"),
    told("Could not convert: {} = {}"),
};

// The library names an argument in English only, and pads by the number of bytes, which are more than one in an "É".
class TellingFormatter : public CLI::Formatter {
  public:
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        const auto name = CLI::Formatter::make_option_name(option, is_positional);
        return is_positional ? get_label(name) : name;
    }
    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        const auto term = "  " + make_option_name(option, is_positional) + make_option_opts(option);
        auto line = fmt::format("{:<{}}", term, column_width_);
        if (!line.ends_with(' ')) line += fmt::format("\n{:{}}", "", column_width_);
        return line + make_option_desc(option) + '\n';
    }
};

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

void tell(CLI::App& app, Language language) {
    const auto formatter = std::make_shared<TellingFormatter>();
    app.formatter(formatter);
    const auto in_words = [&](const std::string& english) { return told_in(language, english); };
    for (const auto word : labels)
        formatter->label(std::string(word), told_in(language, word));
    app.description(in_words(app.get_description()));
    app.footer(in_words(app.get_footer()));
    app.group(in_words(app.get_group()));
    for (auto* option : app.get_options()) {
        option->description(in_words(option->get_description()));
        option->group(in_words(option->get_group()));
        // A type with bounds has no label of its own.
        const auto type = option->get_type_name();
        if (std::ranges::find(labels, type) == labels.end()) formatter->label(type, in_words(type));
    }
    for (auto* command : app.get_subcommands(any))
        tell(*command, language);
}

void complain(Language language, std::string_view english) {
    std::cerr << told_in(language, told("error")) << ": " << told_in(language, english) << '\n';
}

// An unknown word is reported first, because what is missing may be what it was meant to be.
int wrong_command_line(const CLI::App& app, const CLI::ParseError& error, Language language) {
    if (const auto unknown = app.remaining(true); !unknown.empty()) {
        const bool wants_command = app.get_subcommands().empty() && !app.get_subcommands(any).empty();
        const bool is_command = wants_command && !unknown.front().starts_with('-');
        const auto& word = unknown.front();
        complain(language, (is_command ? fmt::format(told("{} is no command"), word)
                                       : fmt::format(told("{} was not expected"), word)) +
                               suggestion(app, word));
    } else {
        complain(language, error.what());
    }
    std::cerr << told_in(language, told("Run with --help for more information.")) << '\n';
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
