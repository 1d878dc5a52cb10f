// Reads the head of a request (request line and fields), more strictly than RFC 9112 asks. It is pure.
//
// The server has its own reader because Beast 1.81 accepts 12 of 35 ambiguous requests that this one refuses, and
// leaves the body of two of them to be read as the next request. head_ambiguous_requests_test.cpp has the table.
//
// Everything that two readers could understand in two ways is refused and not repaired: folded lines, lines that end in
// a bare line feed, white space before a colon, lengths that are given twice or together with a transfer coding, no
// Host or two of them. The reader is lenient in two places: an empty line may come before the request line, and any
// verb and any printable target is accepted.
#pragma once

#include "http/server/message.hpp"
#include "http/server/refusal.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gateway::http {

// RFC 9112, section 3, recommends to accept 8000 bytes. No call here has nearly so long a line.
constexpr std::size_t request_line_limit = 8192;
// A head may have so many fields. Browsers send about 20, and each costs an allocation.
constexpr std::size_t field_limit = 100;

enum class Framing { none, length, chunked };

// Holds what a head says about the message and the connection, besides what is in the Request.
struct Head {
    Framing framing = Framing::none;
    std::uint64_t content_length = 0;
    bool http_1_0 = false;
    bool keep_alive = false;
    bool expects_continue = false;
};

// Finds the end of a head that comes in pieces. It looks at each byte once.
class HeadScanner {
  public:
    // The head may have `limit` bytes in all.
    explicit HeadScanner(std::size_t limit) : limit_(limit) {}

    // `bytes` is all that has come so far. Returns the length of the head with its final empty line, or 0 if that line
    // has not come yet. Sets a refusal if the bytes can no longer become a head.
    std::size_t scan(std::string_view bytes);
    const std::optional<Refusal>& refusal() const noexcept { return refusal_; }

  private:
    std::size_t refuse(const Refusal& why);

    std::size_t limit_;
    std::size_t scanned_ = 0;
    std::size_t line_ = 0;  // the beginning of the line that has not ended yet
    bool first_line_ = true;
    std::optional<Refusal> refusal_;
};

// Reads a complete head, as HeadScanner found it. After a refusal, the request holds what was understood before.
std::optional<Refusal> parse_head(std::string_view bytes, Request& request, Head& head);

}  // namespace gateway::http
