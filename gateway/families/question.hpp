// What the families have in common in naming a path: the values of a query string, and the operator's or partner's
// segment, which a terminal may name and which else is the lower-case product name (Path placeholders).
#pragma once

#include "families/family.hpp"
#include "families/field_reader.hpp"

#include <string>
#include <string_view>

namespace gateway {

// A required value that will be a part of a path; empty after an error.
std::string query_value(const QueryValues& query, std::string_view name, FieldErrors& errors);

// The segment in the field `name` of a sell body, "transit" or "health", else from `produto`. Empty after an error, and
// without another one where `produto` is empty, because it had one of its own.
std::string read_segment(FieldReader& reader, std::string_view name, std::string_view produto);

// The same from a query string.
std::string query_segment(const QueryValues& query, std::string_view name, std::string_view produto,
                          FieldErrors& errors);

// Puts a segment that `produto` alone does not lead to into the fields that a terminal copies.
void add_segment(boost::json::object& sell, std::string_view name, const OptionsQuestion& question);

}  // namespace gateway
