#include "families/question.hpp"

#include "base/ascii.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

constexpr std::string_view wanted_segment =
    "one path segment of lower-case letters, digits, '-', '_' and '.', and not another family's word";

std::string default_refused() {
    return fmt::format("is required, because produto in lower case is not {}", wanted_segment);
}

}  // namespace

std::string query_value(const QueryValues& query, std::string_view name, FieldErrors& errors) {
    auto value = query(name);
    if (value && is_plain_text(*value) && !is_dot_segment(*value)) return std::move(*value);
    const auto wanted = fmt::format("1 to {} characters without control characters", max_text_length);
    errors.push_back(
        {pointer_to("", name), fmt::format("{} {}", value ? "must be" : "is required: it must be", wanted)});
    return {};
}

std::string read_segment(FieldReader& reader, std::string_view name, std::string_view produto) {
    if (reader.has(name)) return reader.text_that(name, is_operator_segment, wanted_segment);
    auto segment = to_lower(produto);
    if (segment.empty() || is_operator_segment(segment)) return segment;
    reader.fail(name, default_refused());
    return {};
}

std::string query_segment(const QueryValues& query, std::string_view name, std::string_view produto,
                          FieldErrors& errors) {
    const auto given = query(name);
    auto segment = given ? *given : to_lower(produto);
    if (is_operator_segment(segment) || (!given && segment.empty())) return segment;
    errors.push_back({pointer_to("", name), given ? fmt::format("must be {}", wanted_segment) : default_refused()});
    return {};
}

void add_segment(boost::json::object& sell, std::string_view name, const OptionsQuestion& question) {
    if (question.segment != to_lower(question.produto)) sell[name] = question.segment;
}

}  // namespace gateway
