// Says what came back from one request to another machine. The HTTP client fills it in, and the law of a sale judges
// it. It tells apart what matters most to the law: whether the request can have been acted on.
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
        nothing_sent,  // certainly not one byte of the request left this machine
        lost,          // something may have left, and no complete answer came
        answered,      // a complete HTTP answer came
    };
    Kind kind = Kind::nothing_sent;
    boost::system::error_code failure;  // why there is no answer
    std::string cause;                  // the cause of the failure, for people, if more is known about it
    unsigned status = 0;                // the HTTP status
    std::string content_type;
    std::string body;  // as as_utf8() converts it
    std::optional<std::chrono::seconds> retry_after;

    // Says what the other machine's clock showed at some moment between the two, cut to the second. It is not there if
    // the answer had no date, or came from a cache.
    struct Dated {
        std::chrono::sys_seconds date;
        Instant asked;     // when we began to send the request
        Instant answered;  // when the answer was there
    };
    std::optional<Dated> dated;

    // Says whether the address leads where it should, as far as the answers since the start show it.
    enum class Address {
        proven,        // a server answered that knows what the address is for
        unproven,      // nothing has shown it
        once_doubted,  // nothing has shown it, and it was doubted earlier
        doubted,       // lately a server answered that does not know what the address is for
    };
    Address address = Address::proven;

    // Tells whether the server that answered knows neither the path nor what it names.
    bool finds_nothing() const noexcept { return kind == Kind::answered && finds_nothing(status); }
    static constexpr bool finds_nothing(unsigned status) noexcept { return status == 404 || status == 405; }
    // Tells whether the body of an answer is a web server's page and not the provider's answer.
    static bool is_page(std::string_view body) noexcept {
        const auto start = body.find_first_not_of(" \t\r\n");
        return start != std::string_view::npos && body[start] == '<';
    }
    // Tells whether a server that is not the provider may have said that it knows nothing of what was asked.
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
