// The NSU, the number that stands on a receipt and in the books of the provider's side. The interface names it for some
// families only, inside of what was bought, and under several names.
#pragma once

#include "sale/sale.hpp"

#include <string_view>

namespace gateway {

// Whether it is one of the sale's: of the recharge of an eSIM, or of any member of `instrucao` or `complemento` in
// whose name "nsu" stands ("nsuFornecedor"). A customer who comes with a receipt is found by it.
bool has_nsu(const Sale& sale, std::string_view nsu);

}  // namespace gateway
