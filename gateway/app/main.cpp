// Reads the command line, does what it says, and returns the exit code that says how it went.
#include "app/app.hpp"
#include "app/command_line.hpp"
#include "app/journal_opening.hpp"
#include "app/journal_tools.hpp"
#include "app/listeners.hpp"
#include "base/process.hpp"
#include "base/system.hpp"
#include "base/systemd.hpp"
#include "base/told.hpp"
#include "base/wall_time.hpp"
#include "commands/commands.hpp"
#include "config/config.hpp"
#include "config/new_certificate.hpp"
#include "config/new_operator.hpp"
#include "config/new_terminal.hpp"
#include "families/plain_text.hpp"
#include "http/client/https_client.hpp"
#include "words/sentences.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace gateway;

constexpr auto description = told(
    "Sells prepaid products for the terminals of a store, and never loses a sale.\n\n"
    "With --config and no command it serves, in the foreground, and logs to standard output.");

constexpr auto footer = told(
    "status, sales, show, resolve, totals, close, reconcile, findings and console ask the gateway that runs, at\n"
    "listen.admin of the configuration.\n"
    "Every command reads /etc/sales-gateway/gateway.toml where --config names no other file.\n\n"
    "Signals while it serves:\n"
    "  SIGTERM, SIGINT   take no more sales, let running ones reach a safe point, end\n"
    "  SIGHUP            read the configuration again: terminals, products, certificates, credentials, log level\n\n"
    "Exit codes:\n"
    "  0   done\n"
    "  1   could not start or go on, or no gateway answers; standard error says why\n"
    "  2   the command line or the configuration is wrong\n"
    "  3   of status: the gateway answers, and takes no sales\n\n"
    "sales-gateway(8) has examples and explains every word that the commands say of a sale;\n"
    "gateway.example.toml explains every key of the configuration (in the package: /etc/sales-gateway/).");

constexpr auto what_to_type = told(
    "there is nothing to do without a command. Type\n"
    "  sales-gateway --config FILE   to serve\n"
    "  sales-gateway status          to see whether the gateway sells\n"
    "  sales-gateway sales           to list the latest sales\n"
    "  sales-gateway attention       to list the sales that need a person\n"
    "  sales-gateway totals          to see what today came to\n"
    "  sales-gateway --help          for everything else");

// Errors are this command's answer and go to standard output; warnings are remarks on it. A warning about what hinders
// all sales is told as an error, though a gateway starts with it.
int check_config_file(const std::string& path, Language language) {
    auto reading = load_config(path);
    look_at_journal(reading);
    look_at_addresses(reading);
    auto& warnings = reading.warnings;
    const auto first_that_hinders = std::stable_partition(
        warnings.begin(), warnings.end(), [](const ConfigProblem& warning) { return !warning.hinders; });
    auto wrong = reading.errors;
    std::move(first_that_hinders, warnings.end(), std::back_inserter(wrong));
    warnings.erase(first_that_hinders, warnings.end());
    std::ranges::move(faults_for_service(path, reading), std::back_inserter(wrong));
    std::ranges::stable_sort(wrong, {}, &ConfigProblem::line);
    print(std::cerr, told("warning"), warnings, path, language);
    print(std::cout, told("error"), wrong, path, language);
    if (!wrong.empty()) return exit_usage;
    std::cout << "ok\n";
    return exit_ok;
}

// The lines go to standard output and the key to standard error, so that the lines alone can be sent into a file.
int new_terminal(const std::string& id, Language language) {
    if (!is_terminal_id(id)) {
        complain(language, told("a terminal's id is 1 to 64 letters, digits, dots, - and _"));
        return exit_usage;
    }
    SystemRandom random;
    const auto terminal = make_terminal(id, random);
    std::cout << terminal.lines << std::flush;
    std::cerr << '\n'
              << told_in(language, told("The lines above belong into the configuration. This is the key, for the "
                                        "terminal alone; it is shown\nonly now and cannot be had from the lines:"))
              << "\n\n    " << terminal.key.reveal() << '\n';
    return exit_ok;
}

