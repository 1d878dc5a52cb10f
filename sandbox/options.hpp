// How this sandbox behaves where the interface document leaves a choice, and how long its misbehaviour takes. The
// program fills it from its arguments, a simulation from its seed.
#pragma once

#include "base/clock.hpp"
#include "base/secret.hpp"
#include "sandbox/personality.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gateway::sandbox {

// A personality, and what else the sandbox can be told.
struct Options : Personality {
    std::string app_key = "app-key";
    Secret app_secret{"app-secret"};
    Duration token_lifetime = std::chrono::minutes(5);   // the document's sandbox value
    Duration refresh_lifetime = std::chrono::hours(24);  // not documented
    std::vector<std::string> estabelecimentos{"12345678"};
    Duration slow = std::chrono::seconds(3);            // how late a slow answer is
    Duration lost_after{0};                             // how long a lost answer's connection stays open, silent
    Duration late_arrival = std::chrono::seconds(30);   // how late a held request is processed
    Duration callback_delay = std::chrono::seconds(1);  // from a sale to its callback, and on to the next
    Duration callback_late = std::chrono::seconds(30);  // the same where the callback is late
    Duration callback_retry_most = std::chrono::seconds(60);
    std::size_t keep = 100'000;  // sales in the books; the oldest finished one makes room for one more
};

}  // namespace gateway::sandbox
