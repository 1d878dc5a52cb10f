// What a terminal finds without knowing anything: GET /v1/options without parameters. Costs nothing at the provider.
#pragma once

#include "api/terminals.hpp"
#include "families/product.hpp"

#include <span>
#include <string>

namespace gateway {

// For every family that the terminal may sell: what its options call takes, and the listed products. Of a product,
// `options` is the address that the terminal asks for its options, and `sell` what it begins a sell with where there
// are none; a product has both where the list does not say which. `needs` names what the terminal adds: to the sell
// where there is one, else to the end of the address.
std::string menu_json(const Terminal& terminal, std::span<const Product> products);

}  // namespace gateway
