// One HTTP/1.1 answer, read from whatever pieces the network delivers. Pure: no socket, no time. Says that an answer is
// complete only where HTTP says so; interim answers (1xx) are passed over.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/reply.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gateway::http {

struct AnswerLimits {
    std::size_t header = 64 * 1024;  // bytes: many times what any provider's answer has
    std::size_t body = 1024 * 1024;  // bytes: a catalogue is the largest
};

class AnswerReader {
  public:
    enum class State { more, complete, failed };

    // `none`: the answer ends with its head, whatever that says of a body, as to a CONNECT.
    enum class Body { follows, none };

    explicit AnswerReader(const AnswerLimits& limits, Body body = Body::follows) : limits_(limits), body_(body) {}

    State feed(std::string_view bytes);
    // The peer said that it sends no more.
    State end();

    // Once failed: errc::malformed, errc::answer_too_large or errc::connection_lost.
    boost::system::error_code failure() const { return failure_; }
    // Once complete. The reader is empty then. `wall` is for a Retry-After that names a date; only the caller knows the
    // moments of Reply::dated.
    Reply take(WallTime wall);
    // Once complete, and before take(): whether another request may follow on the same connection.
    bool keeps_alive() const;
    // Once complete: whether more came with its last piece than the answer.
    bool has_surplus() const noexcept { return surplus_; }
    // Once complete, and before take(): how long the peer says that it keeps an idle connection (Keep-Alive: timeout).
    std::optional<std::chrono::seconds> idle_time() const;

  private:
    using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

    State parse(std::string_view bytes, std::size_t& used);
    bool may_be_half_the_last_chunk(std::string_view bytes) const;
    State finish_message();
    State fail(errc why);

    const AnswerLimits limits_;
    const Body body_;
    std::unique_ptr<Parser> parser_;  // none before the first byte: most of its life an answer is waited for
    std::string rest_;                // what the parser could not use yet
    int interim_ = 0;
    bool surplus_ = false;
    boost::system::error_code failure_;
};

}  // namespace gateway::http
