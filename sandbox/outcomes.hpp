// Says what may become of a request besides the documented answer, in one vocabulary for the cents table and for the
// fault rules. A behaviour is what happens in the books, and what the caller gets to see of it; the model acts on these
// two and never on the word, so a new behaviour is one line of a table.
//
// A terminal asks for an outcome with nothing but an amount: the last two digits of a sale's cents choose what the
// sandbox does to it. There is one table for requests and one for eSIM callbacks; --help, the model and the tests read
// these two, so that none of them can promise what another does not keep. Any other amount succeeds.
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
    usual,   // what the interface says
    none,    // the request is read, and nothing is done
    unseen,  // it never got here
    later,   // it gets here after its connection is gone
    behind,  // the same, and at once behind the answer to its own cancel
    twice,   // it is processed, and a copy of it gets here later
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
    int status;                // of the answer; 0: the usual one
    std::span<const Step> at;  // where it makes sense
    std::string_view text;
};

const BehaviourFacts& facts(Behaviour behaviour);
std::span<const BehaviourFacts> behaviours();
std::optional<Behaviour> parse_behaviour(std::string_view word);
bool makes_sense(Behaviour behaviour, Step step);

// Names a behaviour, and says in what this treatment differs from that behaviour's own ways.
struct Treatment {
    Behaviour behaviour = Behaviour::normal;
    int status = 0;                     // 0: the behaviour's own
    std::optional<std::string> body{};  // of an answer that is not the usual one
    std::vector<std::pair<std::string, std::string>> headers{};
    // It passes before the answer, before the loss of it, or before a late processing.
    std::optional<Duration> delay{};
};

struct Outcome {
    int cents;
    Step step;
    Behaviour behaviour;
    int times;   // how many calls of that step of one sale, from the first; 0: every one
    int status;  // 0: the behaviour's own
    std::string_view text;
};

std::span<const Outcome> outcomes();
// Says what becomes of the `call`th (from 1) call of `step` of a sale over `valor`; null where nothing unusual does.
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
// Gives the script of the amount: the usual one where the cents ask for none.
const CallbackScript& callback_script(Cents valor);

// Writes both tables for people, one line a row.
std::string outcomes_text();

}  // namespace gateway::sandbox
