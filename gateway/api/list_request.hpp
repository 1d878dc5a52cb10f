// The query string of a list of sales.
#pragma once

#include "api/request_rules.hpp"
#include "journal/list_query.hpp"

namespace gateway {

// What ?key= &idExterno= &status= &attention= &from= &to= &limit= &cursor= ask for; 422 with every parameter that is
// wrong or unknown.
ResultOrResponse<SaleFilter> read_list_request(const http::Request& request);

}  // namespace gateway
