// The sale object of the terminal API.
#pragma once

#include "sale/sale.hpp"

#include <string>

namespace gateway {

// The sale as every answer carries it, as JSON text. Goods and receipt are null until the sale is EFETIVADA.
std::string sale_json(const Sale& sale);
// The same with `attempts`: every idExterno and what became of it.
std::string sale_with_attempts_json(const Sale& sale);

}  // namespace gateway
