#include "base/json_text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
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

// Whether one of eight bytes is escaped.
bool one_is_escaped(std::uint64_t eight) noexcept {
    constexpr std::uint64_t each = 0x0101'0101'0101'0101;
    // Subtracting turns the high bit on in a byte that is below `limit`, and first in such a one.
    const auto one_below = [](std::uint64_t bytes, std::uint64_t limit) {
        return (bytes - each * limit) & ~bytes & each * 0x80;
    };
    return (one_below(eight, 0x20) | one_below(eight ^ each * '"', 1) | one_below(eight ^ each * '\\', 1)) != 0;
}

// How many bytes stand before the first that is escaped.
std::size_t plain_length(std::string_view text) noexcept {
    std::size_t length = 0;
    for (std::uint64_t eight = 0; length + sizeof eight <= text.size(); length += sizeof eight) {
        std::memcpy(&eight, text.data() + length, sizeof eight);
        if (one_is_escaped(eight)) break;
    }
    while (length < text.size() && escape_of(text[length]) == 0)
        ++length;
    return length;
}

std::size_t escaped_length(std::string_view text) noexcept {
    std::size_t length = text.size();
    for (const char c : text)
        length += escape_of(c) == 'u' ? 5 : escape_of(c) != 0 ? 1 : 0;
    return length;
}

// Writes the character as it stands in a JSON string; returns where the next one goes.
char* put_escaped(char* to, char c) noexcept {
    constexpr std::string_view hex = "0123456789abcdef";
    const char letter = escape_of(c);
    if (letter != 0) *to++ = '\\';
    *to++ = letter != 0 ? letter : c;
    if (letter != 'u') return to;
    const auto byte = static_cast<unsigned char>(c);
    for (const char digit : {'0', '0', hex[byte >> 4], hex[byte & 0x0F]})
        *to++ = digit;
    return to;
}

// Makes the text longer by `more` bytes; returns where they begin. One growth costs less than one for each piece.
char* grow(std::string& out, std::size_t more) {
    const auto before = out.size();
    out.resize(before + more);
    return out.data() + before;
}

char* put(char* to, std::string_view text) noexcept {
    return std::copy(text.begin(), text.end(), to);
}

void append_integer(std::string& out, std::int64_t number) {
    std::array<char, std::numeric_limits<std::int64_t>::digits10 + 2> digits{};  // digits10 is one short; and the sign
    auto* const end = std::to_chars(digits.begin(), digits.end(), number).ptr;
    out.append(digits.begin(), end);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    const auto plain = text.substr(0, plain_length(text));
    const auto rest = text.substr(plain.size());
    char* to = grow(out, plain.size() + escaped_length(rest) + 2);
    *to++ = '"';
    to = put(to, plain);
    for (const char c : rest)
        to = put_escaped(to, c);
    *to = '"';
}

void append_json(std::string& out, const json::value& value) {
    JsonWriter(out).value(value);
}

JsonWriter& JsonWriter::key(std::string_view name) {
    char* to = grow(out_, name.size() + (comma_due_ ? 4 : 3));
    if (comma_due_) *to++ = ',';
    *to++ = '"';
    to = put(to, name);
    *to++ = '"';
    *to = ':';
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
        case json::kind::uint64:
        case json::kind::double_: raw(json::serialize(any)); break;
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
