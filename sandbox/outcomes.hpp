// This names everything that may become of a request besides the documented answer, in one vocabulary for the cents
// table and for the fault rules. A behaviour says what happens in the books, and what the caller gets to see; the model
// acts on these two and never on the word, so a new behaviour is one line of a table.
//
// A terminal asks for an outcome with nothing but an amount: the last two digits of a sale's cents choose what the
// sandbox does to it. There is one table for requests and one for eSIM callbacks. The model, --help and the tests all
// read these two tables, so that they cannot differ. Any other amount succeeds.
#pragma once

#include "base/clock.hpp"
#include "sandbox/words.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::sandbox {

enum class Behaviour {
    normal,
    slow,
    lose_answer,
    lose_request,
    hold,
    overtaken,
    twice,
    refuse,
    refuse_after,
    error,
    error_after,
    not_json,
    answer,
    answer_after,
    wrong_amount,
    wrong_id,
    no_id,
    negada,
    cancel_instead,
    too_many,
    unauthorized,
    expire_tokens,
};

enum class Effect {
    usual,   // the interface's own behaviour
    none,    // the request is read, and nothing is done
    unseen,  // the request never got here
    later,   // the request gets here after its connection is gone
    behind,  // the request is late too, and comes right after the answer to its own cancel
    twice,   // the request is processed, and a copy of it gets here later
    deny,    // the sale is NEGADA instead
    cancel,  // the sale is CANCELADA instead
    expire,  // all tokens are revoked first
};

enum class ReplyKind { usual, lost, error, given, rubbish, wrong_amount, wrong_id, no_id };

struct BehaviourFacts {
    Behaviour behaviour;
    std::string_view word;
    Effect effect;
    ReplyKind reply;
    int status;                // the HTTP status of the answer; 0: the usual one
    std::span<const Step> at;  // the steps at which it makes sense
    std::string_view text;
};

const BehaviourFacts& facts(Behaviour behaviour);
std::span<const BehaviourFacts> behaviours();
std::optional<Behaviour> parse_behaviour(std::string_view word);
bool makes_sense(Behaviour behaviour, Step step);

// Names a behaviour, and says how this treatment differs from what that behaviour does by itself.
struct Treatment {
    Behaviour behaviour = Behaviour::normal;
    int status = 0;                     // 0: the behaviour's own status
    std::optional<std::string> body{};  // the body of an answer that is not the usual one
    std::vector<std::pair<std::string, std::string>> headers{};
    // The delay comes before the answer, before the loss of it, or before a late processing.
    std::optional<Duration> delay{};
};

struct Outcome {
    int cents;
    Step step;
    Behaviour behaviour;
    int times;   // how many calls of that step of one sale, from the first on; 0: all
    int status;  // 0: the behaviour's own status
    std::string_view text;
};

std::span<const Outcome> outcomes();
// Returns what becomes of the `call`th call (from 1) of `step` of a sale over `valor`; null where nothing unusual
// happens.
const Outcome* find_outcome(Cents valor, Step step, int call) noexcept;

// This is one callback of an eSIM sale.
struct CallbackEvent {
    enum class Gap { none, usual, late };
    enum class About { sale, recharge };
    enum class Recharge { unsaid, by_amount, none, failed };

    Gap gap;  // the time since the event before, or since the sale
    About about;
    Status status;
    Recharge recharge;
    bool sent = true;  // false: the sale moves and nobody is told
};

struct CallbackScript {
    int cents;
    bool slow_answer;  // the answer to the sale request is slow, so that the first callback can overtake it
    std::vector<CallbackEvent> events;
    std::string_view text;
};

std::span<const CallbackScript> callback_scripts();
// Returns the callbacks that the amount asks for: the usual ones where the cents ask for none.
const CallbackScript& callback_script(Cents valor);

// Writes both tables for people, with one line for a row.
std::string outcomes_text();

}  // namespace gateway::sandbox
