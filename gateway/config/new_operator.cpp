#include "config/new_operator.hpp"

#include "base/password.hpp"
#include "base/told.hpp"
#include "base/utf8.hpp"
#include "families/plain_text.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

constexpr std::size_t shortest_password = 10;

// Quotes a text for TOML. A name has no control characters.
std::string quoted(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + "\"";
}

}  // namespace

std::optional<std::string_view> password_trouble(const Secret& password) noexcept {
    const auto& text = password.reveal();
    if (!is_plain_text(text)) return told("must be a text of at most 250 characters without control characters");
    if (utf8_length(text) < shortest_password) return told("must have 10 characters or more; a sentence is a good one");
    return std::nullopt;
}

std::string operator_lines(std::string_view name, std::string_view role, const Secret& password, Random& random) {
    return fmt::format("[[operators]]\nname = {}\npassword = \"{}\"\nrole = \"{}\"\n", quoted(name),
                       PasswordHash::make(password, random).text(), role);
}

}  // namespace gateway
