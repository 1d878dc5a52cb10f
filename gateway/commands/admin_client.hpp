// Asks a gateway that runs, through its admin listener, what an operator's command wants: one call that gets its
// answer, or in words the reason why there is none. It tries nothing twice.
#pragma once

#include "base/clock.hpp"
#include "http/client/addresses.hpp"
#include "http/client/client.hpp"
#include "words/words.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Reads "127.0.0.1:9090", "[::1]:9090" or "localhost:9090"; returns nothing where the text is none of these.
std::optional<http::Origin> parse_admin_origin(std::string_view text);

// An answer of the gateway may have so many bytes, because there are long histories, and pages of sales with their
// goods.
constexpr std::size_t admin_answer_limit = 64 * 1024 * 1024;

// Says what is asked.
struct AdminCall {
    std::string target;  // path and query, percent-encoded
    std::string accept = "application/json";
    std::string accept_language{};
    std::optional<std::string> body{};  // the body of a POST; a GET has none
    std::string_view content_type{};    // the type of the body; a literal
    // How long to wait. A gateway whose database is silent says so after twice the deadline of a commit, which is 4 s,
    // and after it has asked the database on a new connection what it waits for.
    std::chrono::seconds patience{25};
    // This is the key of a text for the case that the answer is lost. The text says how to find out whether the call
    // was carried out. It is empty where the call changes nothing.
    std::string_view tells{};
    std::function<void()> waiting{};  // is called each second until the gateway answers
};

struct AdminAnswer {
    unsigned status = 0;       // the HTTP status
    std::string content_type;  // text/plain or text/csv for people; else JSON
    std::string body;
    int exit = 0;  // the exit code that the gateway gives a command

    bool good() const noexcept { return status == 200 || status == 201; }
    bool is_text() const noexcept { return content_type.starts_with("text/"); }
    // Returns nothing where the body is no JSON object.
    std::optional<boost::json::object> object() const;
    // Returns in a sentence what a problem in JSON says.
    std::string problem() const;
};

class AdminClient {
  public:
    // The error says in words for the operator why there is no answer.
    using Told = boost::system::result<AdminAnswer, std::string>;

    // Every reference must outlive this object. `context` must be the one that `client` works on, and nobody else may
    // run it. `address` is written as people write it: "127.0.0.1:9090".
    AdminClient(boost::asio::io_context& context, const Clock& clock, http::Client& client, std::string address,
                const Words& words);

    // A decision waits for the journal, and the gateway waits for that as long as it lets a sell wait: 25 s unless it
    // is told otherwise.
    static constexpr std::chrono::seconds deciding_patience{40};
    // A statement may have millions of lines, and the gateway reads it between two sales.
    static constexpr std::chrono::seconds statement_patience{3600};
    // All sales of the days are read for a sum.
    static constexpr std::chrono::seconds summing_patience{300};

    Told ask(AdminCall call);

  private:
    std::string why_not(const Reply& reply, const AdminCall& call) const;

    boost::asio::io_context& context_;
    const Clock& clock_;
    http::Client& client_;
    const std::string address_;
    const Words& words_;
};

}  // namespace gateway
