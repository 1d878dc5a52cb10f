// `sales-gateway probe` becomes this program, which has its options, and the exit code that says how it went.
#include "base/wall_time.hpp"
#include "commands/usage.hpp"
#include "config/config.hpp"
#include "probe/app/run.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace gateway;

std::vector<std::string> words_of_families() {
    std::vector<std::string> words;
    for (const auto family : all_families)
        words.emplace_back(to_string(family));
    return words;
}

void add_options(CLI::App& app, ProbeArguments& arguments) {
    auto& trials = arguments.trials;
    const auto add = [&app](const char* name, auto& value, const std::string& says, const char* type) {
        return app.add_option(name, value, says)->type_name(type);
    };
    add("--config", arguments.config, "The configuration of the test environment", "FILE")
        ->default_str(usual_config)
        ->take_last();
    app.add_option_function<std::string>(
           "--level",
           [&trials](const std::string& word) { trials.level = probe::parse_level(word).value_or(probe::Level::look); },
           "look asks for no sale; authorise cancels every one; sell makes one of each family")
        ->type_name("LEVEL")
        ->check(CLI::IsMember({"look", "authorise", "sell"}).description(""))
        ->default_str("look");
    app.add_option_function<std::vector<std::string>>(
           "--family",
           [&trials](const std::vector<std::string>& words) {
               for (const auto& word : words)
                   if (const auto family = parse_family(word)) trials.families.insert(*family);
           },
           "Of these families alone: " + family_names())
        ->type_name("FAMILY")
        ->check(CLI::IsMember(words_of_families()).description(""));
    add("--out", arguments.folder, "The folder for what it writes; one that was begun is gone on with", "DIR")
        ->default_str(arguments.folder);
    app.add_flag("--leave-open", trials.leave_open, "Leave a sale of each family open, to be revisited");
    app.add_option_function<std::string>(
           "--revisit",
           [&arguments](const std::string& folder) {
               arguments.folder = folder;
               arguments.revisit = true;
               arguments.trials.level = probe::Level::authorise;
           },
           "What became of the sales that were left open in this folder, 49 hours later")
        ->type_name("DIR");
    app.add_flag("--may-stay-open", trials.may_stay_open,
                 "Authorise health too, though it is not known how such a sale is cancelled");
    add("--health-cancel-path", trials.health_paths, "Where a cancel of health may be, to be tried", "PATH");
    add("--status-path", trials.status_paths,
        "Where a sale's status may be asked for, with {idExterno} or {idTransacao}", "PATH");
    add("--callback-field", trials.callback_fields,
        "What the notification address of an eSIM may be called, besides the configured name", "NAME");
    add("--card", arguments.card, "transit: the number of a card of the test environment", "NUMBER");
    add("--cpf", arguments.cpf, "tv: a cpf of the test environment", "CPF");
    add("--consumidor", arguments.consumidor_file, "esim: JSON with consumidor and endereco, as a terminal sends them",
        "FILE");
    add("--statement", arguments.statement_file, "A statement of the provider's, to look at its format", "FILE");
}

int run(int argc, char** argv) {
    CLI::App app(what_probe_does, "sales-gateway probe");
    ProbeArguments arguments{.config = usual_config};
    add_options(app, arguments);
    try {
        app.parse(argc, argv);
        // What it prints is told in the store's time, as what the gateway prints.
        if (const auto zone = load_store_zone(arguments.config)) use_local_zone(*zone);
        return static_cast<int>(run_probe(arguments, GATEWAY_VERSION, isatty(STDERR_FILENO) == 1, confirmed));
    } catch (const CLI::Success& error) {
        return app.exit(error);
    } catch (const CLI::ParseError& error) {
        return wrong_command_line(app, error);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int code = run(argc, argv);
    // What could not be written, on a full disk for one, is no result.
    if (std::cout.flush()) return code;
    std::cerr << "error: standard output cannot be written\n";
    return code == static_cast<int>(ProbeEnd::consistent) ? static_cast<int>(ProbeEnd::questions) : code;
}
