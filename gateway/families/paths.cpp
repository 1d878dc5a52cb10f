#include "families/paths.hpp"

#include "base/ascii.hpp"
#include "families/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway {
namespace {

constexpr std::string_view root = "/venda/";
constexpr std::string_view wanted_segment =
    told("one path segment of lower-case letters, digits, '-', '_' and '.', and not another family's word");

std::string default_refused() {
    return fmt::format(told("is required, because produto in lower case is not {}"), wanted_segment);
}

// Returns the first segment behind the root. A name in braces is a partner's place and not a word of the family, so the
// result is empty then.
std::string_view word_of(std::string_view pattern) {
    if (!pattern.starts_with(root)) return {};
    pattern.remove_prefix(root.size());
    const auto word = pattern.substr(0, pattern.find('/'));
    return word.starts_with('{') ? std::string_view() : word;
}

// Tells whether one of the family's paths begins with the word.
bool has_word(const FamilyPaths& paths, std::string_view word) {
    const std::array all{paths.options, paths.solicitar, paths.confirmar, paths.cancelar};
    return std::ranges::any_of(all, [&](std::string_view pattern) { return word_of(pattern) == word; });
}

// Tells whether there are as many segments as the pattern has, and whether they are equal where the pattern has no
// names.
bool fits(std::string_view pattern, const std::vector<std::string_view>& segments) {
    const auto fits_one = [](std::string_view wanted, std::string_view segment) {
        return wanted.starts_with('{') || to_lower(segment) == wanted;
    };
    return std::ranges::equal(segments_of(pattern), segments, fits_one);
}

}  // namespace

std::string filled(std::string_view pattern, const std::function<std::string_view(std::string_view name)>& value_of) {
    std::string path;
    for (;;) {
        const auto open = pattern.find('{');
        path += pattern.substr(0, open);
        if (open == std::string_view::npos) return path;
        const auto close = pattern.find('}', open);
        path += encoded_segment(value_of(pattern.substr(open + 1, close - open - 1)));
        pattern.remove_prefix(close + 1);
    }
}

std::string query_value(const QueryValues& query, std::string_view name, FieldErrors& errors) {
    auto value = query(name);
    if (value && is_plain_text(*value) && !is_dot_segment(*value)) return std::move(*value);
    errors.push_back({pointer_to("", name),
                      value
                          ? fmt::format(told("must be 1 to {} characters without control characters"), max_text_length)
                          : fmt::format(told("is required: it must be 1 to {} characters without control characters"),
                                        max_text_length)});
    return {};
}

std::string query_segment(const QueryValues& query, std::string_view name, std::string_view produto,
                          FieldErrors& errors) {
    const auto given = query(name);
    auto segment = given ? *given : to_lower(produto);
    if (is_operator_segment(segment) || (!given && segment.empty())) return segment;
    errors.push_back(
        {pointer_to("", name), given ? fmt::format(told("must be {}"), wanted_segment) : default_refused()});
    return {};
}

std::string read_segment(FieldReader& reader, std::string_view name, std::string_view produto) {
    if (reader.has(name)) return reader.text_that(name, is_operator_segment, wanted_segment);
    auto segment = to_lower(produto);
    if (segment.empty() || is_operator_segment(segment)) return segment;
    reader.fail(name, default_refused());
    return {};
}

std::vector<std::string_view> path_words() {
    std::vector<std::string_view> words;
    for (const auto family : all_families) {
        const auto& paths = rules_of(family).paths;
        for (const auto pattern : {paths.options, paths.solicitar, paths.confirmar, paths.cancelar})
            if (const auto word = word_of(pattern); !word.empty() && std::ranges::find(words, word) == words.end())
                words.push_back(word);
    }
    return words;
}

std::vector<std::string_view> segments_of(std::string_view path) {
    std::vector<std::string_view> segments;
    while (!path.empty()) {
        const auto segment = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(segment.size() + 1, path.size()));
        const auto name = segment.substr(0, segment.find(';'));
        if (!name.empty()) segments.push_back(name);
    }
    return segments;
}

std::optional<Family> family_of(std::string_view path) {
    const auto segments = segments_of(path);
    if (segments.size() < 2 || to_lower(segments[0]) != "venda") return std::nullopt;
    const auto word = to_lower(segments[1]);
    for (const auto family : all_families)
        if (has_word(rules_of(family).paths, word)) return family;
    // Where the partner's name stands in the place of the word, the shape of the path tells the family.
    for (const auto family : all_families)
        if (fits(rules_of(family).paths.options, segments)) return family;
    return std::nullopt;
}

bool is_operator_segment(std::string_view text) noexcept {
    const auto allowed = [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '_' || c == '.'; };
    return !text.empty() && text.size() <= max_segment_length && std::ranges::all_of(text, allowed) &&
           !is_dot_segment(text) &&
           std::ranges::none_of(all_families, [&](Family family) { return has_word(rules_of(family).paths, text); });
}

}  // namespace gateway
