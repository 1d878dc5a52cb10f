// The small grammar that HTTP's fields share (RFC 9110, section 5.5 and 5.6): tokens, values, lists, parameters. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gateway::http {

// A character of a method or of a field's name.
bool is_token_char(char c) noexcept;
bool is_token(std::string_view text) noexcept;
// Whether the text may stand on the wire as a field's value (RFC 9110, section 5.5): no control character but the tab.
bool is_field_value(std::string_view text) noexcept;

// Takes the next member off a list such as "a, b;c" and returns it trimmed; a separator within quotes separates
// nothing. Members may be empty.
std::string_view next_member(std::string_view& rest, char separator) noexcept;

struct Parameter {
    std::string_view name;
    std::string value;  // without its quotes and escapes; empty where there is none
};
// `name`, `name=token` or `name="quoted"`, with optional white space around "="; nothing where it is none of these.
std::optional<Parameter> parse_parameter(std::string_view text);

}  // namespace gateway::http
