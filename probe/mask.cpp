#include "probe/mask.hpp"

#include "base/ascii.hpp"
#include "base/json_text.hpp"

#include <boost/json/parse.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace gateway::probe {
namespace {

namespace json = boost::json;

// Fields of these names, here in lower case, hold a credential, goods, or something of a customer's.
constexpr std::array<std::string_view, 25> secret_fields{
    "access_token", "refresh_token", "token",      "client_secret", "authorization",  "cpf",
    "cnpjcpf",      "consumidor",    "endereco",   "email",         "telefone",       "nascimento",
    "msisdn",       "url",           "urlrecarga", "numerocartao",  "cartao",         "pin",
    "urlativacao",  "password",      "senha",      "the service",   "codigoativacao", "numeropedido",
    "cep"};
// These hold what a customer gets: all of it is hidden, whatever its parts are called. Its words are those of a
// receipt, and are not looked for elsewhere.
constexpr std::array<std::string_view, 2> goods_fields{"instrucao", "complemento"};
// Outside of the goods this is a picture of the catalogue's, of which there are thousands.
constexpr std::string_view picture_field = "url";
// A shorter value would be found in numbers and words that have nothing to do with it.
constexpr std::size_t least_known = 6;
// So many values are remembered: those of thousands of sales.
constexpr std::size_t most_known = 20'000;
// What is no JSON may be a page of a proxy's: its beginning says what it is.
constexpr std::size_t shown_of_other = 4096;
// In what is no JSON, so many digits in a row are a cpf, a card or a telephone number.
constexpr std::size_t telling_digits = 11;
// A number of so many digits that is known with its punctuation is hidden without it too.
constexpr std::size_t least_digits = 8;

std::optional<json::value> json_in(std::string_view text) {
    if (text.empty() || (text.front() != '{' && text.front() != '[')) return std::nullopt;
    boost::system::error_code malformed;
    auto value = json::parse(text, malformed);
    if (malformed) return std::nullopt;
    return value;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

// Hides "nobody@example.com".
void hide_addresses(std::string& text) {
    constexpr auto letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
    for (auto at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
        const auto begin = at == 0 ? 0 : text.find_last_not_of(letters, at - 1) + 1;
        const auto end = std::min(text.find_first_not_of(letters, at + 1), text.size());
        if (begin == at || end == at + 1) continue;
        text.replace(begin, end - begin, Mask::hidden);
        at = begin;
    }
}

// Hides "000.000.000-00".
void hide_formatted_cpfs(std::string& text) {
    constexpr std::string_view shape = "000.000.000-00";
    const auto is_like = [](char c, char wanted) { return wanted == '0' ? is_digit(c) : c == wanted; };
    for (std::size_t at = 0; at + shape.size() <= text.size(); ++at)
        if (std::ranges::equal(std::string_view(text).substr(at, shape.size()), shape, is_like))
            text.replace(at, shape.size(), Mask::hidden);
}

void hide_long_numbers(std::string& text) {
    constexpr auto digits = "0123456789";
    for (auto at = text.find_first_of(digits); at != std::string::npos; at = text.find_first_of(digits, at)) {
        const auto end = std::min(text.find_first_not_of(digits, at), text.size());
        if (end - at >= telling_digits) text.replace(at, end - at, Mask::hidden);
        at = end - at >= telling_digits ? at : end;
    }
}

bool holds_goods(std::string_view field) {
    return std::ranges::find(goods_fields, to_lower(std::string(field))) != goods_fields.end();
}

// Makes "52998224725" of "529.982.247-25"; empty where it is no such number.
std::string without_punctuation(std::string_view value) {
    std::string digits(value);
    std::erase_if(digits, [](char c) { return std::string_view(" .-/()+").find(c) != std::string_view::npos; });
    return is_digits(digits) && digits.size() >= least_digits ? digits : std::string();
}

}  // namespace

void Mask::learn(std::string_view value) {
    if (value.size() < least_known || value.size() > shown_of_other || known_.size() >= most_known) return;
    known_.emplace(value);
    // This is how it stands in an address.
    known_.emplace(boost::urls::encode(value, boost::urls::unreserved_chars));
    if (auto digits = without_punctuation(value); !digits.empty()) known_.insert(std::move(digits));
}

void Mask::hide_field(std::string_view name) {
    fields_.insert(to_lower(std::string(name)));
}

bool Mask::hides(std::string_view field) const {
    const auto name = to_lower(std::string(field));
    return std::ranges::find(secret_fields, name) != secret_fields.end() || fields_.contains(name);
}

void Mask::learn_all(const json::value& value, bool hidden_here, bool in_goods) {
    if (const auto* array = value.if_array())
        for (const auto& element : *array)
            learn_all(element, hidden_here, in_goods);
    if (const auto* object = value.if_object())
        for (const auto& [name, inner] : *object) {
            const bool picture = !in_goods && to_lower(std::string(name)) == picture_field;
            learn_all(inner, hidden_here || (hides(name) && !picture), in_goods || holds_goods(name));
        }
    if (const auto* text = value.if_string()) {
        if (hidden_here) learn(*text);
        if (const auto inner = json_in(*text)) learn_all(*inner, hidden_here, in_goods);
    }
    if (const auto* number = value.if_int64(); number != nullptr && hidden_here) learn(std::to_string(*number));
}

void Mask::mask_json(json::value& value, bool hidden_here) const {
    if (auto* array = value.if_array()) {
        for (auto& element : *array)
            mask_json(element, hidden_here);
    } else if (auto* object = value.if_object()) {
        for (auto& member : *object)
            mask_json(member.value(), hidden_here || hides(member.key()) || holds_goods(member.key()));
    }
    const auto* words = value.if_string();
    if (auto inner = words == nullptr ? std::nullopt : json_in(*words)) {
        mask_json(*inner, hidden_here);  // its shape is shown, and what it holds is not
        std::string again;
        append_json(again, *inner);
        value = again;
    } else if (hidden_here && !value.is_null() && !value.is_structured()) {
        value = hidden;
    } else if (words != nullptr) {
        value = text(*words);
    }
}

std::string Mask::text(std::string_view given) const {
    std::string out(given);
    for (const auto& value : known_)
        replace_all(out, value, hidden);
    hide_addresses(out);
    hide_formatted_cpfs(out);
    return out;
}

std::string Mask::form(std::string_view given) {
    std::string out;
    while (!given.empty()) {
        const auto pair = given.substr(0, given.find('&'));
        given.remove_prefix(std::min(pair.size() + 1, given.size()));
        const auto sign = pair.find('=');
        if (!out.empty()) out += '&';
        if (sign != std::string_view::npos && hides(pair.substr(0, sign))) {
            learn(pair.substr(sign + 1));
            out.append(pair.substr(0, sign + 1)).append(hidden);
        } else {
            out.append(text(pair));
        }
    }
    return out;
}

std::string Mask::body(std::string_view content_type, std::string_view given) {
    if (content_type.starts_with("application/x-www-form-urlencoded")) return form(given);
    if (auto value = json_in(trim(given))) {
        learn_all(*value, false, false);
        mask_json(*value, false);
        std::string out;
        append_json(out, *value);
        return out;
    }
    auto out = text(given.substr(0, shown_of_other));
    hide_long_numbers(out);
    return out;
}

}  // namespace gateway::probe
