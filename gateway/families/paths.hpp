// Fills the paths at the provider, which stand in the families' tables, and tells which family a path belongs to.
#pragma once

#include "families/family.hpp"
#include "families/field_reader.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Returns the path that a pattern gives: each name in braces is replaced by what `value_of` says for it,
// percent-encoded.
std::string filled(std::string_view pattern, const std::function<std::string_view(std::string_view name)>& value_of);

// Reads a required value of a query string that will be a part of a path. Returns an empty text after an error.
std::string query_value(const QueryValues& query, std::string_view name, FieldErrors& errors);

// These read the operator's or partner's part of a path: what a query string or a sell body has under `name`, the
// family's own name for it, or else `produto` in lower case. They return an empty text after an error. If `produto` is
// empty they add no error, because `produto` had its own.
std::string query_segment(const QueryValues& query, std::string_view name, std::string_view produto,
                          FieldErrors& errors);
std::string read_segment(FieldReader& reader, std::string_view name, std::string_view produto);

// Returns the family of one of the provider's paths, without its query, and nothing if it belongs to none. A path in
// other letters, or with too many slashes, counts as the family's, because a lenient server might take it for that.
std::optional<Family> family_of(std::string_view path);

// Returns the words with which the families' paths begin behind /venda/, in the order of the families.
std::vector<std::string_view> path_words();

// Returns the segments of a path that are not empty, each without what begins with a ";".
std::vector<std::string_view> segments_of(std::string_view path);

// Tells whether a terminal may name this as the operator's or partner's part of a path: it consists of lower-case
// letters, digits, '-', '_' and '.', and is none of the words that would lead to another family's address.
bool is_operator_segment(std::string_view text) noexcept;

}  // namespace gateway
