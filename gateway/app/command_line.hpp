// Says what the command line may have: the commands and their options.
#pragma once

#include "app/journal_moving.hpp"
#include "commands/commands.hpp"
#include "commands/usage.hpp"
#include "config/new_certificate.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace gateway {

// Says how the gateway that runs is asked.
struct Asking {
    std::string config = usual_config;
    std::string admin;  // empty: as the configuration says
    bool as_json = false;
    Language language = language_of_environment();
};

// Each of these adds a command. What its options say goes into the references, which must outlive the parsing.

// Adds a command that reads the configuration, or a part of it.
CLI::App* add_command(CLI::App& app, Asking& asking, const char* name, const char* what,
                      const char* config = "The configuration that names the journal");
// Adds a command that asks the gateway that runs.
CLI::App* add_question(CLI::App& app, Asking& asking, const char* name, const char* what);
CLI::App* add_sales(CLI::App& app, Asking& asking, ListArguments& arguments);
CLI::App* add_resolve(CLI::App& app, Asking& asking, Resolution& resolution, bool& yes);
CLI::App* add_totals(CLI::App& app, Asking& asking, TotalsArguments& arguments);
CLI::App* add_close(CLI::App& app, Asking& asking, CloseArguments& arguments, bool& yes);
CLI::App* add_reconcile(CLI::App& app, Asking& asking, StatementArguments& arguments, bool& from_provider);
CLI::App* add_findings(CLI::App& app, Asking& asking, FindingArguments& arguments);
CLI::App* add_copy_journal(CLI::App& app, Asking& asking, MovingArguments& arguments);
CLI::App* add_terminal(CLI::App& app, std::string& id);
CLI::App* add_person(CLI::App& app, std::string& name, std::string& role);
CLI::App* add_certificate(CLI::App& app, Asking& asking, CertificateWish& wish);
CLI::App* add_openapi(CLI::App& app, std::string& listener);
// Adds the command of the probe. Everything behind it is for the probe, which is a program of its own.
CLI::App* add_probe(CLI::App& app);

void add_language(CLI::App& command, Asking& asking);
void add_json(CLI::App& command, Asking& asking, const char* what);

}  // namespace gateway
