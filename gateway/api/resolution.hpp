// The body of POST /v1/sales/{id}/resolve: what an operator found out of a sale, read strictly.
#pragma once

#include "api/request_rules.hpp"
#include "sale/machine.hpp"
#include "sale/sale.hpp"

namespace gateway {

// What an operator decided of `sale`: `note`, in every case; `status`, of a sale that is not final; `by`, who says so;
// `esim`, the number and the address for the receipt of an eSIM that is EFETIVADA or is resolved so. 400, 415 or 422
// where the body says nothing usable.
ResultOrResponse<Resolved> read_resolution(const http::Request& request, const Sale& sale);

}  // namespace gateway
