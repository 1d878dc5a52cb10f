// Reads the query string of a list of sales, and writes the answer.
#pragma once

#include "api/request_rules.hpp"
#include "api/sale_json.hpp"
#include "journal/journal.hpp"

#include <string>

namespace gateway {

// Reads what ?key= &idExterno= &status= &attention= &from= &to= &limit= &cursor= ask for. Refuses with a 422 that has
// every parameter that is wrong or unknown.
ResultOrResponse<SaleFilter> read_list_request(const http::Request& request);

// People search by these parameters as well: ?idTransacao= &nsu= &family= &terminal= &cashier= &estabelecimento=
// &valor=.
struct SaleSearch {
    SaleFilter filter;
    std::string nsu;  // empty: any; the journal itself cannot search by it
};
ResultOrResponse<SaleSearch> read_search_request(const http::Request& request);

// Writes the page as JSON, with what this audience is told of each sale.
std::string sale_list_json(const SalePage& page, Audience audience);

}  // namespace gateway
