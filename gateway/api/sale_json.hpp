// Writes the sale object of the terminal API.
#pragma once

#include "api/routes.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace gateway {

// Says who reads the sale. Operators are told the mark of a sale that needs a person, and so is the console, which is
// told neither goods nor anything of the customer.
enum class Audience : unsigned { terminals = on_terminals, operators = on_admin, console = on_console };

// Returns the sale as JSON text, as every answer has it. Goods and receipt are null until the sale is EFETIVADA.
std::string sale_json(const Sale& sale, Audience audience = Audience::terminals);
// Does the same with an outcome that does not follow from the sale as it stands.
std::string sale_json(const Sale& sale, Outcome outcome);
// Returns what a problem says of another sale than the one that was asked for: no goods, and nothing of the customer.
boost::json::object existing_sale(const Sale& sale);
// Returns the sale with `attempts`: every idExterno and what became of it.
std::string sale_with_attempts_json(const Sale& sale, Audience audience = Audience::terminals);

}  // namespace gateway
