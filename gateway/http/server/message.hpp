// A request and an answer as the handlers see them: no sockets, no Beast types that only a session needs. And the small
// pure readers of a request's fields that more than one handler needs.
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

// What a caller's certificate says of it.
struct Certified {
    std::vector<std::string> names;  // its DNS names, or where it has none its common name
    std::optional<WallTime> ends_at;
};

class RepeatedCalls;

struct Request {
    verb method = verb::unknown;  // verb::head stays head, though GET's handler answers it
    std::string target;           // as received: path and query
    std::string path;             // normalised, see target.hpp; still encoded where decoding would change its meaning
    std::vector<std::pair<std::string, std::string>> query;       // decoded, in order
    std::vector<std::pair<std::string, std::string>> parameters;  // from the route, see router.hpp
    Fields headers;
    std::string body;
    std::string request_id;  // the caller's, or one made here; goes back as X-Request-Id and into every log line
    std::string_view route;  // the pattern that matched, for log lines: a path may hold secrets; empty where none did
    std::string principal;   // who the router's filter found the caller to be; empty where it does not ask
    boost::asio::ip::address remote;
    Certified certified;                           // of a certificate; empty where the listener asks for none
    const RepeatedCalls* refused_calls = nullptr;  // the listener's; null in tests
    std::optional<Instant> head_received;          // when its head was complete; nothing where it never was
    Instant received{};                            // when its last byte had come

    // Returns whether the caller is refused again and again. The listener then counts what is wrong, and it has no line
    // of its own.
    bool hammers() const;
    // The first value of a query parameter; nothing where there is none.
    std::optional<std::string_view> query_value(std::string_view name) const;
    // A parameter of the route, or the first value of a field; empty where there is none.
    std::string_view parameter(std::string_view name) const;
    std::string_view header(std::string_view name) const;
};

// A body that comes piece by piece, for as long as its caller stays: events, as they happen.
class BodySource {
  public:
    virtual ~BodySource() = default;
    // The next piece. An empty one sends nothing: the session looks then whether the caller is still there, and asks
    // again. Nothing: the body ends here. It ends between two pieces, too, where the caller has gone or the listener
    // drains, so that no piece may keep the session waiting for longer than a second.
    virtual boost::asio::awaitable<std::optional<std::string>> next() = 0;
};

struct Response {
    http::status status = http::status::ok;
    std::string content_type = "application/json";  // of the body; not sent where that is empty
    std::string body;
    // What follows the body, for an answer that is the same for everybody: it outlives the server, and no caller that
    // is slow to take it makes a copy of it necessary.
    std::string_view document{};
    // What follows these, where it is set: in chunks, or to a caller of HTTP/1.0 until the connection is closed.
    std::shared_ptr<BodySource> source{};
    // Besides those that every answer has. What frames the message (Content-Length, Transfer-Encoding, Connection) is
    // the session's alone, and so are Content-Type, Date and X-Request-Id: skipped here, so that another server's
    // answer can be handed on. A Cache-Control given here replaces the usual "no-store".
    std::vector<std::pair<std::string, std::string>> headers{};
    bool drop = false;  // close the connection without writing a byte: the sandbox provider's lost answers

    Response& with(std::string name, std::string value) {
        headers.emplace_back(std::move(name), std::move(value));
        return *this;
    }
};

// "Unprocessable Content": as RFC 9110 spells it; empty for a status that it does not know.
std::string_view reason_phrase(status code) noexcept;

// How many seconds the caller is ready to wait, from "Prefer: wait=N" (RFC 7240); nothing where it did not say, or said
// what makes no sense (not a whole number, 0). Bounded to `most`.
std::optional<std::chrono::seconds> preferred_wait(const Request& request, std::chrono::seconds most);

struct MediaType {
    std::string name;     // "application/json", in lower case
    std::string charset;  // "utf-8", in lower case; empty where not said
};
// The value of a Content-Type; nothing where it is not one.
std::optional<MediaType> parse_media_type(std::string_view text);

// Whether an X-Request-Id of a caller is taken: 1 to 64 characters of [A-Za-z0-9._-].
bool is_request_id(std::string_view text) noexcept;

}  // namespace gateway::http