// Here, too, only the lines go to standard output.
int new_operator(const std::string& name, const std::string& role, Language language) {
    if (!is_name(name)) {
        complain(language, fmt::format(told("a name is {}"), name_in_words));
        return exit_usage;
    }
    const auto password = ask_password(told_in(language, fmt::format(told("Password of {}: "), name)));
    if (!password) return exit_usage;
    if (const auto trouble = password_trouble(*password)) {
        complain(language, fmt::format(told("the password {}"), *trouble));
        return exit_usage;
    }
    if (can_be_asked() && ask_password(told_in(language, told("The same again: "))) != password) {
        complain(language, told("these two are not the same"));
        return exit_usage;
    }
    SystemRandom random;
    std::cout << operator_lines(name, role, *password, random) << std::flush;
    std::cerr << '\n'
              << told_in(language, told("The lines above belong into the configuration; the gateway takes them when it "
                                        "is reloaded."))
              << '\n';
    return exit_ok;
}

// Here, too, only the lines go to standard output. No key is printed.
int new_certificate(const CertificateWish& wish, Language language) {
    boost::asio::io_context context(1);
    const SystemClock clock(context.get_executor());
    SystemRandom random;
    const auto made = make_certificate(wish, clock.wall(), random);
    if (!made) {
        complain(language, made.error());
        return exit_failure;
    }
    std::cout << made->lines << std::flush;
    std::cerr << what_to_do_with(*made, {language, told_in});
    return exit_ok;
}

int print_openapi(const std::string& listener) {
    std::cout << openapi_document(listener) << '\n';
    return exit_ok;
}

int move_journal(const Asking& asking, MovingArguments arguments) {
    arguments.config = asking.config;
    switch (move_journal_of(arguments, std::cout, std::cerr, isatty(STDERR_FILENO) == 1, asking.language)) {
        case MovingEnd::done: return exit_ok;
        case MovingEnd::failed: return exit_failure;
        case MovingEnd::misused: break;
    }
    return exit_usage;
}

int serve_file(const std::string& path) {
    // A reload in the first moments must not end the gateway, and may mean a file that has been read already: it waits
    // until it can be obeyed.
    hold_back(SIGHUP);
    Systemd systemd(SystemdEnvironment::of_this_process());
    const auto reading = load_config(path);
    const auto language = reading.seen().log.language;
    const auto before = [&](LogLevel level) { return systemd.reads(STDERR_FILENO) ? priority_prefix(level) : ""; };
    print(std::cerr, told("warning"), reading.warnings, path, language, before(LogLevel::warn));
    print(std::cerr, told("error"), reading.errors, path, language, before(LogLevel::error));
    if (!reading.config) return exit_usage;
    use_local_zone(reading.config->store.timezone);
    try {
        return serve(*reading.config, path, systemd);
    } catch (const std::exception& error) {
        std::cerr << before(LogLevel::error);
        complain(language, error.what());
        return exit_failure;
    }
}

// A listener on every address of this machine is asked at the machine's own.
http::Origin origin_of(const Endpoint& listener) {
    auto address = listener.address();
    if (address.is_unspecified())
        address = address.is_v6() ? boost::asio::ip::address(boost::asio::ip::address_v6::loopback())
                                  : boost::asio::ip::address(boost::asio::ip::address_v4::loopback());
    return {.tls = false, .host = address.to_string(), .port = listener.port()};
}

std::optional<http::Origin> admin_origin(const Asking& asking) {
    if (asking.admin.empty()) {
        const auto reading = load_admin_address(asking.config);
        print(std::cerr, told("error"), reading.errors, asking.config, asking.language);
        return reading.admin ? std::optional(origin_of(*reading.admin)) : std::nullopt;
    }
    auto origin = parse_admin_origin(asking.admin);
    if (!origin) complain(asking.language, told("--admin is HOST:PORT, such as 127.0.0.1:9090"));
    return origin;
}

