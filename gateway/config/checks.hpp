// Checks what a configuration can get wrong beyond the spelling of its values: keys that do not go together, files that
// cannot be read, settings that would lose money. Every check looks at everything, so that one run reports all of it.
#pragma once

#include "config/config.hpp"
#include "config/diagnostics.hpp"

namespace gateway {

// Runs all checks. Also completes `config` from the files that it names: the app-secret and the journal's keys.
void check_config(Config& config, Diagnostics& diagnostics);
// Checks what the provider's interface document prescribes, and what the example leaves to fill in.
void check_provider_facts(const ProviderOptions& provider, Diagnostics& diagnostics);
// Checks the terminals.
void check_terminals(Config& config, Diagnostics& diagnostics);
// Checks the products.
void check_products(const Config& config, Diagnostics& diagnostics);
// Checks how the store names itself, its colour, and the provider's telephone. Also writes the CNPJ as it is shown.
void check_store(Config& config, Diagnostics& diagnostics);
// Checks the console and the people who sign in there.
void check_console(const Config& config, Diagnostics& diagnostics);
// Checks the place of the journal, and the keys that encrypt it.
void check_journal(JournalConfig& journal, Diagnostics& diagnostics);
// Checks the statements. The store's time zone has been looked up before.
void check_statement(Config& config, Diagnostics& diagnostics);
// Looks up the zone of this name, which is the value of `key`.
void look_up_zone(const std::string& key, const std::string& name, TimeZone& zone, Diagnostics& diagnostics);

// Warns that others may read a secret's file, which the key names, or that there is something odd about the secret.
void remark_on_secret(const Secret& secret, const std::string& path, const std::string& key, Diagnostics& diagnostics);

// Tells whether the host is this machine itself.
bool is_loopback(std::string_view host);
// Tells whether the text can stand in a Host field as a name without a port.
bool is_host_name(std::string_view text);

}  // namespace gateway
