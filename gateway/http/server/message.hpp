// A request and an answer in the form in which handlers see them, without sockets and without the Beast types that only
// a session needs. It also has the small pure functions that read a request's fields for more than one handler.
#pragma once

#include "base/clock.hpp"
#include "http/server/fields.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::http {

using boost::beast::http::status;
using boost::beast::http::verb;

// Holds what a caller's certificate says about it.
struct Certified {
    std::vector<std::string> names;  // its DNS names, or its common name if it has none
    std::optional<WallTime> ends_at;
};

class RepeatedCalls;

struct Request {
    verb method = verb::unknown;  // verb::head stays head, although the handler of GET answers it
    std::string target;           // path and query as received
    std::string path;             // normalised, see target.hpp; still encoded where decoding would change its meaning
    std::vector<std::pair<std::string, std::string>> query;       // decoded, in order
    std::vector<std::pair<std::string, std::string>> parameters;  // the parameters of the route, see router.hpp
    Fields headers;
    std::string body;
    std::string request_id;  // the caller's, or one made here; it goes back as X-Request-Id and into every log line
    // This is the pattern that matched, for log lines, because a path may hold secrets. It is empty if none matched.
    std::string_view route;
    // This is the caller as the router's filter knows it. It is empty if the filter asks nobody who they are.
    std::string principal;
    boost::asio::ip::address remote;
    Certified certified;                           // what its certificate says; empty if the listener asks for none
    const RepeatedCalls* refused_calls = nullptr;  // the listener's; null in tests
    std::optional<Instant> head_received;          // when its head was complete; nothing if it never was
    Instant received{};                            // when its last byte had come

    // Tells whether the caller is refused again and again. The listener then counts what is wrong, and the call has no
    // line of its own.
    bool hammers() const;
    // Returns the first value of a query parameter, and nothing if there is none.
    std::optional<std::string_view> query_value(std::string_view name) const;
    // The first returns a parameter of the route, the second the first value of a field. Both are empty if there is
    // none.
    std::string_view parameter(std::string_view name) const;
    std::string_view header(std::string_view name) const;
};

// This is a body that comes piece by piece for as long as its caller stays, for example events as they happen.
class BodySource {
  public:
    virtual ~BodySource() = default;
    // Returns the next piece, or nothing at the end of the body. An empty piece sends nothing: the session then checks
    // whether the caller is still there, and asks again. The body also ends between two pieces if the caller has gone
    // or the listener drains. Therefore no piece may keep the session waiting for longer than a second.
    virtual boost::asio::awaitable<std::optional<std::string>> next() = 0;
};

struct Response {
    http::status status = http::status::ok;
    std::string content_type = "application/json";  // of the body; not sent if it is empty
    std::string body;
    // Follows the body, in an answer that is the same for everybody. It outlives the server, so that no copy is needed
    // for a caller that is slow to take it.
    std::string_view document{};
    // Follows both, if it is set: in chunks, or, to a caller of HTTP/1.0, until the connection is closed.
    std::shared_ptr<BodySource> source{};
    // These are sent besides the fields that every answer has. The session alone writes what frames the message
    // (Content-Length, Transfer-Encoding, Connection), and Content-Type, Date and X-Request-Id. They are skipped here,
    // so that another server's answer can be passed on. A Cache-Control given here replaces the usual "no-store".
    std::vector<std::pair<std::string, std::string>> headers{};
    // True if the connection is closed without a byte, as the sandbox provider does with a lost answer.
    bool drop = false;

    Response& with(std::string name, std::string value) {
        headers.emplace_back(std::move(name), std::move(value));
        return *this;
    }
};

// Returns the phrase as RFC 9110 spells it, for example "Unprocessable Content". It is empty for a status that RFC 9110
// does not know.
std::string_view reason_phrase(status code) noexcept;

// Returns how many seconds the caller is ready to wait, by "Prefer: wait=N" (RFC 7240), but not more than `most`.
// Returns nothing if the caller did not say so, or if N makes no sense (is not a whole number, or is 0).
std::optional<std::chrono::seconds> preferred_wait(const Request& request, std::chrono::seconds most);

struct MediaType {
    std::string name;     // "application/json", in lower case
    std::string charset;  // "utf-8", in lower case; empty if there is none
};
// Reads the value of a Content-Type. Returns nothing if it is not one.
std::optional<MediaType> parse_media_type(std::string_view text);

// Tells whether the X-Request-Id of a caller is accepted: 1 to 64 characters of [A-Za-z0-9._-].
bool is_request_id(std::string_view text) noexcept;

}  // namespace gateway::http
