#include "base/json_text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace gateway {
namespace {

namespace json = boost::json;

constexpr bool needs_escape(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

void append_escaped(std::string& out, char c) {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
        case '"':
        case '\\': out.append({'\\', c}); break;
        case '\b': out.append("\\b"); break;
        case '\f': out.append("\\f"); break;
        case '\n': out.append("\\n"); break;
        case '\r': out.append("\\r"); break;
        case '\t': out.append("\\t"); break;
        default: out.append({'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 0x0F]});
    }
}

void append_integer(std::string& out, std::int64_t number) {
    std::array<char, std::numeric_limits<std::int64_t>::digits10 + 2> digits{};  // digits10 is one short; and the sign
    auto* const end = std::to_chars(digits.begin(), digits.end(), number).ptr;
    out.append(digits.begin(), end);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const auto plain = static_cast<std::size_t>(std::ranges::find_if(text, needs_escape) - text.begin());
        out.append(text.substr(0, plain));
        if (plain == text.size()) break;
        append_escaped(out, text[plain]);
        text.remove_prefix(plain + 1);
    }
    out += '"';
}

void append_json(std::string& out, const json::value& value) {
    JsonWriter(out).value(value);
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    out_ += '"';
    out_ += name;
    out_ += "\":";
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
            for (const auto& member : any.get_object()) {
                string(member.key());
                out_ += ':';
                comma_due_ = false;
                value(member.value());
            }
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
