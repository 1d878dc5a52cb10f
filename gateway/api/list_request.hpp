// A list of sales: the query string, and the answer.
#pragma once

#include "api/request_rules.hpp"
#include "api/sale_json.hpp"
#include "journal/journal.hpp"

#include <string>

namespace gateway {

// What ?key= &idExterno= &status= &attention= &from= &to= &limit= &cursor= ask for; 422 with every parameter that is
// wrong or unknown.
ResultOrResponse<SaleFilter> read_list_request(const http::Request& request);

// The same of people, who search by more: ?idTransacao= &nsu= &family= &terminal= &cashier= &estabelecimento= &valor=
// too.
struct SaleSearch {
    SaleFilter filter;
    std::string nsu;  // empty: any; the journal cannot look for it
};
ResultOrResponse<SaleSearch> read_search_request(const http::Request& request);

// Writes the page as JSON, as this audience is told of it.
std::string sale_list_json(const SalePage& page, Audience audience);

}  // namespace gateway
