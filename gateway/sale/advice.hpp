// These texts tell a person what to do about a sale that needs one. The log, the calls and the commands all take them
// from here. Anybody may see them: they name no customer.
#pragma once

#include "sale/sale.hpp"

#include <string>
#include <string_view>

namespace gateway {

// Every member is one or more sentences, and none is empty.
struct Advice {
    std::string_view known;
    std::string_view not_known;
    std::string_view to_do;
};
Advice advice(Attention attention) noexcept;
// Returns the advice that stands beside the sale itself: there the sale was read, or is known without what is damaged.
Advice advice_where_told(Attention attention) noexcept;

// Returns the whole advice in one line.
std::string in_words(const Advice& advice);

}  // namespace gateway
