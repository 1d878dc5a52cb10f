// The calls of a listener answer a person, too. A caller that asks for text/plain (or, of totals, text/csv) is answered
// with what the commands print. That text is made of what the call answers a program, so that both say the same. Accept
// says how wide a line may be and whether it may have colours, "text/plain;width=120;colours=yes"; where it does not
// say, a line has 80 columns and no colours. Accept-Language says the language. The answer's Content-Type says what a
// command is to exit with, where that is not 0: "exit=3".
#pragma once

#include "api/text/page.hpp"
#include "http/server/router.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::text {

// Returns the filter of such a listener, which runs around `inner`. The clock must outlive it.
http::Router::Filter answers(const Clock& clock, http::Router::Filter inner);

struct Question {
    const http::Request& request;
    Page page;
    http::status status;  // the status of the call's own answer

    // Returns the address at which the caller reached the gateway.
    std::string address() const { return printable(request.header("Host")); }
};

// These are the call's own answer, and after it the answers to what was asked for besides.
using Answers = std::vector<boost::json::object>;

struct Rendered {
    std::string text;
    int exit = 0;  // a command that prints it exits with this
};

struct Rendering {
    http::verb method;
    std::string_view pattern;  // the pattern of the route
    std::string_view type;     // "text/plain" or "text/csv"
    Rendered (*render)(const Question& question, const Answers& answers);
    // Returns the target that is to be asked for next; nothing where the answers suffice. A refusal ends the asking.
    std::optional<std::string> (*next)(const Question& question, const Answers& answers) = nullptr;
    // Changes the request before it is answered for the first time.
    void (*prepare)(http::Request& request) = nullptr;
    // Says whether a refusal is printed with its code.
    bool names_code = false;
    // Returns what is said of a refusal besides what it says itself; empty where there is nothing.
    std::string (*hint)(const Question& question, const boost::json::object& problem) = nullptr;
};

// Returns the types of text that the call may be answered with; none where it has no text. `pattern` is that of the
// call's route.
std::vector<std::string_view> types_of(http::verb method, std::string_view pattern);

Rendered status(const Question& question, const Answers& answers);

Rendered sales(const Question& question, const Answers& answers);
std::optional<std::string> next_page_of_sales(const Question& question, const Answers& answers);
void take_pages_of_sales(http::Request& request);
Rendered sale(const Question& question, const Answers& answers);
Rendered history(const Question& question, const Answers& answers);
std::optional<std::string> sale_of_history(const Question& question, const Answers& answers);
std::string hint_of_sale(const Question& question, const boost::json::object& problem);
Rendered resolved(const Question& question, const Answers& answers);
std::string hint_of_resolving(const Question& question, const boost::json::object& problem);
Rendered attention(const Question& question, const Answers& answers);

Rendered totals(const Question& question, const Answers& answers);
Rendered totals_csv(const Question& question, const Answers& answers);
Rendered closes(const Question& question, const Answers& answers);
std::optional<std::string> next_open_sale_of_totals(const Question& question, const Answers& answers);
std::optional<std::string> next_open_sale_of_closes(const Question& question, const Answers& answers);

Rendered findings(const Question& question, const Answers& answers);
Rendered resolved_finding(const Question& question, const Answers& answers);
Rendered statement(const Question& question, const Answers& answers);
Rendered inquiry(const Question& question, const Answers& answers);

Rendered console_link(const Question& question, const Answers& answers);
std::string hint_of_console(const Question& question, const boost::json::object& problem);

// Says what went wrong and what to do. `rendering` is that of the call; null where it has none.
Rendered problem(const Question& question, const boost::json::object& problem, const Rendering* rendering);

// Renders the report of marked sales, as /v1/attention and `attention --json` have them. `provider_phone` is the
// provider's telephone, and may be empty.
std::string attention_report(const Page& page, const boost::json::array& sales, std::string_view provider_phone);

}  // namespace gateway::text
