// What may become of a request besides the documented answer: one vocabulary for the cents table and for the fault
// rules. A behaviour is what happens in the books, and what the caller gets to see of it; the model acts on these two
// and never on the word, so a new behaviour is one line of the table in behaviour.cpp.
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

// A behaviour, and in what it differs from that behaviour's own ways.
struct Treatment {
    Behaviour behaviour = Behaviour::normal;
    int status = 0;                     // 0: the behaviour's own
    std::optional<std::string> body{};  // of an answer that is not the usual one
    std::vector<std::pair<std::string, std::string>> headers{};
    // Before the answer, before the loss of it, or, of a late processing, before that.
    std::optional<Duration> delay{};
};

}  // namespace gateway::sandbox
