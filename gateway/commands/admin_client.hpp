// What an operator's command asks a gateway that runs, through its admin listener: one call and its answer, or in words
// why there is none. Tries nothing twice.
#pragma once

#include "base/clock.hpp"
#include "http/client/addresses.hpp"
#include "http/client/client.hpp"

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

// "?name=value", or "&name=value" where the query has begun.
void add_to_query(std::string& query, std::string_view name, std::string_view value);

// The answers of a listener of this machine: long histories and pages of sales with their goods, not a provider's.
constexpr std::size_t admin_answer_limit = 64 * 1024 * 1024;

struct AdminAnswer {
    unsigned status = 0;  // HTTP
    boost::json::object body;

    bool good() const noexcept { return status == 200 || status == 201; }
    // What a problem says, in a sentence.
    std::string problem() const;
};

class AdminClient {
  public:
    // In words for the operator where there is no answer.
    using Told = boost::system::result<AdminAnswer, std::string>;

    // Every reference must outlive it; `context` must be the one that `client` works on, and nobody else may run it.
    AdminClient(boost::asio::io_context& context, const Clock& clock, http::Client& client, std::string address);

    // A person waits for it, on the machine that answers.
    static constexpr std::chrono::seconds reading_patience{10};
    // A decision waits for the journal, and the gateway for that as long as it lets a sell wait: 25 s unless it is told
    // otherwise.
    static constexpr std::chrono::seconds deciding_patience{40};
    // A statement may have millions of lines, and the gateway reads it between two sales.
    static constexpr std::chrono::seconds statement_patience{3600};
    // What is summed up has as many sales as the days had.
    static constexpr std::chrono::seconds summing_patience{300};

    // `target` is path and query, percent-encoded.
    Told get(std::string target, std::chrono::seconds patience = reading_patience);
    // `tells` is said where the answer is lost: how it is found out whether it was done.
    Told post(std::string target, const boost::json::object& body, std::chrono::seconds patience = deciding_patience,
              std::string_view tells = "sales-gateway show tells");

    // Sends a file, which may take the gateway long to read: `waiting` is called each second until it answers.
    Told post_file(std::string target, std::string bytes, const std::function<void()>& waiting);

    // As people write it: "127.0.0.1:9090".
    const std::string& address() const noexcept { return address_; }

  private:
    // `tells` is empty where nothing can have been done.
    Told call(http::ClientRequest request, std::chrono::seconds patience, std::string_view tells,
              const std::function<void()>& waiting = {});
    std::string why_not(const Reply& reply, std::chrono::seconds patience, std::string_view tells) const;

    boost::asio::io_context& context_;
    const Clock& clock_;
    http::Client& client_;
    const std::string address_;
};

}  // namespace gateway
