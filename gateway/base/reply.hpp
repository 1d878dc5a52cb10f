// What came back from one request to another machine. The HTTP client says it, the law of a sale judges it, and what
// matters most to the law is told apart here: whether the request can have been acted on.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

struct Reply {
    enum class Kind {
        nothing_sent,  // certainly not a byte of the request left this machine
        lost,          // something may have left, and no complete answer came
        answered,      // a complete HTTP answer
    };
    Kind kind = Kind::nothing_sent;
    boost::system::error_code failure;  // why, unless answered
    std::string cause;                  // of the failure, for people, where more is known of it
    unsigned status = 0;                // HTTP
    std::string content_type;
    std::string body;  // as as_utf8() reads it
    std::optional<std::chrono::seconds> retry_after;

    // What the other machine's clock showed at some moment between the two, cut to the second. Nothing where it did not
    // say so, or where the answer came from a cache.
    struct Dated {
        std::chrono::sys_seconds date;
        Instant asked;     // the request began to be sent
        Instant answered;  // the answer was there
    };
    std::optional<Dated> dated;

    // Says whether the address leads where it should, as far as the answers since the start show it.
    enum class Address {
        proven,        // somebody answered who knows what the address is for
        unproven,      // nothing has shown it
        once_doubted,  // likewise, and it was doubted
        doubted,       // lately it was not known there what the address is for
    };
    Address address = Address::proven;

    // Returns whether the server that answered knows neither the path nor what it names.
    bool finds_nothing() const noexcept { return kind == Kind::answered && finds_nothing(status); }
    static constexpr bool finds_nothing(unsigned status) noexcept { return status == 404 || status == 405; }
    // Returns whether the body of an answer is a web server's page, and not the provider's word.
    static bool is_page(std::string_view body) noexcept {
        const auto start = body.find_first_not_of(" \t\r\n");
        return start != std::string_view::npos && body[start] == '<';
    }
    // Returns whether a server that is not the provider may have said that it knows nothing of what was asked.
    bool may_be_of_another_server() const noexcept {
        return finds_nothing() || (kind == Kind::answered && status >= 400 && status <= 499 && is_page(body));
    }

    static Reply unsent(boost::system::error_code why) { return without_answer(Kind::nothing_sent, why); }
    static Reply lost(boost::system::error_code why) { return without_answer(Kind::lost, why); }

  private:
    static Reply without_answer(Kind kind, boost::system::error_code why) {
        Reply reply;
        reply.kind = kind;
        reply.failure = why;
        return reply;
    }
};

}  // namespace gateway
