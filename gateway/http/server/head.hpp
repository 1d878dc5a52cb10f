// The head of a request (request line and fields), read more strictly than RFC 9112 asks. Pure.
//
// The server has a reader of its own because Beast 1.81 accepts 12 of 35 ambiguous requests that this one refuses, and
// leaves the body of two of them standing as the next request; head_ambiguous_requests_test.cpp is the table.
//
// Whatever two readers could understand in two ways is refused and not repaired: folded lines, lines that end in a bare
// line feed, white space before a colon, lengths given twice or together with a transfer coding, no Host or two. The
// lenient places are an empty line before the request line, and any verb and printable target.
#pragma once

#include "http/server/message.hpp"
#include "http/server/refusal.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gateway::http {

// RFC 9112, section 3, recommends to take 8000 bytes; nothing here is called with nearly so long a line.
constexpr std::size_t request_line_limit = 8192;
// Fields of one head. Browsers send about 20; each costs an allocation.
constexpr std::size_t field_limit = 100;

enum class Framing { none, length, chunked };

// What a head says about the message and the connection, besides what is in the Request.
struct Head {
    Framing framing = Framing::none;
    std::uint64_t content_length = 0;
    bool http_1_0 = false;
    bool keep_alive = false;
    bool expects_continue = false;
};

// Finds the end of a head that comes in pieces; looks at each byte once.
class HeadScanner {
  public:
    // `limit` bytes in all.
    explicit HeadScanner(std::size_t limit) : limit_(limit) {}

    // `bytes` is all that came so far. The length of the head with its final empty line, or 0 where that has not come
    // yet; a refusal where it cannot become a head any more.
    std::size_t scan(std::string_view bytes);
    const std::optional<Refusal>& refusal() const noexcept { return refusal_; }

  private:
    std::size_t refuse(const Refusal& why);

    std::size_t limit_;
    std::size_t scanned_ = 0;
    std::size_t line_ = 0;  // where the line begins that has not ended yet
    bool first_line_ = true;
    std::optional<Refusal> refusal_;
};

// Reads a complete head, as HeadScanner found it. On a refusal, the request holds what had been understood before.
std::optional<Refusal> parse_head(std::string_view bytes, Request& request, Head& head);

}  // namespace gateway::http
