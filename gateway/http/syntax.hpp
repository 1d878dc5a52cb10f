// Reads the small grammar that HTTP's fields share (RFC 9110, sections 5.5 and 5.6): tokens, values, lists, parameters.
// It is pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gateway::http {

// Tells whether the character may stand in a method or in a field's name.
bool is_token_char(char c) noexcept;
bool is_token(std::string_view text) noexcept;
// Tells whether the text may be sent as a field's value (RFC 9110, section 5.5): it has no control character but the
// tab.
bool is_field_value(std::string_view text) noexcept;

// Takes the next member off a list such as "a, b;c" and returns it trimmed. A separator within quotes does not
// separate. Members may be empty.
std::string_view next_member(std::string_view& rest, char separator) noexcept;

struct Parameter {
    std::string_view name;
    std::string value;  // without its quotes and escapes; empty if there is none
};
// Reads `name`, `name=token` or `name="quoted"`, with optional white space around "=". Returns nothing for anything
// else.
std::optional<Parameter> parse_parameter(std::string_view text);

}  // namespace gateway::http
