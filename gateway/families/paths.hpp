// The paths at the provider, as the tables of the families have them: what is put into them, and whose a path is.
#pragma once

#include "families/family.hpp"
#include "families/field_reader.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// The path of a pattern, with what `value_of` says for each name in braces, percent-encoded.
std::string filled(std::string_view pattern, const std::function<std::string_view(std::string_view name)>& value_of);

// A required value of a query string that will be a part of a path; empty after an error.
std::string query_value(const QueryValues& query, std::string_view name, FieldErrors& errors);

// The operator's or partner's part of a path: what a query string or a sell body has under `name`, which is the
// family's, or else `produto` in lower case. Empty after an error, and without another one where `produto` is empty,
// because it had one of its own.
std::string query_segment(const QueryValues& query, std::string_view name, std::string_view produto,
                          FieldErrors& errors);
std::string read_segment(FieldReader& reader, std::string_view name, std::string_view produto);

// The family of a path of the provider's without its query; nothing where it belongs to none. A path that a lenient
// server might take for a family's, in other letters or with slashes too many, is that family's here.
std::optional<Family> family_of(std::string_view path);

// The segments of a path that are not empty, without what a ";" begins.
std::vector<std::string_view> segments_of(std::string_view path);

// Whether a terminal may name this as the operator's or partner's part of a path: lower-case letters, digits, '-', '_',
// '.', and none of the words that would lead to another family's address.
bool is_operator_segment(std::string_view text) noexcept;

}  // namespace gateway
