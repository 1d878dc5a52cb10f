// The trial of eSIM, which takes effect by itself: a sale is asked for, and its callbacks are listened for.
#pragma once

#include "probe/callback_desk.hpp"
#include "probe/trial.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::probe {

// Nothing where eSIM is not wanted or not listed.
std::optional<Trial> esim_trial(const Setting& setting);

// The fields in the order in which they are tried: the configured one first, and without those that were tried. Pure.
std::vector<std::string> callback_fields_to_try(const std::string& configured, std::vector<std::string> candidates,
                                                const std::vector<std::string>& tried);

// What the callbacks of one sale say. `whole` is false where listening ended before silence told that no more come.
struct CallbackStory {
    std::vector<CallbackSeen> seen;
    std::string id_externo;
    std::string id_transacao;
    bool whole = true;
};
// Whether the callback of the sale and that of its recharge were both answered with 200, after which the document lets
// no more come. Pure.
bool are_all_taken(const std::vector<CallbackSeen>& seen);
// Reads the points about callbacks. Pure.
void read_callbacks(const CallbackStory& story, Found& found);

}  // namespace gateway::probe
