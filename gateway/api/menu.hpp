// Makes what a terminal finds without knowing anything: GET /v1/options without parameters. It costs nothing at the
// provider.
#pragma once

#include "api/terminals.hpp"
#include "families/product.hpp"

#include <span>
#include <string>

namespace gateway {

// Returns, for every family that the terminal may sell, what its options call takes, and the listed products. `options`
// of a product is the address at which the terminal asks for its options. Where there are none, `sell` is what the
// terminal begins a sell with. A product has both where the list does not say which it is. `needs` names what the
// terminal adds: to the sell where there is one, else to the end of the address.
std::string menu_json(const Terminal& terminal, std::span<const Product> products);

}  // namespace gateway
