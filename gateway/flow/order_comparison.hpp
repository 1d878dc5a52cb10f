// Whether a sell whose key is known asks for the sale that has the key, or for another one.
#pragma once

#include "flow/sell_order.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// Order::fields of the order that the sale came of; nothing where they were erased, or cannot be read.
std::optional<boost::json::object> request_fields(const Sale& sale);

// The names of the fields in which the order differs from what the sale was asked to be, in the order of the alphabet;
// empty where both are understood alike. What was erased from the sale is not compared, and neither is an
// establishment that the order left out: it means the sale's own.
std::vector<std::string> differing_fields(const Sale& sale, const SellOrder& asked);

// Whether the order is the sale's own: sent with an equal body, or understood alike ("Idempotency"). Of a sale whose
// fields were erased only the body can tell.
bool is_repeat(const Sale& sale, const SellOrder& asked);

}  // namespace gateway
