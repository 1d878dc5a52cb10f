// What a configuration can get wrong beyond the spelling of its values: keys that do not go together, files that cannot
// be read, settings that would lose money. Every check looks at everything, so that one run tells all.
#pragma once

#include "config/config.hpp"
#include "config/diagnostics.hpp"

namespace gateway {

// Also completes `config` from the files it names: the app-secret and the journal's keys.
void check_config(Config& config, Diagnostics& diagnostics);
// The part of it that looks at the terminals.
void check_terminals(Config& config, Diagnostics& diagnostics);
// The part of it that looks at the products.
void check_products(const Config& config, Diagnostics& diagnostics);
// The part of it that looks at the statements.
void check_statement(const Config& config, Diagnostics& diagnostics);

// Whether the host is this machine itself.
bool is_loopback(std::string_view host);

}  // namespace gateway
