#include "base/strict_json.hpp"

#include "base/ascii.hpp"
#include "base/json_text.hpp"

#include <boost/container/small_vector.hpp>
#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <vector>

namespace gateway {
namespace {

namespace json = boost::json;
using boost::system::error_code;

// The parser calls these functions. This handler keeps nothing.
class Handler {
  public:
    static constexpr std::size_t max_object_size = std::size_t(-1);
    static constexpr std::size_t max_array_size = std::size_t(-1);
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) { return true; }
    bool on_object_end(std::size_t, error_code&) { return true; }
    bool on_array_begin(error_code&) { return true; }
    bool on_array_end(std::size_t, error_code&) { return true; }
    bool on_key_part(json::string_view, std::size_t, error_code&) { return true; }
    bool on_key(json::string_view, std::size_t, error_code&) { return true; }
    bool on_string_part(json::string_view, std::size_t, error_code&) { return true; }
    bool on_string(json::string_view, std::size_t, error_code&) { return true; }
    bool on_number_part(json::string_view, error_code&) { return true; }
    bool on_int64(std::int64_t, json::string_view, error_code&) { return true; }
    bool on_uint64(std::uint64_t, json::string_view, error_code&) { return true; }
    bool on_double(double, json::string_view, error_code&) { return true; }
    bool on_bool(bool, error_code&) { return true; }
    bool on_null(error_code&) { return true; }
    bool on_comment_part(json::string_view, error_code&) { return true; }
    bool on_comment(json::string_view, error_code&) { return true; }
};

// Tells whether a double that was read from these digits gives all of them back.
bool is_exact(double number, std::string_view text) {
    const auto mantissa = text.substr(0, text.find_first_of("eE"));
    const auto digits = std::ranges::count_if(mantissa, is_digit);
    const bool vanished = number == 0 && mantissa.find_first_of("123456789") != std::string_view::npos;
    return std::isfinite(number) && !vanished && digits <= std::numeric_limits<double>::digits10;
}

bool has_zero(std::string_view text) noexcept {
    return text.find('\0') != std::string_view::npos;
}

std::string without_zeros(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c == '\0')
            out += "\xEF\xBF\xBD";
        else
            out += c;
    return out;
}

// Builds the value as Boost.JSON's own parser does, and counts the members of its objects.
class Builder : public Handler {
  public:
    Builder(json::storage_ptr storage, LongNumbers long_numbers, Zeros zeros)
        : stack_({}, buffer_.data(), buffer_.size()),
          storage_(std::move(storage)),
          long_numbers_(long_numbers),
          zeros_(zeros) {}

    json::value release() { return stack_.release(); }
    std::size_t members_read() const { return members_read_; }

    bool on_document_begin(error_code&) {
        stack_.reset(storage_);
        return true;
    }
    bool on_object_end(std::size_t n, error_code&) {
        members_read_ += n;
        stack_.push_object(n);
        return true;
    }
    bool on_array_end(std::size_t n, error_code&) {
        stack_.push_array(n);
        return true;
    }
    bool on_key_part(json::string_view part, std::size_t, error_code& ec) {
        return push(part, &json::value_stack::push_chars, ec);
    }
    bool on_key(json::string_view part, std::size_t, error_code& ec) {
        return push(part, &json::value_stack::push_key, ec);
    }
    bool on_string_part(json::string_view part, std::size_t, error_code& ec) {
        return push(part, &json::value_stack::push_chars, ec);
    }
    bool on_string(json::string_view part, std::size_t, error_code& ec) {
        return push(part, &json::value_stack::push_string, ec);
    }
    bool on_int64(std::int64_t i, json::string_view, error_code&) {
        digits_.clear();
        stack_.push_int64(i);
        return true;
    }
    bool on_uint64(std::uint64_t u, json::string_view, error_code&) {
        digits_.clear();
        stack_.push_uint64(u);
        return true;
    }
    bool on_number_part(json::string_view part, error_code&) {
        digits_.append(part.data(), part.size());
        return true;
    }
    bool on_double(double d, json::string_view part, error_code&) {
        digits_.append(part.data(), part.size());
        if (long_numbers_ == LongNumbers::as_text && !is_exact(d, digits_))
            stack_.push_string(digits_);
        else
            stack_.push_double(d);
        digits_.clear();
        return true;
    }
    bool on_bool(bool b, error_code&) {
        stack_.push_bool(b);
        return true;
    }
    bool on_null(error_code&) {
        stack_.push_null();
        return true;
    }

  private:
    // Returns whether the part is taken.
    bool push(json::string_view part, void (json::value_stack::*to)(json::string_view), error_code& ec) {
        if (!has_zero(part)) {
            (stack_.*to)(part);
            return true;
        }
        (stack_.*to)(without_zeros(part));
        if (zeros_ == Zeros::refused) ec = json::error::syntax;
        return zeros_ == Zeros::replaced;
    }