int ask_gateway(const Asking& asking, const std::function<int(const Shell&)>& command) {
    const auto origin = admin_origin(asking);
    if (!origin) return exit_usage;
    boost::asio::io_context context(1);
    SystemClock clock(context.get_executor());
    SystemRandom random;
    const auto log = make_silent_log();
    const auto address = origin->authority();
    http::HttpsClientOptions options;
    options.name = "admin";
    options.origin = *origin;
    options.limits.body = admin_answer_limit;
    http::HttpsClient client(context.get_executor(), std::move(options), clock, random, *log);
    const auto& words = Words::in(asking.language);
    AdminClient gateway(context, clock, client, address, words);
    return command({.gateway = gateway,
                    .words = words,
                    .screen = screen_of_standard_output(),
                    .now = clock.wall(),
                    .out = std::cout,
                    .err = std::cerr,
                    .as_json = asking.as_json});
}

// Returns nothing to ask with where nobody sits there, or where yes was said already.
Confirmation confirmation_unless(bool yes) {
    return yes || !can_be_asked() ? Confirmation() : confirmed;
}

// A configuration that was named before the command is for the probe, too.
int become_probe(const CLI::Option& config, std::vector<std::string> arguments, Language language) {
    if (config.count() > 0) arguments.insert(arguments.begin(), "--config=" + config.as<std::string>());
    const auto why = become("sales-gateway-probe", std::move(arguments));
    complain(language, why);
    return exit_usage;
}

int resolve(const Asking& asking, Resolution resolution, bool yes) {
    if (resolution.sold + resolution.not_sold + resolution.noted != 1) {
        complain(asking.language, told("say one of --sold, --not-sold and --noted"));
        return exit_usage;
    }
    if (resolution.not_sold && !(resolution.msisdn.empty() && resolution.url.empty())) {
        complain(asking.language, told("--msisdn and --url are of an eSIM that was sold"));
        return exit_usage;
    }
    if (resolution.by.empty()) resolution.by = operator_name();
    return ask_gateway(asking,
                       [&](const Shell& shell) { return resolve_sale(shell, resolution, confirmation_unless(yes)); });
}

int close(const Asking& asking, CloseArguments arguments, bool yes) {
    if (arguments.by.empty()) arguments.by = operator_name();
    return ask_gateway(asking,
                       [&](const Shell& shell) { return close_day(shell, arguments, confirmation_unless(yes)); });
}

int reconcile(const Asking& asking, StatementArguments arguments, bool from_provider) {
    const bool from_file = !arguments.file.empty();
    if ((from_provider || arguments.from_status) == from_file) {
        complain(asking.language, told("name a file, or --from-provider, or --from-status"));
        return exit_usage;
    }
    if (arguments.by.empty()) arguments.by = operator_name();
    arguments.shows_progress = isatty(STDERR_FILENO) == 1;
    return ask_gateway(asking, [&](const Shell& shell) { return reconcile_statement(shell, arguments); });
}

int findings(const Asking& asking, FindingArguments arguments) {
    if (arguments.by.empty()) arguments.by = operator_name();
    return ask_gateway(asking, [&](const Shell& shell) {
        return arguments.number > 0 ? resolve_finding(shell, arguments) : list_findings(shell, arguments);
    });
}

// Holds what the options of the commands say.
struct Arguments {
    Asking asking;
    bool yes = false;
    std::string id;  // the id, or the name of a person
    ListArguments list;
    Resolution resolution;
    TotalsArguments totals;
    CloseArguments closing;
    StatementArguments statement;
    bool from_provider = false;
    FindingArguments findings;
    std::string file;
    std::string gone;
    MovingArguments moving;
    std::string role = "look";
    CertificateWish certificate;
    std::string listener;
};

