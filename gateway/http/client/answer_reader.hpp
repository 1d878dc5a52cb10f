// Reads one HTTP/1.1 answer from whatever pieces the network delivers. It is pure: it has no socket and no time. An
// answer is complete only if HTTP says so; interim answers (1xx) are skipped.
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
    std::size_t header = 64 * 1024;  // in bytes: many times what any provider's answer has
    std::size_t body = 1024 * 1024;  // in bytes: a catalogue is the largest
};

class AnswerReader {
  public:
    enum class State { more, complete, failed };

    // `none` means that the answer ends with its head, whatever the head says of a body, as the answer to a CONNECT
    // does.
    enum class Body { follows, none };

    explicit AnswerReader(const AnswerLimits& limits, Body body = Body::follows) : limits_(limits), body_(body) {}

    State feed(std::string_view bytes);
    // Tells the reader that the peer sends nothing more.
    State end();

    // Returns the error once the reader has failed: errc::malformed, errc::answer_too_large or errc::connection_lost.
    boost::system::error_code failure() const { return failure_; }
    // Returns the answer once it is complete; the reader is empty then. `wall` is for a Retry-After that names a date.
    // The caller fills in the moments of Reply::dated, because only the caller knows them.
    Reply take(WallTime wall);
    // Tells whether another request may follow on the same connection. It is for a complete answer, before take().
    bool keeps_alive() const;
    // Tells whether more than the answer came with its last piece. It is for a complete answer.
    bool has_surplus() const noexcept { return surplus_; }
    // Returns how long the peer says that it keeps an idle connection (Keep-Alive: timeout). It is for a complete
    // answer, before take().
    std::optional<std::chrono::seconds> idle_time() const;

  private:
    using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

    State parse(std::string_view bytes, std::size_t& used);
    bool may_be_half_the_last_chunk(std::string_view bytes) const;
    State finish_message();
    State fail(errc why);

    const AnswerLimits limits_;
    const Body body_;
    std::unique_ptr<Parser> parser_;  // null before the first byte, because an answer is awaited most of the time
    std::string rest_;                // bytes that the parser could not use yet
    int interim_ = 0;
    bool surplus_ = false;
    boost::system::error_code failure_;
};

}  // namespace gateway::http
