// Says how the provider of a run may behave where its interface document leaves that open, and what no gateway can
// promise with some of these alternatives. It is derived from the sandbox's table of open points, not from the
// gateway's code.
#pragma once

#include "simulation/plan.hpp"

#include <string>

namespace gateway::simulation {

// Gives the run's provider its personality, and the gateway the configuration that fits. `wanted` is by_seed, never or
// always, or names alternatives in the form of read_personality().
void choose_personality(Setup& setup, const std::string& wanted);
// Tells whether choose_personality() understands the text.
bool is_personality(const std::string& wanted);
// Returns for example "forgets=1m,cancel-again=409"; empty where nothing is unusual.
std::string personality_text(const sandbox::Personality& personality);

// Tells whether the provider has forgotten the sale, whatever became of it.
bool is_forgotten(const sandbox::Options& provider, const sandbox::Transaction& sale, WallTime now);
// Tells whether the provider can keep an attempt from ever being settled, because neither a confirm nor a cancel (nor,
// with `asked`, asking for its status) ends with an answer about it. `sale` is null where the request never arrived.
bool stays_without_a_word(const sandbox::Options& provider, const sandbox::Transaction* sale, bool asked, WallTime now);

}  // namespace gateway::simulation
