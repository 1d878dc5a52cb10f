// The trials themselves stand here, each a function, beside what can be said of what they saw without another exchange.
#pragma once

#include "probe/trial.hpp"

#include <string>
#include <vector>

namespace gateway::probe {

// --- those that ask for no sale ---
void try_separators(Setting& setting, Found& found, Family);
void ask_scopes(Setting& setting, Found& found, Family);
void ask_wrongly(Setting& setting, Found& found, Family);
void ask_token(Setting& setting, Found& found, Family);
void read_faster(Setting& setting, Found& found, Family);
void look_at_peers(Setting& setting, Found& found, Family);
void keep_connections(Setting& setting, Found& found, Family);
void look_at_given_statement(Setting& setting, Found& found, Family);

// --- those that cancel what they ask for ---
void find_health_path(Setting& setting, Found& found, Family);
void cancel_one(Setting& setting, Found& found, Family family);
void cancel_unknown(Setting& setting, Found& found, Family family);
void request_after_cancel(Setting& setting, Found& found, Family family);
void use_ids_twice(Setting& setting, Found& found, Family);
void use_other_ids(Setting& setting, Found& found, Family);
void ask_for_wrongs(Setting& setting, Found& found, Family);
void find_status_path(Setting& setting, Found& found, Family);

// --- those that do not ---
void sell_one(Setting& setting, Found& found, Family family);
void ask_esim(Setting& setting, Found& found, Family);
void leave_one_open(Setting& setting, Found& found, Family family);
void revisit(Setting& setting, Found& found, Family family);

// Holds what the callbacks of one sale say. `whole` is false where listening ended before silence told that no more
// come.
struct CallbackHistory {
    std::vector<CallbackSeen> seen;
    std::string id_externo;
    std::string id_transacao;
    bool whole = true;
};
// Returns whether the callback of the sale and that of its recharge were both answered with 200, after which the
// document lets no more come. Pure.
bool are_all_taken(const std::vector<CallbackSeen>& seen);
// Reads the points about callbacks. Pure.
void read_callbacks(const CallbackHistory& history, Found& found);

}  // namespace gateway::probe
