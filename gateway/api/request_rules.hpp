// Checks what the contract asks of every request with a body or a key, apart from what the body says.
#pragma once

#include "http/server/message.hpp"

#include <boost/json/object.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace gateway {

template <class T>
using ResultOrResponse = boost::system::result<T, http::Response>;

// Returns the body as a JSON object. Refuses with 400 `invalid_json` where there is none, with 415 unless it is
// declared as JSON in UTF-8, with 400 `invalid_json` unless it is that, without repeated keys, and with 422 unless it
// is an object. `storage` holds its memory.
ResultOrResponse<boost::json::object> json_object_body(const http::Request& request,
                                                       boost::json::storage_ptr storage = {});

// Tells whether the text can be an Idempotency-Key: 1 to 64 visible ASCII characters.
bool is_key(std::string_view text) noexcept;
// Returns the Idempotency-Key. Refuses with 400 where there is none or it is not 1 to 64 visible ASCII characters.
ResultOrResponse<std::string> idempotency_key(const http::Request& request);

// Refuses with 400 a request that has a body although the call has none. An empty JSON object counts as none, because
// many an HTTP client cannot POST without one.
ResultOrResponse<void> no_body(const http::Request& request);

// Refuses with 403 a request that a web page of another origin sends. A browser puts Origin into whatever it posts for
// a page, and posts a text without asking whether it may. Nothing else sends an Origin, and no page is meant to write
// at a listener that asks nobody who they are; where the caller has signed in, the console has looked at it already.
ResultOrResponse<void> no_web_page(const http::Request& request);

// Returns who decides: the person who has signed in where the call came, and else the one whom the call names.
std::string decided_by(const http::Request& request, std::string named);

// Answers 401, and how to say who one is.
http::Response unauthorized_answer(const http::Request& request, std::string detail);
// Answers 429, because too many wrong ones, of `what` ("keys"), came from the caller's address. `wait` is the time
// after which to try again.
http::Response too_many_guesses(const http::Request& request, std::string_view what, Duration wait);
// Answers 401 to a terminal that was taken out of the configuration while it called.
http::Response unknown_terminal_answer(const http::Request& request);

// Returns how long the caller is ready to wait, by "Prefer: wait=N", at most two minutes; `otherwise` where it did not
// say, or said what makes no sense.
Duration patience(const http::Request& request, Duration otherwise);
// Adds Preference-Applied, with the wait that the caller asked for and that was heeded (RFC 7240, section 3).
http::Response with_heeded_wait(http::Response response, const http::Request& request);

}  // namespace gateway
