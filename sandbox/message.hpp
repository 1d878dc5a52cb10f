// A request to the model and its answer: plain text, no sockets, so that a simulation can carry them in virtual time
// and the program over HTTP.
#pragma once

#include "base/clock.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::sandbox {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The value of the first header of that name, in any letter case; nothing where there is none.
std::optional<std::string_view> find_header(const Headers& headers, std::string_view name);

struct Call {
    std::string method;  // "POST"
    std::string target;  // path and query, as on the request line
    Headers headers;
    std::string body;
};

// What the wire is to do: after `delay`, carry status, headers and body to the caller or, with `drop`, close the
// connection without a byte.
struct Answer {
    int status = 200;
    Headers headers{};  // with the Content-Type
    std::string body{};
    bool drop = false;
    Duration delay{0};
};

// An answer before it is text, so that a fault can still bend it. `refused` says why a request departs from the
// interface; it is for the log and for the books.
struct Reply {
    int status = 200;
    boost::json::object body{};
    Headers headers{};
    std::string refused{};
    bool departure = false;  // the caller's fault, not a matter of timing: a test may count these
};

// An error of a sales operation. Its shape is this sandbox's own: the document shows none.
Reply refusal(int status, std::string_view erro, std::string_view mensagem);
// The same for a request that no client should ever send.
Reply departure(int status, std::string_view erro, std::string_view mensagem);

}  // namespace gateway::sandbox