    std::array<unsigned char, 2048> buffer_;  // the stack's first memory; if it is too small, the stack asks for more
    json::value_stack stack_;
    const json::storage_ptr storage_;
    const LongNumbers long_numbers_;
    const Zeros zeros_;
    std::string digits_;  // the digits of a number
    std::size_t members_read_ = 0;
};

// Stops at a key that its object has already, and at a text that contains U+0000.
class KeyWatch : public Handler {
  public:
    const std::optional<std::string>& repeated_key() const { return repeated_; }
    bool met_zero() const { return met_zero_; }

    bool on_object_begin(error_code&) {
        open_.emplace_back();
        return true;
    }
    bool on_object_end(std::size_t, error_code&) {
        open_.pop_back();
        return true;
    }
    bool on_key_part(json::string_view part, std::size_t, error_code& ec) {
        key_.append(part.data(), part.size());
        return look(part, ec);
    }
    bool on_string_part(json::string_view part, std::size_t, error_code& ec) { return look(part, ec); }
    bool on_string(json::string_view part, std::size_t, error_code& ec) { return look(part, ec); }
    bool on_key(json::string_view part, std::size_t, error_code& ec) {
        if (!look(part, ec)) return false;
        key_.append(part.data(), part.size());
        if (!open_.back().insert(key_).second) {
            repeated_ = std::move(key_);
            ec = json::error::syntax;
            return false;
        }
        key_.clear();
        return true;
    }

  private:
    bool look(std::string_view part, error_code& ec) {
        met_zero_ = has_zero(part);
        if (met_zero_) ec = json::error::syntax;
        return !met_zero_;
    }

    bool met_zero_ = false;
    // A set is fast, which matters here: a stranger chooses the keys, and there may be thousands.
    std::vector<std::set<std::string>> open_;
    std::string key_;
    std::optional<std::string> repeated_;
};

std::size_t members(const json::value& value) {
    std::size_t count = 0;
    if (const auto* object = value.if_object()) {
        count = object->size();
        for (const auto& member : *object)
            count += members(member.value());
    } else if (const auto* array = value.if_array()) {
        for (const auto& element : *array)
            count += members(element);
    }
    return count;
}

// A value keeps only one of two equal keys. If a key is repeated, the value has fewer members than were read.
std::optional<json::value> parse_unique(std::string_view text, const json::parse_options& options,
                                        json::storage_ptr storage, LongNumbers long_numbers, Zeros zeros) {
    json::basic_parser<Builder> parser(options, std::move(storage), long_numbers, zeros);
    error_code ec;
    const auto used = parser.write_some(false, text.data(), text.size(), ec);
    if (ec || used < text.size()) return std::nullopt;
    auto value = parser.handler().release();
    if (members(value) != parser.handler().members_read()) return std::nullopt;
    return value;
}

// Says in words what is wrong. Right JSON is read fast, and wrong JSON is read once more to find the reason.
std::string what_is_wrong(std::string_view text, const json::parse_options& options) {
    json::basic_parser<KeyWatch> parser(options);
    error_code ec;
    const auto used = parser.write_some(false, text.data(), text.size(), ec);
    if (const auto& key = parser.handler().repeated_key()) return "the key \"" + *key + "\" is repeated";
    if (parser.handler().met_zero()) return "a text in it has the character U+0000, which no journal keeps";
    if (ec) return ec.message() + " at byte " + std::to_string(used);
    return "something follows the JSON value at byte " + std::to_string(used);
}

void write_canonical(JsonWriter& writer, const json::value& value);

void write_canonical(JsonWriter& writer, const json::object& object) {
    boost::container::small_vector<const json::key_value_pair*, 32> members;
    for (const auto& member : object)
        members.push_back(&member);
    std::ranges::sort(members, {}, [](const auto* member) { return member->key(); });
    writer.begin_object();
    for (const auto* member : members)
        write_canonical(writer.escaped_key(member->key()), member->value());
    writer.end_object();
}

void write_canonical(JsonWriter& writer, const json::value& value) {
    if (const auto* object = value.if_object()) {
        write_canonical(writer, *object);
    } else if (const auto* array = value.if_array()) {
        writer.begin_array();
        for (const auto& element : *array)
            write_canonical(writer, element);
        writer.end_array();
    } else {
        writer.value(value);
    }
}

}  // namespace

ParsedJson parse_strict_json(std::string_view text, std::size_t depth_limit, json::storage_ptr storage,
                             LongNumbers long_numbers, Zeros zeros) {
    json::parse_options options;
    options.max_depth = depth_limit;
    auto value = parse_unique(text, options, std::move(storage), long_numbers, zeros);
    if (value) return ParsedJson(boost::system::in_place_value, std::move(*value));
    return ParsedJson(boost::system::in_place_error, what_is_wrong(text, options));
}

std::string canonical_json(const json::value& value) {
    std::string out;
    JsonWriter writer(out);
    write_canonical(writer, value);
    return out;
}

std::string canonical_json(const json::object& object) {
    std::string out;
    JsonWriter writer(out);
    write_canonical(writer, object);
    return out;
}

}  // namespace gateway
