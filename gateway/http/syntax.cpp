#include "http/syntax.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gateway::http {
namespace {

constexpr std::array<bool, 256> token_chars = [] {
    std::array<bool, 256> table{};
    for (std::size_t i = 0; i < 128; ++i)
        table.at(i) = is_alphanumeric(static_cast<char>(i));
    for (const char c : std::string_view("!#$%&'*+-.^_`|~"))
        table.at(static_cast<std::size_t>(c)) = true;
    return table;
}();

// Returns the text of a quoted string, and nothing if `text` is not one from its first to its last character.
std::optional<std::string> unquote(std::string_view text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') return std::nullopt;
        if (text[i] == '\\' && ++i == text.size()) return std::nullopt;
        plain += text[i];
    }
    return plain;
}

}  // namespace

bool is_token_char(char c) noexcept {
    return token_chars[static_cast<unsigned char>(c)];
}

bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return is_token_char(c); });
}

bool is_field_value(std::string_view text) noexcept {
    return length_before(text, [](char c) { return is_control(c) & (c != '\t'); }) == text.size();
}

std::string_view next_member(std::string_view& rest, char separator) noexcept {
    bool quoted = false;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (rest[i] == '"') {
            quoted = !quoted;
        } else if (rest[i] == '\\' && quoted) {
            ++i;
        } else if (rest[i] == separator && !quoted) {
            const auto member = trim(rest.substr(0, i));
            rest.remove_prefix(i + 1);
            return member;
        }
    }
    return trim(std::exchange(rest, std::string_view()));
}

std::optional<Parameter> parse_parameter(std::string_view text) {
    const auto equals = text.find('=');
    Parameter parameter{trim(text.substr(0, equals)), {}};
    if (!is_token(parameter.name)) return std::nullopt;
    if (equals == std::string_view::npos) return parameter;
    const auto value = trim(text.substr(equals + 1));
    if (is_token(value)) {
        parameter.value = value;
        return parameter;
    }
    auto plain = unquote(value);
    if (!plain) return std::nullopt;
    parameter.value = std::move(*plain);
    return parameter;
}

}  // namespace gateway::http
