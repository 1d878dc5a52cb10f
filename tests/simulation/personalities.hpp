// What the provider of a run may be like where its interface document leaves that open, and what no gateway can promise
// with some of it. Told from the sandbox's table of open points; the gateway's code has no part in it.
#pragma once

#include "simulation/plan.hpp"

#include <string>

namespace gateway::simulation {

// Gives the run's provider its personality, and the gateway the configuration that belongs to it. `wanted` is one of
// by_seed, never and always, or names alternatives as read_personality() does.
void choose_personality(Setup& setup, const std::string& wanted);
// Whether choose_personality() understands it.
bool is_personality(const std::string& wanted);
// "forgets=1m,cancel-again=409"; empty where everything is as usual.
std::string personality_text(const sandbox::Personality& personality);

// Whether the provider has forgotten the sale, whatever became of it.
bool is_forgotten(const sandbox::Options& provider, const sandbox::Transaction& sale, WallTime now);
// Whether the provider can keep an attempt from being settled for ever: neither a confirm nor a cancel, nor asking for
// it where that is `asked`, ends with a word on it. `sale` is null where it never came.
bool stays_without_a_word(const sandbox::Options& provider, const sandbox::Transaction* sale, bool asked, WallTime now);

}  // namespace gateway::simulation
