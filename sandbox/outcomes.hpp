// Outcomes that a terminal asks for with nothing but an amount: the last two digits of a sale's cents choose what the
// sandbox does to it. One table for requests and one for eSIM callbacks; --help, the model and the tests all read these
// two, so that none of them can promise what another does not keep. An amount that ends in anything else succeeds.
#pragma once

#include "sandbox/behaviour.hpp"
#include "sandbox/words.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sandbox {

struct Outcome {
    int cents;
    Step step;
    Behaviour behaviour;
    int times;   // how many calls of that step of one sale, from the first; 0: every one
    int status;  // 0: the behaviour's own
    std::string_view text;
};

std::span<const Outcome> outcomes();
// What becomes of the `call`th (from 1) call of `step` of a sale over `valor`; null where nothing unusual does.
const Outcome* find_outcome(Cents valor, Step step, int call) noexcept;

// One callback of an eSIM sale.
struct CallbackEvent {
    enum class Gap { none, usual, late };
    enum class About { sale, recharge };
    enum class Recharge { unsaid, by_amount, none, failed };

    Gap gap;  // since the event before, or since the sale
    About about;
    Status status;
    Recharge recharge;
    bool sent = true;  // else the sale moves and nobody is told
};

struct CallbackScript {
    int cents;
    bool slow_answer;  // to the sale request, so that the first callback can overtake it
    std::vector<CallbackEvent> events;
    std::string_view text;
};

std::span<const CallbackScript> callback_scripts();
// Never without a script: the usual one where the cents ask for none.
const CallbackScript& callback_script(Cents valor);

// Both tables for people, one line a row.
std::string outcomes_text();

}  // namespace gateway::sandbox
