// What the log says of a sale. Each line is an event with fields and one sentence in plain words; read one below the
// other, those of one sale are its history: what happened, and what follows.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "flow/live_sale.hpp"
#include "sale/machine.hpp"

#include <string_view>

namespace gateway {

// One word for an event, in the log and in the journal's history, and one for what is known by it, which may be empty.
std::string_view event_name(const Event& event);
std::string_view event_verdict(const Event& event);
// Which operator decided; empty where none did, or none was named.
std::string_view event_person(const Event& event);

// What has happened to one attempt of a sale.
struct LoggedStep {
    const Event& event;
    AttemptState before;  // of the attempt
    const Change& change;
    bool was_final;        // the sale, before it
    bool found_at_start;   // the gateway found the sale in its journal, and nobody has called for it since
    int tries_before = 0;  // Attempt::tries
};
Sentence step_sentence(const LoggedStep& step);
// Whether the attempt's exchange is done once more, because its answer was of no use.
bool is_tried_again(const LoggedStep& step);
// sale.step: `change` follows from `message`, and is not applied to the sale yet. Says nothing where nothing happened.
void log_step(Log& log, const Clock& clock, const LiveSale& live, const Message& message, const Change& change);

// How a sale has come to an end, which may be two moments.
struct LoggedEnd {
    bool final_now;    // the status will never change
    bool settled_now;  // nothing is left to do: for the first time, or again where a contradiction had reopened it
    Duration took;     // since it began
};
Sentence end_sentence(const Sale& sale, bool final_now);
// sale.closed where it is settled now; else sale.final. `request_id` may be empty.
void log_end(Log& log, const Sale& sale, std::string_view request_id, const LoggedEnd& end);

// Of sale.attention.
Sentence attention_sentence(Attention mark);

}  // namespace gateway
