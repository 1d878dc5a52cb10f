// A request to the model and its answer are plain text without sockets, so that a simulation can carry them in virtual
// time and the program over HTTP. The last step of a treatment stands here too: it decides how much of the provider's
// answer the caller gets to see.
#pragma once

#include "base/clock.hpp"
#include "sandbox/outcomes.hpp"
#include "sandbox/personality.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::sandbox {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Returns the value of the first header of that name, in any letter case; nothing where there is none.
std::optional<std::string_view> find_header(const Headers& headers, std::string_view name);

struct Call {
    std::string method;  // "POST"
    std::string target;  // path and query, as on the request line
    Headers headers;
    std::string body;
};

// Says what the wire is to do: after `delay`, carry status, headers and body to the caller or, with `drop`, close the
// connection without a byte.
struct Answer {
    int status = 200;
    Headers headers{};  // the Content-Type is among them
    std::string body{};
    bool drop = false;
    Duration delay{0};
};

// This is an answer before it is text, so that a fault can still bend it. `refused` says why a request departs from the
// interface; it is for the log and for the books.
struct Reply {
    int status = 200;
    boost::json::object body{};
    Headers headers{};
    std::string refused{};
    bool departure = false;  // it is the caller's fault and not a matter of timing: a test may count these
};

// Makes an error of a sales operation. Its shape is this sandbox's own: the document shows none.
Reply refusal(int status, std::string_view erro, std::string_view mensagem);
// Makes the same for a request that no client should ever send.
Reply departure(int status, std::string_view erro, std::string_view mensagem);
// Makes an error of the token service.
Reply token_refusal(int status, std::string_view code, std::string_view description);
// Makes a 429: more requests came than are accepted now.
Reply too_many_requests(Step step, const Options& options);

// `reply` is the provider's own answer. Where it is a refusal it is never changed, only lost or late. `step` decides
// the shape of an error that the treatment asks for.
Answer to_answer(Reply reply, const Treatment& treatment, Step step, const Options& options);

}  // namespace gateway::sandbox
