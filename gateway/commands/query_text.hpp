// The query of a request's target, put together parameter by parameter.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

// "?name=value", or "&name=value" where the query has begun.
void add_to_query(std::string& query, std::string_view name, std::string_view value);

}  // namespace gateway
