#include "base/json_text.hpp"

#include "base/eight_bytes.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace gateway {
namespace {

namespace json = boost::json;

// What stands behind the backslash where a byte is escaped; 0 where it is not, and after 'u' its number follows.
constexpr auto escapes = [] {
    std::array<char, 256> letters{};
    std::fill_n(letters.begin(), 0x20, 'u');
    letters['\b'] = 'b';
    letters['\f'] = 'f';
    letters['\n'] = 'n';
    letters['\r'] = 'r';
    letters['\t'] = 't';
    letters['"'] = '"';
    letters['\\'] = '\\';
    return letters;
}();

char escape_of(char c) noexcept {
    return escapes[static_cast<unsigned char>(c)];
}

// How many bytes stand before the first that is escaped.
std::size_t plain_length(std::string_view text) noexcept {
    return length_before(
        text, [](EightBytes bytes) { return bytes.below(0x20) | bytes.equal('"') | bytes.equal('\\'); },
        [](char c) { return escape_of(c) != 0; });
}

// The character as it stands in a JSON string.
void append_escaped(std::string& out, char c) {
    constexpr std::string_view hex = "0123456789abcdef";
    const char letter = escape_of(c);
    const auto byte = static_cast<unsigned char>(c);
    const std::array<char, 6> escape{'\\', letter, '0', '0', hex[byte >> 4], hex[byte & 0x0F]};
    out.append(escape.data(), letter == 'u' ? escape.size() : 2);
}

void append_integer(std::string& out, std::int64_t number) {
    std::array<char, std::numeric_limits<std::int64_t>::digits10 + 2> digits{};  // digits10 is one short; and the sign
    auto* const end = std::to_chars(digits.begin(), digits.end(), number).ptr;
    out.append(digits.begin(), end);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    auto plain = plain_length(text);
    out += '"';
    out.append(text.data(), plain);
    // JSON in a text, as goods are kept, has something to escape in every few bytes.
    while (plain < text.size()) {
        append_escaped(out, text[plain]);
        text.remove_prefix(plain + 1);
        plain = plain_length(text);
        out.append(text.data(), plain);
    }
    out += '"';
}

void append_json(std::string& out, const json::value& value) {
    JsonWriter(out).value(value);
}

JsonWriter& JsonWriter::key(std::string_view name) {
    out_.append(comma_due_ ? ",\"" : "\"").append(name).append("\":");
    comma_due_ = false;
    return *this;
}

JsonWriter& JsonWriter::escaped_key(std::string_view name) {
    string(name);
    out_ += ':';
    comma_due_ = false;
    return *this;
}

void JsonWriter::string(std::string_view text) {
    separate();
    append_json_string(out_, text);
}

void JsonWriter::plain(std::string_view text) {
    out_.append(comma_due_ ? ",\"" : "\"").append(text).append("\"");
    comma_due_ = true;
}

void JsonWriter::string_or_null(std::string_view text) {
    if (text.empty())
        null();
    else
        string(text);
}

void JsonWriter::number(std::int64_t number) {
    separate();
    append_integer(out_, number);
}

void JsonWriter::raw(std::string_view json) {
    separate();
    out_ += json;
}

void JsonWriter::decimal(double number) {
    if (!std::isfinite(number)) return raw(number < 0 ? "-1e999" : "1e999");
    std::array<char, 32> room{};
    auto* const end = std::to_chars(room.data(), room.data() + room.size(), number).ptr;
    const std::string_view digits(room.data(), static_cast<std::size_t>(end - room.data()));
    raw(digits);
    if (digits.find_first_of(".e") == std::string_view::npos) out_ += ".0";
}

void JsonWriter::value(const json::value& any) {
    switch (any.kind()) {
        case json::kind::object:
            begin_object();
            for (const auto& member : any.get_object())
                escaped_key(member.key()).value(member.value());
            end_object();
            break;
        case json::kind::array:
            begin_array();
            for (const auto& element : any.get_array())
                value(element);
            end_array();
            break;
        case json::kind::string: string(std::string_view(any.get_string())); break;
        case json::kind::int64: number(any.get_int64()); break;
        case json::kind::bool_: boolean(any.get_bool()); break;
        case json::kind::null: null(); break;
        case json::kind::uint64: raw(std::to_string(any.get_uint64())); break;
        case json::kind::double_: decimal(any.get_double()); break;
    }
}

void JsonWriter::begin(char bracket) {
    separate();
    out_ += bracket;
    comma_due_ = false;
}

void JsonWriter::end(char bracket) {
    out_ += bracket;
    comma_due_ = true;
}

// What follows is a value or its key, and what follows that needs a comma.
void JsonWriter::separate() {
    if (comma_due_) out_ += ',';
    comma_due_ = true;
}

}  // namespace gateway
