// Makes the answers to calls about a sale, from the sale's state alone, so that the first call and every repeat get the
// same.
#pragma once

#include "api/sale_json.hpp"
#include "base/error.hpp"
#include "http/server/problem.hpp"
#include "sale/sale.hpp"

namespace gateway {

// Returns the answer to a sell, now or repeated.
http::Response sell_answer(const Sale& sale, const http::Request& request);
// Answers 202 with the sale, whose outcome is not known yet.
http::Response pending_answer(const Sale& sale);
// Answers 200 with the sale.
http::Response sale_answer(const Sale& sale);
// Answers 200 with the sale and every attempt.
http::Response sale_with_attempts_answer(const Sale& sale, Audience audience);
// Answers 409, because what was asked for is the opposite of what the sale already is, or cannot be done to it.
http::Response sale_final_answer(const Sale& sale, const http::Request& request);
http::Response not_cancellable_answer(const Sale& sale, const http::Request& request);

// Answers 404, because there is no receipt, or none yet.
http::Response no_receipt_answer(const Sale& sale, const http::Request& request);

// Answers 409 to a person's word on a sale that needs none, on one that has its final status already, and on one that
// is still its terminal's to decide.
http::Response no_attention_answer(const Sale& sale, const http::Request& request);
http::Response decided_already_answer(const Sale& sale, const http::Request& request);
http::Response not_resolvable_answer(const Sale& sale, const http::Request& request);

// Answers 202 to a command that is on its way to the journal. A sale that was held is pending then, because its
// terminal has spoken.
http::Response command_pending_answer(const Sale& sale);

// These sentences end the details of the two answers below with what a till has to do. The admin listener puts others
// in their place: see operator_status.cpp.
inline constexpr std::string_view till_tries_again = " Try again soon.";
inline constexpr std::string_view till_waits_for_operator =
    " The operator puts the record right, or restores the journal from its newest backup; every other sale goes on.";

// Answers 503, because the step could not be made durable, so that it did not happen; or because nothing could be told,
// where the call only reads. `why` is for people who see the whole journal.
http::Response journal_unavailable_answer(const http::Request& request, const Sale* sale = nullptr,
                                          const boost::system::error_code& why = {});

inline constexpr std::string_view step_in_doubt =
    "Whether the journal has the sale's latest step is not known yet. Ask again, with the same key.";
// Answers 503, because it is not known yet whether the journal has the sale's latest step, so that nothing can be said
// of the sale.
http::Response in_doubt_answer(const http::Request& request);
// Answers 503 to a call that may have begun the sale, or told it a command. The answer names an outcome, because
// without one it would say that this call did nothing.
http::Response perhaps_done_answer(const http::Request& request);
// Answers 503, because the sale is there and its row in the journal cannot be read. Nothing is said of its outcome.
http::Response sale_unreadable_answer(const http::Request& request);
// Returns the answer without the sale that a problem, or an answer that says "not yet", is about. With goods in it,
// that sale is for terminals only. A problem that cannot be read is left empty.
http::Response without_sale(http::Response answer);
// Answers what the journal refused, a step or a sale: as sale_unreadable_answer() or journal_unavailable_answer().
http::Response refused_by_journal_answer(const http::Request& request, const boost::system::error_code& why);

// Answers 503, because the process is about to end, and the call did nothing.
http::Response shutting_down_answer(const http::Request& request);

http::Response json_answer(const boost::json::value& body, http::status code = http::status::ok);
// Makes an answer whose body is JSON text already.
http::Response json_text_answer(std::string body, http::status code = http::status::ok);
// Makes a problem that no sale belongs to.
http::Response refuse(const http::Request& request, http::status code, std::string name, std::string detail,
                      FieldErrors errors = {});
// Answers 422 with all that is wrong, each with its field, and with the first in words.
http::Response field_errors(const http::Request& request, FieldErrors errors);

}  // namespace gateway