// Holds the commands, each with a function that does it and returns the exit code.
using Commands = std::vector<std::pair<CLI::App*, std::function<int()>>>;

CLI::App* add_show(CLI::App& app, Asking& asking, std::string& id) {
    auto* command =
        add_question(app, asking, "show", "Show a sale: what is done about it now, and all that happened to it");
    command->add_option("ID", id, "The sale's id, or one of its idExternos")->type_name("")->required();
    add_json(*command, asking, "Print the sale and its history as one JSON object: with what was bought");
    return command;
}

CLI::App* add_attention(CLI::App& app, Asking& asking) {
    auto* command =
        add_command(app, asking, "attention", "List the sales that need a person: what is known, what not, what to do");
    add_language(*command, asking);
    add_json(*command, asking, "One JSON object a line, and nothing where there is no such sale");
    return command;
}

CLI::App* add_gateways(CLI::App& app, Asking& asking, std::string& gone) {
    auto* command = add_command(app, asking, "gateways",
                                "List the gateways that share the journal on PostgreSQL, and what waits for them");
    command->add_option("--gone", gone, "Let go of one whose machine will not return")->type_name("NAME");
    add_language(*command, asking);
    add_json(*command, asking, "One JSON object a line");
    return command;
}

void add_sale_commands(CLI::App& app, Arguments& given, Commands& commands) {
    auto* status = add_question(app, given.asking, "status", "Say whether the gateway sells, and if not why");
    add_json(*status, given.asking, "Print what the gateway says as one JSON object");
    commands.emplace_back(status, [&given] { return ask_gateway(given.asking, show_status); });
    commands.emplace_back(add_sales(app, given.asking, given.list), [&given] {
        return ask_gateway(given.asking, [&given](const Shell& shell) { return list_sales(shell, given.list); });
    });
    commands.emplace_back(add_show(app, given.asking, given.id), [&given] {
        return ask_gateway(given.asking, [&given](const Shell& shell) { return show_sale(shell, given.id); });
    });
    commands.emplace_back(add_attention(app, given.asking), [&given] {
        return list_attention(given.asking.config, given.asking.as_json, given.asking.language);
    });
    commands.emplace_back(add_resolve(app, given.asking, given.resolution, given.yes),
                          [&given] { return resolve(given.asking, given.resolution, given.yes); });
}

// Adds the commands about days and about what the provider says of them.
void add_book_commands(CLI::App& app, Arguments& given, Commands& commands) {
    commands.emplace_back(add_totals(app, given.asking, given.totals), [&given] {
        return ask_gateway(given.asking, [&given](const Shell& shell) { return show_totals(shell, given.totals); });
    });
    commands.emplace_back(add_close(app, given.asking, given.closing, given.yes),
                          [&given] { return close(given.asking, given.closing, given.yes); });
    commands.emplace_back(add_reconcile(app, given.asking, given.statement, given.from_provider),
                          [&given] { return reconcile(given.asking, given.statement, given.from_provider); });
    commands.emplace_back(add_findings(app, given.asking, given.findings),
                          [&given] { return findings(given.asking, given.findings); });
}

// Adds the commands that work on the journal itself, whether or not a gateway runs on it.
void add_journal_commands(CLI::App& app, Arguments& given, Commands& commands) {
    auto* backup = add_command(app, given.asking, "backup",
                               "Make a verified copy of the journal, whether or not a gateway runs on it");
    backup->add_option("FILE", given.file, "The copy, which must not be there yet")->required();
    commands.emplace_back(backup,
                          [&given] { return back_up_journal(given.asking.config, given.file, given.asking.language); });
    auto* restoring =
        add_command(app, given.asking, "restore", "Put a copy in the journal's place, while no gateway runs on it");
    restoring->add_option("FILE", given.file, "A copy that backup made")->required();
    restoring->add_flag("--yes", given.yes, "Do not ask, even where no sale is in the copy");
    commands.emplace_back(restoring, [&given] {
        return restore_journal(given.asking.config, given.file, given.yes, confirmation_unless(false),
                               given.asking.language);
    });
    auto* marking =
        add_command(app, given.asking, "mark-restored",
                    "Leave the open sales of a journal that was restored, or lost what it knew, to a person");
    marking->add_flag("--yes", given.yes, "Do not ask");
    commands.emplace_back(marking, [&given] {
        return mark_journal_restored(given.asking.config, confirmation_unless(given.yes), given.asking.language);
    });
    commands.emplace_back(add_gateways(app, given.asking, given.gone), [&given] {
        return given.gone.empty() ? list_gateways(given.asking.config, given.asking.as_json, given.asking.language)
                                  : let_go_of_gateway(given.asking.config, given.gone, given.asking.language);
    });
    commands.emplace_back(add_copy_journal(app, given.asking, given.moving),
                          [&given] { return move_journal(given.asking, given.moving); });
}

