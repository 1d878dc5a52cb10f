// What a configuration can get wrong beyond the spelling of its values: keys that do not go together, files that cannot
// be read, settings that would lose money. Every check looks at everything, so that one run tells all.
#pragma once

#include "config/config.hpp"
#include "config/diagnostics.hpp"

namespace gateway {

// Also completes `config` from the files it names: the app-secret and the journal's keys.
void check_config(Config& config, Diagnostics& diagnostics);
// The part of it that looks at what the provider's interface document says, and at what the example leaves to fill in.
void check_provider_facts(const ProviderOptions& provider, Diagnostics& diagnostics);
// The part of it that looks at the terminals.
void check_terminals(Config& config, Diagnostics& diagnostics);
// The part of it that looks at the products.
void check_products(const Config& config, Diagnostics& diagnostics);
// The part of it that looks at the console and who signs in there.
void check_console(const Config& config, Diagnostics& diagnostics);
// The part of it that looks at where the journal is, and what it is encrypted with.
void check_journal(JournalConfig& journal, Diagnostics& diagnostics);
// The part of it that looks at the statements, once the store's time zone was looked up.
void check_statement(Config& config, Diagnostics& diagnostics);
// The zone of this name, which is the key's value.
void look_up_zone(const std::string& key, const std::string& name, TimeZone& zone, Diagnostics& diagnostics);

// Warns of a secret from a file, which the key names: that others may read it, and what is odd about it.
void remark_on_secret(const Secret& secret, const std::string& path, const std::string& key, Diagnostics& diagnostics);

// Whether the host is this machine itself.
bool is_loopback(std::string_view host);

}  // namespace gateway
