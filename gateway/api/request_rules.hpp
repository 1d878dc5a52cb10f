// What the contract asks of every request with a body or a key, apart from what the body says.
#pragma once

#include "http/server/message.hpp"

#include <boost/json/object.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace gateway {

template <class T>
using ResultOrResponse = boost::system::result<T, http::Response>;

// The body as a JSON object: 400 `invalid_json` where there is none, 415 unless it is declared as JSON in UTF-8, 400
// `invalid_json` unless it is that, without repeated keys, 422 unless it is an object. Its memory is `storage`'s.
ResultOrResponse<boost::json::object> json_object_body(const http::Request& request,
                                                       boost::json::storage_ptr storage = {});

// Whether it can be an Idempotency-Key: 1 to 64 visible ASCII characters.
bool is_key(std::string_view text) noexcept;
// The Idempotency-Key: 400 where there is none or it is not 1 to 64 visible ASCII characters.
ResultOrResponse<std::string> idempotency_key(const http::Request& request);

// 400 where the request has a body although the call has none. An empty JSON object is none: many an HTTP client cannot
// POST without one.
ResultOrResponse<void> no_body(const http::Request& request);

// 403 where a web page of another origin sends the request: a browser puts Origin into whatever it posts for a page,
// and posts a text without asking whether it may. Nothing else sends one, and no page is meant to write at a listener
// that asks nobody who he is; where the caller has signed in, the console has looked at it already.
ResultOrResponse<void> no_web_page(const http::Request& request);

// Who decides: the person who has signed in where the call came, and else the one whom the call names.
std::string decided_by(const http::Request& request, std::string named);

// 401, and how to say who one is.
http::Response unauthorized_answer(const http::Request& request, std::string detail);
// 429: too many wrong ones, of `what` ("keys"), came from the caller's address; `wait` is when to try again.
http::Response too_many_guesses(const http::Request& request, std::string_view what, Duration wait);
// The same to a terminal that was taken out of the configuration while it called.
http::Response unknown_terminal_answer(const http::Request& request);

// How long the caller is ready to wait, by "Prefer: wait=N", at most two minutes; `otherwise` where it did not say, or
// said what makes no sense.
Duration patience(const http::Request& request, Duration otherwise);
// With the wait that the caller asked for and that was heeded, in Preference-Applied (RFC 7240, section 3).
http::Response with_heeded_wait(http::Response response, const http::Request& request);

}  // namespace gateway
