// What a terminal finds without knowing anything: GET /v1/options without parameters. Costs nothing at the provider.
#pragma once

#include "api/terminals.hpp"
#include "families/product.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <span>

namespace gateway {

// For every family that the terminal may sell: what its options call takes, and the listed products. Of a product,
// `options` is the address that the terminal asks for its options, and `sell` what it begins a sell with where there
// are none; a product has both where the list does not say which. `needs` names what the terminal adds: to the sell
// where there is one, else to the end of the address.
boost::json::object menu_json(const Terminal& terminal, std::span<const Product> products);

// ["valor","cpf"]: the fields that a sell of the family needs and that are not in `sell`.
boost::json::array needs_json(Family family, const boost::json::object& sell);

}  // namespace gateway
