#include "base/json_text.hpp"

#include "base/ascii.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gateway {
namespace {

namespace json = boost::json;

// Holds, for each byte that is escaped, the character after the backslash. It is 0 for a byte that is not escaped.
// After 'u' the number of the byte follows.
constexpr auto escapes = [] {
    std::array<char, 256> table{};
    std::fill_n(table.begin(), 0x20, 'u');
    table['\b'] = 'b';
    table['\f'] = 'f';
    table['\n'] = 'n';
    table['\r'] = 'r';
    table['\t'] = 't';
    table['"'] = '"';
    table['\\'] = '\\';
    table[0x7f] = 'u';
    return table;
}();

constexpr char escape_of(char c) noexcept {
    return escapes[static_cast<unsigned char>(c)];
}

// Tells whether the table has an escape for the character, without a branch: see length_before().
constexpr auto is_escaped = [](char c) noexcept { return is_control(c) | (c == '"') | (c == '\\'); };

void append_escaped(std::string& out, char c, char escape) {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    const std::array<char, 6> text{'\\', escape, '0', '0', hex[byte >> 4], hex[byte & 0x0F]};
    out.append(text.data(), escape == 'u' ? text.size() : 2);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    std::size_t appended = 0;  // everything up to the next escape is appended in one piece
    // Most texts have nothing to escape. A text that has, such as JSON in a text, has something in every few
    // characters.
    for (std::size_t i = length_before(text, is_escaped); i < text.size(); ++i) {
        const char escape = escape_of(text[i]);
        if (escape == 0) continue;
        out.append(text, appended, i - appended);
        append_escaped(out, text[i], escape);
        appended = i + 1;
    }
    out.append(text, appended);
    out += '"';
}

void append_json(std::string& out, const json::value& value) {
    JsonWriter(out).value(value);
}

void append_json(std::string& out, const json::object& object) {
    JsonWriter(out).value(object);
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
    append_number(out_, number);
}

void JsonWriter::raw(std::string_view json) {
    separate();
    out_ += json;
}

void JsonWriter::members(std::string_view object) {
    constexpr std::string_view blanks = " \t\r\n";
    object = trim(object, blanks);
    if (object.size() < 2 || object.front() != '{' || object.back() != '}') return;
    if (const auto inside = trim(object.substr(1, object.size() - 2), blanks); !inside.empty()) raw(inside);
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
        case json::kind::object: value(any.get_object()); break;
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
            separate();
            append_number(out_, any.get_uint64());
            break;
        case json::kind::double_: decimal(any.get_double()); break;
    }
}

void JsonWriter::value(const json::object& object) {
    begin_object();
    for (const auto& member : object)
        escaped_key(member.key()).value(member.value());
    end_object();
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

// Writes the comma before a value or its key, if one is due. After this value one is due again.
void JsonWriter::separate() {
    if (comma_due_) out_ += ',';
    comma_due_ = true;
}

}  // namespace gateway
