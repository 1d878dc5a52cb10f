// What a call about a sale is answered with, by the sale's state alone: the first call and every repeat get the same.
#pragma once

#include "api/sale_json.hpp"
#include "base/error.hpp"
#include "http/server/problem.hpp"
#include "sale/sale.hpp"

namespace gateway {

// The answer to a sell, now or repeated.
http::Response sell_answer(const Sale& sale, const http::Request& request);
// 202 with the sale: its outcome is not known yet.
http::Response pending_answer(const Sale& sale);
// 200 with the sale.
http::Response sale_answer(const Sale& sale);
// The same with every attempt.
http::Response sale_with_attempts_answer(const Sale& sale, Audience audience);
// 409: what was asked for is the opposite of what the sale already is, or cannot be done to it.
http::Response sale_final_answer(const Sale& sale, const http::Request& request);
http::Response not_cancellable_answer(const Sale& sale, const http::Request& request);

// 404: there is no receipt, or none yet.
http::Response no_receipt_answer(const Sale& sale, const http::Request& request);

// 409 to a person's word on a sale that needs none, on one that has its final status already, and on one that is still
// its terminal's to decide.
http::Response no_attention_answer(const Sale& sale, const http::Request& request);
http::Response decided_already_answer(const Sale& sale, const http::Request& request);
http::Response not_resolvable_answer(const Sale& sale, const http::Request& request);

// 202 to a command that is on its way to the journal: a sale that was held is pending then, for its terminal has
// spoken.
http::Response command_pending_answer(const Sale& sale);

// 503: the step could not be made durable, so it did not happen; or nothing could be told, where the call only reads.
// `why` is for people who see the whole journal.
http::Response journal_unavailable_answer(const http::Request& request, const Sale* sale = nullptr,
                                          const boost::system::error_code& why = {});

// 503: whether the journal has the sale's latest step is not known yet, so that nothing can be said of the sale.
http::Response in_doubt_answer(const http::Request& request);
// The same to the first sell with a key: without an outcome it would say that this call did nothing, and it may have
// begun the sale.
http::Response begun_in_doubt_answer(const http::Request& request);
// 503: the sale is there, and its row in the journal cannot be read; nothing is said of its outcome.
http::Response sale_unreadable_answer(const http::Request& request);
// The same answer without the sale that a problem, or an answer that says "not yet", is about: with goods in it, that
// is for terminals only. A problem that cannot be read is left empty.
http::Response without_sale(http::Response answer);
// What the journal's refusal of a step or of a sale is answered with: one of these two.
http::Response refused_by_journal_answer(const http::Request& request, const boost::system::error_code& why);

// 503: the process is about to end, and the call did nothing.
http::Response shutting_down_answer(const http::Request& request);

http::Response json_answer(const boost::json::value& body, http::status code = http::status::ok);
// The same with a body that is JSON text already.
http::Response json_text_answer(std::string body, http::status code = http::status::ok);
// A problem that no sale belongs to.
http::Response refuse(const http::Request& request, http::status code, std::string name, std::string detail,
                      FieldErrors errors = {});
// 422: what is wrong with which field, all of it, and the first in words.
http::Response field_errors(const http::Request& request, FieldErrors errors);

}  // namespace gateway
