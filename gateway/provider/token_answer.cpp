#include "provider/token_answer.hpp"

#include <boost/json/parse.hpp>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>

namespace gateway {
namespace {

namespace json = boost::json;

// A header of every request carries a bearer token. The provider would refuse a longer one with its whole header.
constexpr std::size_t token_length_max = 16'384;
// What the service says is printed in one line of a log and of /readyz.
constexpr std::size_t words_length_max = 160;

std::string loggable(std::string_view words, std::span<const Secret> credentials) {
    const auto repeated = [&](const Secret& secret) {
        return !secret.empty() && words.find(secret.reveal()) != std::string_view::npos;
    };
    if (std::ranges::any_of(credentials, repeated)) return "words that repeat a credential";
    std::string out(words.substr(0, words_length_max));
    for (char& c : out)
        if (c < ' ' || c > '~') c = '?';
    return out;
}

std::string_view text_of(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    const auto* text = value ? value->if_string() : nullptr;
    return text ? std::string_view(*text) : std::string_view();
}

std::optional<std::int64_t> number_of(const json::object& object, std::string_view key) {
    const auto* value = object.if_contains(key);
    if (!value) return std::nullopt;
    if (const auto* text = value->if_string()) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
        const bool whole = error == std::errc() && end == text->data() + text->size();
        return whole ? std::optional(number) : std::nullopt;
    }
    boost::system::error_code not_whole;  // 300.0 is a whole number, 300.5 is not
    const auto number = value->to_number<std::int64_t>(not_whole);
    return not_whole ? std::nullopt : std::optional(number);
}

// A token goes into a header unchanged, so it may hold nothing that a header may not hold.
bool is_token(std::string_view text) {
    return !text.empty() && text.size() <= token_length_max &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// Says what an operator can do about an error in the document's table.
std::string_view remedy(std::string_view error) {
    if (error == "invalid_client" || error == "invalid_request" || error == "unauthorized_client")
        return "; check provider.app_key and the secret that belongs to it";
    if (error == "invalid_scope") return "; check scopes";
    return "";
}

NoGrant refused(unsigned status, const json::object* body, std::span<const Secret> credentials) {
    NoGrant none;
    none.why = "the token service answered HTTP " + std::to_string(status);
    const auto error = body ? text_of(*body, "error") : std::string_view();
    if (!error.empty()) {
        none.why += ", " + loggable(error, credentials);
        const auto description = text_of(*body, "error_description");
        if (!description.empty()) none.why += " (" + loggable(description, credentials) + ")";
        none.why += remedy(error);
    }
    none.hopeless = !remedy(error).empty() || status == 401 || status == 403;
    return none;
}

NoGrant unanswered(const Reply& reply) {
    NoGrant none;
    none.sent = reply.kind != Reply::Kind::nothing_sent;
    none.hopeless = !none.sent;
    none.why = none.sent ? "the token service gave no answer: " + reply.failure.message()
                         : "the token service cannot be reached";
    return none;
}

void append_form_field(std::string& form, std::string_view name, std::string_view value) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._*";
    if (!form.empty()) form += '&';
    form += name;
    form += '=';
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (plain.find(c) != std::string_view::npos) {
            form += c;
        } else if (c == ' ') {
            form += '+';
        } else {
            form += '%';
            form += digits[byte >> 4];
            form += digits[byte & 15];
        }
    }
}

}  // namespace

std::variant<Grant, NoGrant> read_token_answer(const Reply& reply, std::span<const Secret> credentials) {
    if (reply.kind != Reply::Kind::answered) return unanswered(reply);
    boost::system::error_code malformed;
    const auto value = json::parse(reply.body, malformed);
    const auto* body = malformed ? nullptr : value.if_object();
    const bool success = reply.status >= 200 && reply.status < 300;
    if (!success || (body && body->contains("error"))) {
        auto none = refused(reply.status, body, credentials);
        none.retry_after = reply.retry_after;
        return none;
    }
    const auto access = body ? text_of(*body, "access_token") : std::string_view();
    if (!is_token(access)) return NoGrant{"the token service answered without an access_token", false, std::nullopt};
    auto refresh = text_of(*body, "refresh_token");
    if (refresh.size() > token_length_max) refresh = {};
    return Grant{Secret(std::string(access)), Secret(std::string(refresh)), number_of(*body, "expires_in")};
}

std::optional<WallTime> expiry_of(std::int64_t expires_in, WallTime now) {
    constexpr std::int64_t a_year = 366LL * 24 * 3600;   // a token does not last longer
    constexpr std::int64_t year_2001 = 1'000'000'000;    // in seconds since 1970
    constexpr std::int64_t year_5138 = 100'000'000'000;  // in seconds; in milliseconds the same number is in 1973
    constexpr std::int64_t year_2001_in_ms = year_2001 * 1'000;  // the same moments in milliseconds
    constexpr std::int64_t year_5138_in_ms = year_5138 * 1'000;
    if (expires_in > 0 && expires_in <= a_year) return now + std::chrono::seconds(expires_in);
    if (expires_in >= year_2001 && expires_in < year_5138) return WallTime(std::chrono::seconds(expires_in));
    if (expires_in >= year_2001_in_ms && expires_in < year_5138_in_ms)
        return WallTime(std::chrono::milliseconds(expires_in));
    return std::nullopt;
}

Secret basic_credentials(std::string_view app_key, std::string_view separator, const Secret& app_secret) {
    std::string plain(app_key);
    plain += separator;
    plain += app_secret.reveal();
    std::string encoded((plain.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock writes a zero byte at the end
    const int length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                        reinterpret_cast<const unsigned char*>(plain.data()), static_cast<int>(plain.size()));
    encoded.resize(static_cast<std::size_t>(length));
    return Secret("Basic " + encoded);
}

Secret credentials_form(const std::vector<std::string>& scopes) {
    std::string joined;
    for (const auto& scope : scopes) {
        if (!joined.empty()) joined += ' ';
        joined += scope;
    }
    std::string form;
    append_form_field(form, "grant_type", "client_credentials");
    if (!joined.empty()) append_form_field(form, "scope", joined);
    return Secret(std::move(form));
}

Secret refresh_form(const Secret& refresh_token) {
    std::string form;
    append_form_field(form, "grant_type", "refresh_token");
    append_form_field(form, "refresh_token", refresh_token.reveal());
    return Secret(std::move(form));
}

}  // namespace gateway
