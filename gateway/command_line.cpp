#include "command_line.hpp"

#include "config/spelling.hpp"
#include "reconcile/totals.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <vector>

namespace gateway {
namespace {

// Of one list; more is for programs, which ask the listener.
constexpr int most_sales = 100'000;
// The most that the gateway puts into one page.
constexpr int most_findings = 500;

// What was meant by a word that is none of the command line's.
std::string suggestion(const CLI::App& app, const std::string& word) {
    std::vector<std::string> known;
    const auto used = app.get_subcommands();
    const auto& command = used.empty() ? app : *used.front();
    if (word.starts_with('-')) {
        for (const auto* option : command.get_options())
            for (const auto& name : option->get_lnames())
                known.push_back("--" + name);
    } else if (used.empty()) {
        for (const auto* other : app.get_subcommands([](const CLI::App*) { return true; }))
            known.push_back(other->get_name());
    }
    const std::vector<std::string_view> words(known.begin(), known.end());
    return did_you_mean(word, words);
}

// What is wrong with a list of groups; empty where nothing is.
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
            return "--by: " + std::string(word) +
                   " is none of family, terminal, cashier, estabelecimento, produto and hour" +
                   did_you_mean(word, known);
        }
        if (comma == std::string_view::npos) return {};
        rest.remove_prefix(comma + 1);
    }
}

void add_language(CLI::App& command, Language& language) {
    language = language_of_environment();
    command
        .add_option_function<std::string>(
            "--lang",
            [&language](const std::string& text) {
                language = text == "pt" ? Language::portuguese : Language::english;
            },
            "In Portuguese or English, whatever LANG says: pt, en")
        ->type_name("LANGUAGE")
        ->check(CLI::IsMember({"pt", "en"}).description(""));
}

void add_establishment(CLI::App& command, std::string& estabelecimento, const char* what) {
    command.add_option("--estabelecimento", estabelecimento, what)->type_name("NUMBER");
}

}  // namespace

// A word that is not known comes first: what is missing may be what it was to be.
int wrong_command_line(const CLI::App& app, const CLI::ParseError& error) {
    if (const auto unknown = app.remaining(true); !unknown.empty()) {
        const bool is_command = app.get_subcommands().empty() && !unknown.front().starts_with('-');
        std::cerr << "error: " << unknown.front() << (is_command ? " is no command" : " was not expected")
                  << suggestion(app, unknown.front()) << '\n';
    } else {
        std::cerr << "error: " << error.what() << '\n';
    }
    std::cerr << "Run with --help for more information.\n";
    return exit_usage;
}

CLI::App* add_command(CLI::App& app, Asking& asking, const char* name, const char* what, const char* config) {
    auto* command = app.add_subcommand(name, what);
    command->add_option("--config", asking.config, config)->type_name("FILE")->default_str(usual_config);
    return command;
}

void add_json(CLI::App& command, Asking& asking, const char* what) {
    command.add_flag("--json", asking.as_json, what);
}

CLI::App* add_question(CLI::App& app, Asking& asking, const char* name, const char* what) {
    auto* command = add_command(app, asking, name, what, "The configuration that names the admin listener");
    command->add_option("--admin", asking.admin, "The admin listener, whatever a configuration says")
        ->type_name("HOST:PORT");
    return command;
}

// Refuses an option that a script left empty: it would be left out, and the list would be of all sales.
const CLI::Validator not_empty([](const std::string& text) { return text.empty() ? "must not be empty" : ""; }, "");

