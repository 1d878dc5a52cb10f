#include "app/command_line.hpp"

#include "base/told.hpp"
#include "config/spelling.hpp"
#include "reconcile/totals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <vector>

namespace gateway {
namespace {

// One list has at most so many sales; more is for programs, which ask the listener.
constexpr int most_sales = 100'000;
// The gateway puts no more than this into one page.
constexpr int most_findings = 500;

// Says what is wrong with a list of groups; empty where nothing is.
std::string wrong_groups(const std::string& text) {
    std::string_view rest = text;
    while (true) {
        const auto comma = rest.find(',');
        const auto word = rest.substr(0, comma);
        if (!parse_totals_by(word)) {
            std::vector<std::string_view> known;
            known.reserve(all_totals_by.size());
            for (const auto by : all_totals_by)
                known.push_back(to_string(by));
            return "--by: " +
                   fmt::format(told("{} is none of family, terminal, cashier, estabelecimento, produto and hour"),
                               word) +
                   did_you_mean(word, known);
        }
        if (comma == std::string_view::npos) return {};
        rest.remove_prefix(comma + 1);
    }
}

void add_establishment(CLI::App& command, std::string& estabelecimento, const char* what) {
    command.add_option("--estabelecimento", estabelecimento, what)->type_name("NUMBER");
}

}  // namespace

CLI::App* add_command(CLI::App& app, Asking& asking, const char* name, const char* what, const char* config) {
    auto* command = app.add_subcommand(name, what);
    command->add_option("--config", asking.config, config)->type_name("FILE")->default_str(usual_config);
    return command;
}

void add_language(CLI::App& command, Asking& asking) {
    command
        .add_option_function<std::string>(
            "--lang",
            [&asking](const std::string& text) {
                asking.language = text == "pt" ? Language::portuguese : Language::english;
            },
            "In Portuguese or English, whatever LANG says: pt, en")
        ->type_name("LANGUAGE")
        ->check(CLI::IsMember({"pt", "en"}).description(""));
}

void add_json(CLI::App& command, Asking& asking, const char* what) {
    command.add_flag("--json", asking.as_json, what);
}

CLI::App* add_question(CLI::App& app, Asking& asking, const char* name, const char* what) {
    auto* command = add_command(app, asking, name, what, "The configuration that names the admin listener");
    command->add_option("--admin", asking.admin, "The admin listener, whatever a configuration says")
        ->type_name("HOST:PORT");
    add_language(*command, asking);
    return command;
}

// Refuses an option that a script left empty: it would be left out, and the list would be of all sales.
const CLI::Validator not_empty(
    [](const std::string& text) { return std::string(text.empty() ? told("must not be empty") : ""); }, "");

CLI::App* add_sales(CLI::App& app, Asking& asking, ListArguments& arguments) {
    auto* command = add_question(app, asking, "sales", "List sales, newest first");
    command->add_option("--limit", arguments.limit, "How many at most")
        ->check(CLI::Range(1, most_sales))
        ->default_str(std::to_string(arguments.limit));
    command->add_option("--status", arguments.status, "PENDENTE, AUTORIZADA, EFETIVADA, CANCELADA or NEGADA")
        ->type_name("STATUS")
        ->check(CLI::IsMember({"PENDENTE", "AUTORIZADA", "EFETIVADA", "CANCELADA", "NEGADA"}, CLI::ignore_case)
                    .description(""));
    command->add_flag("--attention", arguments.attention, "Those that need a person");
    command->add_option("--key", arguments.key, "Of this Idempotency-Key")->type_name("KEY")->check(not_empty);
    command->add_option("--id-externo", arguments.id_externo, "With this idExterno, of any attempt")
        ->type_name("ID")
        ->check(not_empty);
    command->add_option("--from", arguments.from, "Begun at this time or later: today, yesterday, 2026-11-22 17:05")
        ->type_name("TIME")
        ->check(not_empty);
    command->add_option("--to", arguments.to, "Begun before this time; of a date, on that day or before")
        ->type_name("TIME")
        ->check(not_empty);
    add_json(*command, asking, "One sale a line, as the gateway has it: with what was bought");
    return command;
}

CLI::App* add_resolve(CLI::App& app, Asking& asking, Resolution& resolution, bool& yes) {
    auto* command = add_question(app, asking, "resolve",
                                 "Say what became of a sale that needs a person. The note is shown to the terminal, "
                                 "and so to the cashier");
    command->add_option("ID", resolution.id, "The sale's id, or one of its idExternos")->type_name("")->required();
    command->add_flag("--sold", resolution.sold, "It was sold: it becomes EFETIVADA");
    command->add_flag("--not-sold", resolution.not_sold, "It was not, and will not be: it becomes CANCELADA");
    command->add_flag("--noted", resolution.noted, "Its status is final already: only clear its mark");
    command->add_option("--note", resolution.note, "What was found out or done; the terminal and the cashier see it")
        ->type_name("TEXT")
        ->required();
    command->add_option("--msisdn", resolution.msisdn, "The number of an eSIM that was sold, for its receipt")
        ->type_name("NUMBER");
    command->add_option("--url", resolution.url, "The activation address of an eSIM that was sold, for its receipt")
        ->type_name("URL");
    command->add_option("--by", resolution.by, "Who decided, instead of who is logged in")->type_name("NAME");
    command->add_flag("--yes", yes, "Do not ask");
    add_json(*command, asking, "Print the sale as the gateway has it now");
    return command;
}

CLI::App* add_totals(CLI::App& app, Asking& asking, TotalsArguments& arguments) {
    auto* command = add_question(app, asking, "totals", "Say what days came to: sold, cancelled, refused, open");
    auto* day = command->add_option("--day", arguments.day, "Of this day, instead of today: yesterday, 2026-11-20");
    day->type_name("DAY");
    auto* from = command->add_option("--from", arguments.from, "From this day on, up to today or --to");
    from->type_name("DAY")->excludes(day);
    command->add_option("--to", arguments.to, "Up to this day, which is the last one")->type_name("DAY")->needs(from);
    command
        ->add_option("--by", arguments.by,
                     "In groups: family,terminal,cashier,estabelecimento,produto, or some of them")
        ->type_name("GROUPS")
        ->check(CLI::Validator(wrong_groups, ""));
    add_establishment(*command, arguments.estabelecimento, "Of one establishment only");
    add_json(*command, asking, "Print what the gateway says as one JSON object");
    command->add_flag("--csv", arguments.as_csv, "Print the groups for a spreadsheet")->excludes("--json");
    return command;
}

CLI::App* add_close(CLI::App& app, Asking& asking, CloseArguments& arguments, bool& yes) {
    auto* command = add_question(app, asking, "close",
                                 "Close a day: it gets a number, and its totals never change any more. What becomes "
                                 "final later is in the close of a later day");
    command->add_option("--day", arguments.day, "This day, instead of today: yesterday, 2026-11-20")->type_name("DAY");
    add_establishment(*command, arguments.estabelecimento, "One establishment, instead of all of the configuration");
    command->add_option("--by", arguments.by, "Who closes, instead of who is logged in")->type_name("NAME");
    command->add_flag("--yes", yes, "Do not ask");
    add_json(*command, asking, "Print the closes as the gateway has them");
    return command;
}

CLI::App* add_reconcile(CLI::App& app, Asking& asking, StatementArguments& arguments, bool& from_provider) {
    auto* command =
        add_question(app, asking, "reconcile", "Bring the provider's statement of a day, and list what does not agree");
    command->add_option("FILE", arguments.file, "The provider's file, as [statement] of the configuration reads it")
        ->type_name("");
    command->add_flag("--from-provider", from_provider, "Ask the provider for its list of the day instead");
    command
        ->add_flag("--from-status", arguments.from_status,
                   "Ask the provider how the sales of the day stand that are open or do not agree, one by one")
        ->excludes("--from-provider");
    command->add_option("--day", arguments.day, "Which day it must be of: today, yesterday, 2026-11-20")
        ->type_name("DAY");
    command->add_flag("--again", arguments.again,
                      "Read it although it was read before: it counts for its day from now on");
    command->add_option("--by", arguments.by, "Who brings it, instead of who is logged in")->type_name("NAME");
    add_json(*command, asking, "Print what the gateway says as one JSON object");
    return command;
}

CLI::App* add_copy_journal(CLI::App& app, Asking& asking, MovingArguments& arguments) {
    auto* command =
        add_command(app, asking, "copy-journal",
                    "Move the journal from a file to PostgreSQL or back, while no gateway runs on it. It is "
                    "compared row by row; then the old one is marked, and no gateway starts on it",
                    "The configuration that names the place which is not named here");
    command->add_option("--from", arguments.from, "Where the journal is: a file, or postgresql://...")
        ->type_name("PLACE");
    command->add_option("--to", arguments.to, "Where it is to be: a new file, or a database without a journal")
        ->type_name("PLACE");
    command
        ->add_option("--password-file", arguments.password_file,
                     "With the password for a database that the configuration does not name")
        ->type_name("FILE");
    return command;
}

CLI::App* add_probe(CLI::App& app) {
    auto* command = app.add_subcommand("probe", what_probe_does);
    command->set_help_flag();
    command->allow_extras();
    return command;
}

CLI::App* add_terminal(CLI::App& app, std::string& id) {
    auto* command = app.add_subcommand(
        "new-terminal",
        "Make a terminal's key: prints its lines for the configuration, and once, to standard error, the key");
    command->add_option("ID", id, "The terminal's name, such as caixa-01")->required();
    return command;
}

CLI::App* add_person(CLI::App& app, std::string& name, std::string& role) {
    auto* command = app.add_subcommand("new-operator",
                                       "Make the lines for the configuration that let a person sign in at the console");
    command->add_option("NAME", name, "The person's name, as the history of a sale will have it")->required();
    command->add_option("--role", role, "look sees; settle also closes, reconciles and settles")
        ->type_name("ROLE")
        ->check(CLI::IsMember({"look", "settle"}).description(""))
        ->default_str(role);
    return command;
}

CLI::App* add_certificate(CLI::App& app, Asking& asking, CertificateWish& wish) {
    auto* command = add_command(app, asking, "new-certificate",
                                "Make a certificate for the console, or renew it, and an authority of the store's own "
                                "that telephones install: in tls/ beside the configuration",
                                "The configuration, beside which the files are");
    command
        ->add_option("NAME-OR-ADDRESS", wish.names,
                     "By which browsers call the console, such as gateway.store or 192.168.10.5; else those of "
                     "listen.console_names, else those of this machine")
        ->type_name("")
        ->check(CLI::Validator(wrong_name_of_console, ""));
    command->add_flag("--new-authority", wish.new_authority,
                      "Replace the authority that is there: every telephone must install the new one");
    return command;
}

CLI::App* add_openapi(CLI::App& app, std::string& listener) {
    auto* command = app.add_subcommand("openapi", "Print the OpenAPI document of a listener, as it serves it");
    command->add_option("LISTENER", listener, "terminals or admin")
        ->required()
        ->check(CLI::IsMember({"terminals", "admin"}).description(""));
    return command;
}

CLI::App* add_findings(CLI::App& app, Asking& asking, FindingArguments& arguments) {
    auto* command =
        add_question(app, asking, "findings", "List what does not agree with the provider's statements, newest first");
    command->add_flag("--all", arguments.all, "Those that are closed, too");
    command->add_option("--kind", arguments.kind, "Of this kind, such as sold_there")->type_name("KIND");
    command->add_option("--day", arguments.day, "Of the statement of this day: today, yesterday, 2026-11-20")
        ->type_name("DAY");
    command->add_option("--limit", arguments.limit, "How many at most")
        ->check(CLI::Range(1, most_findings))
        ->default_str(std::to_string(arguments.limit));
    auto* resolved = command->add_option("--resolve", arguments.number, "Close the finding of this number, with --note")
                         ->type_name("NUMBER")
                         ->check(CLI::PositiveNumber.description(""));
    auto* note =
        command->add_option("--note", arguments.note, "What was found out or done about it")->type_name("TEXT");
    resolved->needs(note);
    note->needs(resolved);
    command->add_option("--by", arguments.by, "Who closes it, instead of who is logged in")->type_name("NAME");
    add_json(*command, asking, "One finding a line, as the gateway has it");
    return command;
}

}  // namespace gateway
