// The command line: what is to be done, and the exit code that says how it went.
#include "api/attention_report.hpp"
#include "app.hpp"
#include "base/process.hpp"
#include "base/system.hpp"
#include "base/systemd.hpp"
#include "base/wall_time.hpp"
#include "config/config.hpp"
#include "config/new_terminal.hpp"
#include "journal/copy.hpp"
#include "journal/marked_sales.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/serialize.hpp>
#include <unistd.h>

#include <csignal>
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

// Where the package puts it.
constexpr auto usual_config = "/etc/sales-gateway/gateway.toml";

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

void print(const CopyContents& contents) {
    std::cout << "  sales: " << contents.sales << ", of which open: " << contents.open << '\n';
    if (contents.newest) std::cout << "  last change of a sale: " << to_rfc3339(*contents.newest) << '\n';
}

int back_up_journal(const std::string& config, const std::string& file) {
    const auto journal = load_journal_path(config);
    print(std::cerr, "error", journal.errors, config);
    if (journal.path.empty()) return exit_usage;
    const auto contents = back_up(journal.path, file);
    if (contents.has_error()) throw std::runtime_error(contents.error());
    std::cout << file << " is a verified copy of " << journal.path << '\n';
    print(*contents);
    return exit_ok;
}

constexpr auto after_restoring =
    "\nWhat happened after the copy was made is not in it. Before the gateway is started:\n"
    "  - be sure that no other gateway carries the same sales;\n"
    "  - let every terminal drop the keys of sells that it has no outcome of, and look those up in the provider's\n"
    "    books: a key that was used after the copy would sell a second time.\n"
    "Afterwards: sales-gateway attention lists the sales that were open in the copy, and what to do about each.\n"
    "BACKUP.md, beside the README or under /usr/share/doc/sales-gateway, says more.\n";

int restore_journal(const std::string& config, const std::string& file) {
    const auto journal = load_journal_path(config);
    print(std::cerr, "error", journal.errors, config);
    if (journal.path.empty()) return exit_usage;
    boost::asio::io_context context;
    const auto restored = restore(file, journal.path, SystemClock(context.get_executor()).wall());
    if (restored.has_error()) throw std::runtime_error(restored.error());
    std::cout << journal.path << " is now the journal that " << file << " is a copy of\n";
    print(restored->contents);
    std::cout << "  sales whose end the copy does not know, for a person to look at: " << restored->unsure << '\n';
    if (!restored->set_aside.empty()) std::cout << "  the journal that was there: " << restored->set_aside << '\n';
    std::cout << after_restoring;
    return exit_ok;
}

// The gateway may run or not: the journal is only read. The sales are the answer, and none is a good one.
int list_attention(const std::string& config, bool as_json) {
    const auto journal = load_journal_path(config);
    print(std::cerr, "error", journal.errors, config);
    if (journal.path.empty()) return exit_usage;
    const auto sales = read_marked_sales(journal.path);
    if (sales.has_error()) throw std::runtime_error(sales.error());
    if (!as_json) std::cout << attention_report(*sales);
    for (const auto& sale : *sales)
        if (as_json) std::cout << boost::json::serialize(attention_json(sale)) << '\n';
    return exit_ok;
}

int serve_file(const std::string& path) {
    // A reload in the first moments must not end the gateway, and may mean a file that has been read already: it waits
    // until it can be obeyed.
    hold_back(SIGHUP);
    Systemd systemd(SystemdEnvironment::of_this_process());
    const auto reading = load_config(path);
    const auto before = [&](LogLevel level) {
        return std::string(systemd.reads(STDERR_FILENO) ? priority_prefix(level) : "");
    };
    print(std::cerr, before(LogLevel::warn) + "warning", reading.warnings, path);
    print(std::cerr, before(LogLevel::error) + "error", reading.errors, path);
    if (!reading.config) return exit_usage;
    try {
        return serve(*reading.config, path, systemd);
    } catch (const std::exception& error) {
        std::cerr << before(LogLevel::error) << "error: " << error.what() << '\n';
        return exit_failure;
    }
}

int run(int argc, char** argv) {
    CLI::App app(description, "sales-gateway");
    app.set_version_flag("--version", "sales-gateway " + std::string(version()), "Print the version and end");
    std::string path;
    std::string id;
    app.add_option("--config", path, "The configuration (TOML)")->type_name("FILE");
    auto* check = app.add_subcommand("check-config", "Say everything that is wrong with a configuration, or ok");
    check->add_option("--config", path, "The configuration (TOML)")->type_name("FILE");
    auto* terminal = app.add_subcommand(
        "new-terminal",
        "Make a terminal's key: prints its lines for the configuration, and once, to standard error, the key");
    terminal->add_option("ID", id, "The terminal's name, such as caixa-01")->required();
    std::string file;
    const auto about_journal = [&](const char* name, const char* what) {
        auto* command = app.add_subcommand(name, what);
        command->add_option("--config", path, "The configuration that names the journal")
            ->type_name("FILE")
            ->default_str(usual_config);
        return command;
    };
    bool as_json = false;
    auto* attention =
        about_journal("attention", "List the sales that need a person: what is known, what not, what to do");
    attention->add_flag("--json", as_json, "One JSON object a line, and nothing where there is no such sale");
    auto* backup = about_journal("backup", "Make a verified copy of the journal, whether or not a gateway runs on it");
    backup->add_option("FILE", file, "The copy, which must not be there yet")->required();
    auto* restoring = about_journal("restore", "Put a copy in the journal's place, while no gateway runs on it");
    restoring->add_option("FILE", file, "A copy that backup made")->required();
    app.require_subcommand(0, 1);
    app.footer(footer);  // after the commands, which would take it over
    try {
        app.parse(argc, argv);
        const bool serving = app.get_subcommands().empty();
        if ((serving || check->parsed()) && path.empty()) throw CLI::RequiredError("--config");
        if (check->parsed()) return check_config_file(path);
        if (terminal->parsed()) return new_terminal(id);
        if (attention->parsed()) return list_attention(path.empty() ? usual_config : path, as_json);
        if (backup->parsed()) return back_up_journal(path.empty() ? usual_config : path, file);
        if (restoring->parsed()) return restore_journal(path.empty() ? usual_config : path, file);
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
    const int code = run(argc, argv);
    // An answer that could not be written, on a full disk for one, is none: an empty list of sales is good news.
    if (std::cout.flush()) return code;
    std::cerr << "error: standard output cannot be written\n";
    return code == exit_ok ? exit_failure : code;
}
