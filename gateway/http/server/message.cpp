#include "http/server/message.hpp"

#include "base/ascii.hpp"
#include "http/server/repeated_calls.hpp"
#include "http/syntax.hpp"

#include <boost/beast/core/string.hpp>

#include <charconv>

namespace gateway::http {
namespace {

std::string_view find_value(const std::vector<std::pair<std::string, std::string>>& pairs, std::string_view name) {
    for (const auto& [key, value] : pairs)
        if (key == name) return value;
    return {};
}

// Reads the value of the preference "wait", such as "20". A number with too many digits simply means a long time, and 0
// counts as no preference.
std::optional<std::chrono::seconds> wait_seconds(std::string_view text, std::chrono::seconds most) {
    if (!is_digits(text)) return std::nullopt;
    std::chrono::seconds::rep count = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
    if (read.ec == std::errc::result_out_of_range) return most;
    if (count == 0) return std::nullopt;
    return std::min(std::chrono::seconds(count), most);
}

}  // namespace

bool Request::hammers() const {
    const auto caller = principal.empty() ? remote.to_string() : principal;
    return refused_calls != nullptr && !refused_calls->has_lines(caller);
}

std::optional<std::string_view> Request::query_value(std::string_view name) const {
    for (const auto& [key, value] : query)
        if (key == name) return value;
    return std::nullopt;
}

std::string_view Request::parameter(std::string_view name) const {
    return find_value(parameters, name);
}

std::string_view Request::header(std::string_view name) const {
    return headers.find(name).value_or(std::string_view());
}

std::string_view reason_phrase(status code) noexcept {
    // Beast has the phrases of older documents for these two.
    if (code == status::payload_too_large) return "Content Too Large";
    if (code == status::unprocessable_entity) return "Unprocessable Content";
    if (boost::beast::http::int_to_status(static_cast<unsigned>(code)) == status::unknown) return {};
    return boost::beast::http::obsolete_reason(code);
}

std::optional<std::chrono::seconds> preferred_wait(const Request& request, std::chrono::seconds most) {
    for (const auto& [name, value] : request.headers) {
        if (!boost::beast::iequals(name, "Prefer")) continue;
        for (std::string_view rest = value; !rest.empty();) {
            auto preference = next_member(rest, ',');
            const auto parameter = parse_parameter(next_member(preference, ';'));
            // The first preference counts (RFC 7240, section 2).
            if (parameter && to_lower(parameter->name) == "wait") return wait_seconds(parameter->value, most);
        }
    }
    return std::nullopt;
}

std::optional<MediaType> parse_media_type(std::string_view text) {
    const auto name = next_member(text, ';');
    const auto slash = name.find('/');
    if (slash == std::string_view::npos || !is_token(name.substr(0, slash)) || !is_token(name.substr(slash + 1)))
        return std::nullopt;
    MediaType type{to_lower(name), {}};
    while (!text.empty()) {
        const auto member = next_member(text, ';');
        if (member.empty()) continue;
        const auto parameter = parse_parameter(member);
        if (!parameter) return std::nullopt;
        if (type.charset.empty() && to_lower(parameter->name) == "charset") type.charset = to_lower(parameter->value);
    }
    return type;
}

bool is_request_id(std::string_view text) noexcept {
    constexpr std::size_t longest = 64;
    constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return !text.empty() && text.size() <= longest && text.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace gateway::http
