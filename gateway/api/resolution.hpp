// Reads the body of POST /v1/sales/{id}/resolve strictly: what an operator found out about a sale.
#pragma once

#include "api/request_rules.hpp"
#include "sale/machine.hpp"
#include "sale/sale.hpp"

namespace gateway {

// Returns what an operator decided of `sale`. `note` is there in every case; `status` where the sale is not final; `by`
// says who decides; `esim` has the number and the address for the receipt of an eSIM that is EFETIVADA or is resolved
// so. Refuses with 400, 415 or 422 a body that says nothing usable.
ResultOrResponse<Resolved> read_resolution(const http::Request& request, const Sale& sale);

}  // namespace gateway
