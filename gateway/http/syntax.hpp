// The small grammar that HTTP's fields share (RFC 9110, section 5.6): tokens, lists, parameters. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gateway::http {

// A character of a method or of a field's name.
bool is_token_char(char c) noexcept;
bool is_token(std::string_view text) noexcept;
// The value of a hexadecimal digit, or -1.
int hex_value(char c) noexcept;
// Without the spaces and tabs around it.
std::string_view trim(std::string_view text) noexcept;
std::string to_lower(std::string_view text);

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
