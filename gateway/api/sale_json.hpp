// The sale object of the terminal API.
#pragma once

#include "sale/sale.hpp"

#include <boost/json/object.hpp>

namespace gateway {

// The sale as every answer carries it. Goods and receipt are null until the sale is EFETIVADA.
boost::json::object sale_json(const Sale& sale);
// The same with `attempts`: every idExterno and what became of it.
boost::json::object sale_with_attempts_json(const Sale& sale);

}  // namespace gateway
