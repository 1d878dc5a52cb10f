// Writes what the log says about a sale. Each line is an event with fields and one sentence in plain words. The lines
// of a sale, read one after the other, tell its history: what happened, and what follows.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "flow/live_sale.hpp"
#include "sale/machine.hpp"

#include <string_view>

namespace gateway {

// Returns the name of an event, for the log and the journal's history. event_verdict() returns what the event tells; it
// may be empty.
std::string_view event_name(const Event& event);
std::string_view event_verdict(const Event& event);
// Returns the operator who decided; empty where none did, or none was named.
std::string_view event_person(const Event& event);

// This is what has happened to one attempt of a sale.
struct LoggedStep {
    const Event& event;
    AttemptState before;  // the attempt's state before
    const Change& change;
    bool was_final;        // whether the sale was final before
    bool found_at_start;   // the gateway found the sale in its journal at a start, and nobody has called for it since
    int tries_before = 0;  // Attempt::tries
};
Sentence step_sentence(const LoggedStep& step);
// Tells whether the attempt's exchange is repeated because its answer was of no use.
bool is_tried_again(const LoggedStep& step);
// Logs sale.step. `change` follows from `message`, and is not applied to the sale yet. Logs nothing where nothing
// happened.
void log_step(Log& log, const Clock& clock, const LiveSale& live, const Message& message, const Change& change);

// Says how a sale has come to an end. It may become final and settled at two different moments.
struct LoggedEnd {
    bool final_now;    // the status will never change
    bool settled_now;  // nothing is left to do; it may be so again after a contradiction had reopened the sale
    Duration took;     // since it began
};
Sentence end_sentence(const Sale& sale, bool final_now);
// Logs sale.closed where the sale is settled now, else sale.final. `request_id` may be empty.
void log_end(Log& log, const Sale& sale, std::string_view request_id, const LoggedEnd& end);

// Returns the sentence of the event sale.attention.
Sentence attention_sentence(Attention mark);

}  // namespace gateway
