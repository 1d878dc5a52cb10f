// Writes an answer as bytes: status line, header and body in one piece, so that it leaves in one write.
#pragma once

#include "base/clock.hpp"
#include "http/server/message.hpp"

#include <string>
#include <string_view>

namespace gateway::http {

// Makes the value of a Date field ("Thu, 02 May 2024 13:11:12 GMT"), once a second and not once for every answer.
class DateText {
  public:
    std::string_view at(WallTime now);

  private:
    std::chrono::sys_seconds second_{std::chrono::seconds(-1)};
    std::string text_;
};

// Holds what the answer needs to know about its request and connection.
struct AnswerFrame {
    std::string_view request_id;
    std::string_view date;
    bool head_only = false;  // for HEAD: the length is that of the body, and the body is not sent
    bool keep_alive = true;
    bool http_1_0 = false;  // the caller must then be told that the connection stays open
};

// Tells whether a body follows the head. An answer to HEAD, and the answers of RFC 9110, sections 15.3.5 and 15.4.5,
// have none, whatever the handler says.
bool has_body(const Response& response, const AnswerFrame& frame) noexcept;

// Appends the whole message except the response's document and the pieces of its source, which follow if there is a
// body. A status below 200 or above 999 is sent as 500. A control character in a field's value becomes a space, so that
// no text from elsewhere can begin a field, or an answer, of its own.
void append_answer(std::string& out, const Response& response, const AnswerFrame& frame);

// Appends a piece of a body, in the chunked coding (RFC 9112, section 7.1) or unchanged. An empty piece ends the body.
void append_piece(std::string& out, std::string_view piece, bool chunked);

}  // namespace gateway::http
