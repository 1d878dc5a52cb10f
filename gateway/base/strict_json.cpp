#include "base/strict_json.hpp"

#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace gateway {
namespace {

namespace json = boost::json;
using boost::system::error_code;

// Builds the value like Boost.JSON's own parser, and keeps the keys of the objects that are open.
class Handler {
  public:
    static constexpr std::size_t max_object_size = std::size_t(-1);
    static constexpr std::size_t max_array_size = std::size_t(-1);
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();

    json::value release() { return stack_.release(); }
    const std::optional<std::string>& repeated_key() const { return repeated_; }

    bool on_document_begin(error_code&) {
        stack_.reset();
        return true;
    }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) {
        open_.emplace_back();
        return true;
    }
    bool on_object_end(std::size_t n, error_code&) {
        open_.pop_back();
        stack_.push_object(n);
        return true;
    }
    bool on_array_begin(error_code&) { return true; }
    bool on_array_end(std::size_t n, error_code&) {
        stack_.push_array(n);
        return true;
    }
    bool on_key_part(json::string_view part, std::size_t, error_code&) {
        key_.append(part.data(), part.size());
        stack_.push_chars(part);
        return true;
    }
    bool on_key(json::string_view part, std::size_t, error_code& ec) {
        key_.append(part.data(), part.size());
        if (!open_.back().insert(key_).second) {
            repeated_ = std::move(key_);
            ec = json::error::syntax;
            return false;
        }
        key_.clear();
        stack_.push_key(part);
        return true;
    }
    bool on_string_part(json::string_view part, std::size_t, error_code&) {
        stack_.push_chars(part);
        return true;
    }
    bool on_string(json::string_view part, std::size_t, error_code&) {
        stack_.push_string(part);
        return true;
    }
    bool on_number_part(json::string_view, error_code&) { return true; }
    bool on_int64(std::int64_t i, json::string_view, error_code&) {
        stack_.push_int64(i);
        return true;
    }
    bool on_uint64(std::uint64_t u, json::string_view, error_code&) {
        stack_.push_uint64(u);
        return true;
    }
    bool on_double(double d, json::string_view, error_code&) {
        stack_.push_double(d);
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
    bool on_comment_part(json::string_view, error_code&) { return true; }
    bool on_comment(json::string_view, error_code&) { return true; }

  private:
    json::value_stack stack_;
    std::vector<std::set<std::string>> open_;  // looked up fast: the keys are a stranger's, and may be thousands
    std::string key_;
    std::optional<std::string> repeated_;
};

void append_canonical(std::string& out, const json::value& value) {
    if (const auto* object = value.if_object()) {
        std::vector<const json::key_value_pair*> pairs;
        for (const auto& pair : *object)
            pairs.push_back(&pair);
        std::sort(pairs.begin(), pairs.end(), [](const auto* a, const auto* b) { return a->key() < b->key(); });
        out += '{';
        for (const auto* pair : pairs) {
            if (out.back() != '{') out += ',';
            out += json::serialize(json::string_view(pair->key()));
            out += ':';
            append_canonical(out, pair->value());
        }
        out += '}';
    } else if (const auto* array = value.if_array()) {
        out += '[';
        for (const auto& element : *array) {
            if (out.back() != '[') out += ',';
            append_canonical(out, element);
        }
        out += ']';
    } else {
        out += json::serialize(value);
    }
}

}  // namespace

ParsedJson parse_strict_json(std::string_view text, std::size_t depth_limit) {
    json::parse_options options;
    options.max_depth = depth_limit;
    json::basic_parser<Handler> parser(options);
    error_code ec;
    const auto used = parser.write_some(false, text.data(), text.size(), ec);
    const auto wrong = [](std::string why) { return ParsedJson(boost::system::in_place_error, std::move(why)); };
    if (parser.handler().repeated_key())
        return wrong("the key \"" + *parser.handler().repeated_key() + "\" is repeated");
    if (ec) return wrong(ec.message() + " at byte " + std::to_string(used));
    if (used < text.size()) return wrong("something follows the JSON value at byte " + std::to_string(used));
    return ParsedJson(boost::system::in_place_value, parser.handler().release());
}

std::string canonical_json(const json::value& value) {
    std::string out;
    append_canonical(out, value);
    return out;
}

}  // namespace gateway