void add_other_commands(CLI::App& app, Arguments& given, Commands& commands) {
    auto* check = add_command(app, given.asking, "check-config",
                              "Say everything that is wrong with a configuration, or ok", "The configuration (TOML)");
    commands.emplace_back(check, [&given] { return check_config_file(given.asking.config, given.asking.language); });
    commands.emplace_back(add_terminal(app, given.id),
                          [&given] { return new_terminal(given.id, given.asking.language); });
    commands.emplace_back(add_person(app, given.id, given.role),
                          [&given] { return new_operator(given.id, given.role, given.asking.language); });
    commands.emplace_back(add_certificate(app, given.asking, given.certificate), [&given] {
        given.certificate.config = given.asking.config;
        return new_certificate(given.certificate, given.asking.language);
    });
    commands.emplace_back(add_openapi(app, given.listener), [&given] { return print_openapi(given.listener); });
    auto* console =
        add_question(app, given.asking, "console", "Print a link that opens the console, once, on this machine");
    add_json(*console, given.asking, "Print address and secret as one JSON object");
    commands.emplace_back(console, [&given] { return ask_gateway(given.asking, show_console_link); });
}

int run(int argc, char** argv) {
    CLI::App app(std::string(description), "sales-gateway");
    app.set_version_flag("--version", "sales-gateway " + std::string(version()), "Print the version and end");
    Arguments arguments;
    auto& asking = arguments.asking;
    auto* config = app.add_option("--config", asking.config, "The configuration (TOML)")->type_name("FILE");
    Commands commands;
    add_sale_commands(app, arguments, commands);
    add_book_commands(app, arguments, commands);
    add_journal_commands(app, arguments, commands);
    auto* probing = add_probe(app);
    add_other_commands(app, arguments, commands);
    app.require_subcommand(0, 1);
    app.footer(std::string(footer));  // is set after the commands, which would take it over
    try {
        app.parse(argc, argv);
        if (probing->parsed()) return become_probe(*config, probing->remaining(), asking.language);
        // What a command prints is told in the store's time, like what the gateway prints, whatever zone the caller is
        // in.
        const auto zone = app.get_subcommands().empty() ? std::nullopt : load_store_zone(asking.config);
        if (zone) use_local_zone(*zone);
        for (const auto& [command, run_it] : commands)
            if (command->parsed()) return run_it();
        if (config->count() > 0) return serve_file(asking.config);
        complain(asking.language, what_to_type);
        return exit_usage;
    } catch (const CLI::Success& error) {
        tell(app, asking.language);
        return app.exit(error);
    } catch (const CLI::ParseError& error) {
        return wrong_command_line(app, error, asking.language);
    } catch (const std::exception& error) {
        complain(asking.language, error.what());
        return exit_failure;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int code = run(argc, argv);
    // An answer that could not be written, for example on a full disk, counts as none, because an empty list of sales
    // would be good news.
    if (std::cout.flush()) return code;
    complain(language_of_environment(), told("standard output cannot be written"));
    return code == exit_ok ? exit_failure : code;
}
