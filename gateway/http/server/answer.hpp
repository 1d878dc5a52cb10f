// An answer as bytes: status line, header and body in one piece, so that it leaves in one write.
#pragma once

#include "base/clock.hpp"
#include "http/server/message.hpp"

#include <string>
#include <string_view>

namespace gateway::http {

// The value of a Date field ("Thu, 02 May 2024 13:11:12 GMT"), made once a second and not once an answer.
class DateText {
  public:
    std::string_view at(WallTime now);

  private:
    std::chrono::sys_seconds second_{std::chrono::seconds(-1)};
    std::string text_;
};

// What the answer needs to know about its request and connection.
struct AnswerFrame {
    std::string_view request_id;
    std::string_view date;
    bool head_only = false;  // to HEAD: the length is that of the body, the body is not sent
    bool keep_alive = true;
    bool http_1_0 = false;  // the caller must then be told that the connection stays open
};

// Whether a body follows the head. These have none, whatever the handler says: an answer to HEAD, and those of RFC
// 9110, sections 15.3.5 and 15.4.5.
bool has_body(const Response& response, const AnswerFrame& frame) noexcept;

// Appends the whole message but for the response's document and the pieces of its source, which follow where there is a
// body. A status below 200 or
// above 999 goes out as 500. A control character in a field's value becomes a space, so that no text from elsewhere can
// begin a field, or an answer, of its own.
void append_answer(std::string& out, const Response& response, const AnswerFrame& frame);

// Appends a piece of a body, in the chunked coding (RFC 9112, section 7.1) or as it is; an empty one is the end of the
// body.
void append_piece(std::string& out, std::string_view piece, bool chunked);

}  // namespace gateway::http
