// The command line: what is to be done, and the exit code that says how it went.
#include "app.hpp"
#include "base/system.hpp"
#include "config/config.hpp"
#include "config/new_terminal.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string>

namespace {

using namespace gateway;

enum Exit : int {
    exit_ok = 0,
    exit_failure = 1,  // could not start, or could not go on
    exit_usage = 2,    // the command line or the configuration is wrong
};

constexpr auto description =
    "Sells prepaid products for the terminals of a store, and never loses a sale.\n\n"
    "With --config and no command it serves, in the foreground, and logs to standard output.";

constexpr auto footer =
    "Signals while it serves:\n"
    "  SIGTERM, SIGINT   take no more sales, let running ones reach a safe point, end\n"
    "  SIGHUP            read the configuration again: terminals, certificates, log level\n\n"
    "Exit codes:\n"
    "  0   done\n"
    "  1   could not start or go on; standard error says why\n"
    "  2   the command line or the configuration is wrong\n\n"
    "config/gateway.example.toml explains every key of the configuration.";

void print(std::ostream& out, std::string_view kind, const std::vector<ConfigProblem>& problems,
           std::string_view path) {
    for (const auto& problem : problems)
        out << kind << ": " << to_string(problem, path) << '\n';
}

// What is wrong is this command's answer and goes to standard output; warnings are remarks on it.
int check_config_file(const std::string& path) {
    const auto reading = load_config(path);
    print(std::cerr, "warning", reading.warnings, path);
    print(std::cout, "error", reading.errors, path);
    if (!reading.config) return exit_usage;
    std::cout << "ok\n";
    return exit_ok;
}

// The lines go to standard output and the key to standard error, so that the lines alone can be sent into a file.
int new_terminal(const std::string& id) {
    if (!is_terminal_id(id)) {
        std::cerr << "error: a terminal's id is 1 to 64 letters, digits, dots, - and _\n";
        return exit_usage;
    }
    SystemRandom random;
    const auto terminal = make_terminal(id, random);
    std::cout << terminal.lines << std::flush;
    std::cerr
        << "\nThe lines above belong into the configuration. This is the key, for the terminal alone; it is shown\n"
           "only now and cannot be had from the lines:\n\n    "
        << terminal.key.reveal() << '\n';
    return exit_ok;
}

int serve_file(const std::string& path) {
    const auto reading = load_config(path);
    print(std::cerr, "warning", reading.warnings, path);
    print(std::cerr, "error", reading.errors, path);
    return reading.config ? serve(*reading.config, path) : exit_usage;
}

int run(int argc, char** argv) {
    CLI::App app(description, "sales-gateway");
    app.set_version_flag("--version", "sales-gateway " + std::string(version()), "Print the version and end");
    std::string path;
    std::string id;
    app.add_option("--config", path, "The configuration (TOML)")->type_name("FILE");
    auto* check = app.add_subcommand("check-config", "Say everything that is wrong with a configuration, or ok");
    check->add_option("--config", path, "The configuration (TOML)")->type_name("FILE")->required();
    auto* terminal = app.add_subcommand(
        "new-terminal",
        "Make a terminal's key: prints its lines for the configuration, and once, to standard error, the key");
    terminal->add_option("ID", id, "The terminal's name, such as caixa-01")->required();
    app.require_subcommand(0, 1);
    app.footer(footer);  // after the commands, which would take it over
    try {
        app.parse(argc, argv);
        if (check->parsed()) return check_config_file(path);
        if (terminal->parsed()) return new_terminal(id);
        if (path.empty()) throw CLI::RequiredError("--config");
        return serve_file(path);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_ok : exit_usage;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << '\n';
        return exit_failure;
    }
}

}  // namespace

int main(int argc, char** argv) {
    return run(argc, argv);
}