CLI::App* add_sales(CLI::App& app, Asking& asking, ListWishes& wishes) {
    auto* command = add_question(app, asking, "sales", "List sales, newest first");
    command->add_option("--limit", wishes.limit, "How many at most")
        ->check(CLI::Range(1, most_sales))
        ->default_str(std::to_string(wishes.limit));
    command->add_option("--status", wishes.status, "PENDENTE, AUTORIZADA, EFETIVADA, CANCELADA or NEGADA")
        ->type_name("STATUS")
        ->check(CLI::IsMember({"PENDENTE", "AUTORIZADA", "EFETIVADA", "CANCELADA", "NEGADA"}, CLI::ignore_case)
                    .description(""));
    command->add_flag("--attention", wishes.attention, "Those that need a person");
    command->add_option("--key", wishes.key, "Of this Idempotency-Key")->type_name("KEY")->check(not_empty);
    command->add_option("--id-externo", wishes.id_externo, "With this idExterno, of any attempt")
        ->type_name("ID")
        ->check(not_empty);
    command->add_option("--from", wishes.from, "Begun at this time or later: today, yesterday, 2026-11-22 17:05")
        ->type_name("TIME")
        ->check(not_empty);
    command->add_option("--to", wishes.to, "Begun before this time; of a date, on that day or before")
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

CLI::App* add_totals(CLI::App& app, Asking& asking, TotalsWishes& wishes) {
    auto* command = add_question(app, asking, "totals", "Say what days came to: sold, cancelled, refused, open");
    auto* day = command->add_option("--day", wishes.day, "Of this day, instead of today: yesterday, 2026-11-20");
    day->type_name("DAY");
    auto* from = command->add_option("--from", wishes.from, "From this day on, up to today or --to");
    from->type_name("DAY")->excludes(day);
    command->add_option("--to", wishes.to, "Up to this day, which is the last one")->type_name("DAY")->needs(from);
    command
        ->add_option("--by", wishes.by, "In groups: family,terminal,cashier,estabelecimento,produto, or some of them")
        ->type_name("GROUPS")
        ->check(CLI::Validator(wrong_groups, ""));
    add_establishment(*command, wishes.estabelecimento, "Of one establishment only");
    add_json(*command, asking, "Print what the gateway says as one JSON object");
    command->add_flag("--csv", wishes.as_csv, "Print the groups for a spreadsheet")->excludes("--json");
    add_language(*command, wishes.language);
    return command;
}

CLI::App* add_close(CLI::App& app, Asking& asking, CloseWishes& wishes, bool& yes) {
    auto* command = add_question(app, asking, "close",
                                 "Close a day: it gets a number, and its totals never change any more. What becomes "
                                 "final later is in the close of a later day");
    command->add_option("--day", wishes.day, "This day, instead of today: yesterday, 2026-11-20")->type_name("DAY");
    add_establishment(*command, wishes.estabelecimento, "One establishment, instead of all of the configuration");
    command->add_option("--by", wishes.by, "Who closes, instead of who is logged in")->type_name("NAME");
    command->add_flag("--yes", yes, "Do not ask");
    add_json(*command, asking, "Print the closes as the gateway has them");
    add_language(*command, wishes.language);
    return command;
}

CLI::App* add_reconcile(CLI::App& app, Asking& asking, StatementWishes& wishes, bool& from_provider) {
    auto* command =
        add_question(app, asking, "reconcile", "Bring the provider's statement of a day, and list what does not agree");
    command->add_option("FILE", wishes.file, "The provider's file, as [statement] of the configuration reads it")
        ->type_name("");
    command->add_flag("--from-provider", from_provider, "Ask the provider for its list of the day instead");
    command
        ->add_flag("--from-status", wishes.from_status,
                   "Ask the provider how the sales of the day stand that are open or do not agree, one by one")
        ->excludes("--from-provider");
    command->add_option("--day", wishes.day, "Which day it must be of: today, yesterday, 2026-11-20")->type_name("DAY");
    command->add_flag("--again", wishes.again,
                      "Read it although it was read before: it counts for its day from now on");
    command->add_option("--by", wishes.by, "Who brings it, instead of who is logged in")->type_name("NAME");
    add_language(*command, wishes.language);
    add_json(*command, asking, "Print what the gateway says as one JSON object");
    return command;
}

CLI::App* add_copy_journal(CLI::App& app, Asking& asking, MovingWishes& wishes) {
    auto* command =
        add_command(app, asking, "copy-journal",
                    "Move the journal from a file to PostgreSQL or back, while no gateway runs on it. It is "
                    "compared row by row; then the old one is marked, and no gateway starts on it",
                    "The configuration that names the place which is not named here");
    command->add_option("--from", wishes.from, "Where the journal is: a file, or postgresql://...")->type_name("PLACE");
    command->add_option("--to", wishes.to, "Where it is to be: a new file, or a database without a journal")
        ->type_name("PLACE");
    command
        ->add_option("--password-file", wishes.password_file,
                     "With the password for a database that the configuration does not name")
        ->type_name("FILE");
    return command;
}

namespace {

void add_probe_goods(CLI::App& command, ProbeWishes& wishes) {
    command.add_option("--card", wishes.card, "transit: the number of a card of the test environment")
        ->type_name("NUMBER");
    command.add_option("--cpf", wishes.cpf, "tv: a cpf of the test environment")->type_name("CPF");
    command
        .add_option("--consumidor", wishes.consumidor_file,
                    "esim: JSON with consumidor and endereco, as a terminal sends them")
        ->type_name("FILE");
    command.add_option("--statement", wishes.statement_file, "A statement of the provider's, to look at its format")
        ->type_name("FILE");
}

void add_probe_candidates(CLI::App& command, ProbeWishes& wishes) {
    auto& trials = wishes.trials;
    command.add_option("--health-cancel-path", trials.health_paths, "Where a cancel of health may be, to be tried")
        ->type_name("PATH");
    command
        .add_option("--status-path", trials.status_paths,
                    "Where a sale's status may be asked for, with {idExterno} or {idTransacao}")
        ->type_name("PATH");
    command
        .add_option("--callback-field", trials.callback_fields,
                    "What the notification address of an eSIM may be called, besides the configured name")
        ->type_name("NAME");
}

}  // namespace

CLI::App* add_probe(CLI::App& app, Asking& asking, ProbeWishes& wishes) {
    auto* command = add_command(app, asking, "probe",
                                "Find out how the provider behaves where its document does not say, in its test "
                                "environment, and write the report of it",
                                "The configuration of the test environment");
    command
        ->add_option_function<std::string>(
            "--level",
            [&wishes](const std::string& word) {
                wishes.trials.level = probe::parse_level(word).value_or(probe::Level::look);
            },
            "look asks for no sale; authorise cancels every one; sell makes one of each family")
        ->type_name("LEVEL")
        ->check(CLI::IsMember({"look", "authorise", "sell"}).description(""))
        ->default_str("look");
    command
        ->add_option_function<std::vector<std::string>>(
            "--family",
            [&wishes](const std::vector<std::string>& words) {
                for (const auto& word : words)
                    if (const auto family = parse_family(word)) wishes.trials.families.insert(*family);
            },
            "Of these families alone: tv, egift, transit, health, esim")
        ->type_name("FAMILY")
        ->check(CLI::IsMember({"tv", "egift", "transit", "health", "esim"}).description(""));
    command->add_option("--out", wishes.folder, "The folder for what it writes; one that was begun is gone on with")
        ->type_name("DIR")
        ->default_str(wishes.folder);
    command->add_flag("--leave-open", wishes.trials.leave_open, "Leave a sale of each family open, to be revisited");
    command
        ->add_option_function<std::string>(
            "--revisit",
            [&wishes](const std::string& folder) {
                wishes.folder = folder;
                wishes.revisit = true;
                wishes.trials.level = probe::Level::authorise;
            },
            "What became of the sales that were left open in this folder, 49 hours later")
        ->type_name("DIR");
    command->add_flag("--may-stay-open", wishes.trials.may_stay_open,
                      "Authorise health too, though it is not known how such a sale is cancelled");
    add_probe_candidates(*command, wishes);
    add_probe_goods(*command, wishes);
    return command;
}

CLI::App* add_findings(CLI::App& app, Asking& asking, FindingWishes& wishes) {
    auto* command =
        add_question(app, asking, "findings", "List what does not agree with the provider's statements, newest first");
    command->add_flag("--all", wishes.all, "Those that are closed, too");
    command->add_option("--kind", wishes.kind, "Of this kind, such as sold_there")->type_name("KIND");
    command->add_option("--day", wishes.day, "Of the statement of this day: today, yesterday, 2026-11-20")
        ->type_name("DAY");
    command->add_option("--limit", wishes.limit, "How many at most")
        ->check(CLI::Range(1, most_findings))
        ->default_str(std::to_string(wishes.limit));
    auto* resolved = command->add_option("--resolve", wishes.number, "Close the finding of this number, with --note")
                         ->type_name("NUMBER")
                         ->check(CLI::PositiveNumber.description(""));
    auto* note = command->add_option("--note", wishes.note, "What was found out or done about it")->type_name("TEXT");
    resolved->needs(note);
    note->needs(resolved);
    command->add_option("--by", wishes.by, "Who closes it, instead of who is logged in")->type_name("NAME");
    add_language(*command, wishes.language);
    add_json(*command, asking, "One finding a line, as the gateway has it");
    return command;
}

}  // namespace gateway
