// What an operator's command asks a gateway that runs, through its admin listener: one call and its answer, or in words
// why there is none. Tries nothing twice.
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

// "127.0.0.1:9090", "[::1]:9090", "localhost:9090"; nothing where the text is none of these.
std::optional<http::Origin> parse_admin_origin(std::string_view text);

// The answers of a listener of this machine: long histories and pages of sales with their goods, not a provider's.
constexpr std::size_t admin_answer_limit = 64 * 1024 * 1024;

// What is asked.
struct AdminCall {
    std::string target;  // path and query, percent-encoded
    std::string accept = "application/json";
    std::string accept_language{};
    std::optional<std::string> body{};  // of a POST; a GET has none
    std::string_view content_type{};    // of the body; a literal
    std::chrono::seconds patience{10};  // a person waits for it, on the machine that answers
    // What is said where the answer is lost: the key of how it is found out whether it was done; empty where nothing
    // can have been done.
    std::string_view tells{};
    std::function<void()> waiting{};  // called each second until the gateway answers
};

struct AdminAnswer {
    unsigned status = 0;       // HTTP
    std::string content_type;  // of what is for people, text/plain or text/csv; else JSON
    std::string body;
    int exit = 0;  // what the gateway says that a command exits with

    bool good() const noexcept { return status == 200 || status == 201; }
    bool is_text() const noexcept { return content_type.starts_with("text/"); }
    // Nothing where the body is no JSON object.
    std::optional<boost::json::object> object() const;
    // What a problem in JSON says, in a sentence.
    std::string problem() const;
};

class AdminClient {
  public:
    // In words for the operator where there is no answer.
    using Told = boost::system::result<AdminAnswer, std::string>;

    // Every reference must outlive it; `context` must be the one that `client` works on, and nobody else may run it.
    // `address` is written as people write it: "127.0.0.1:9090".
    AdminClient(boost::asio::io_context& context, const Clock& clock, http::Client& client, std::string address,
                const Words& words);

    static constexpr std::chrono::seconds reading_patience{10};
    // A decision waits for the journal, and the gateway for that as long as it lets a sell wait: 25 s unless it is told
    // otherwise.
    static constexpr std::chrono::seconds deciding_patience{40};
    // A statement may have millions of lines, and the gateway reads it between two sales.
    static constexpr std::chrono::seconds statement_patience{3600};
    // What is summed up has as many sales as the days had.
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
