// What a person is told of a sale that needs one, wherever it is told: by the log, a call or a command. In words that
// may be shown to anybody: they name no customer.
#pragma once

#include "sale/sale.hpp"

#include <string>
#include <string_view>

namespace gateway {

// Sentences, none of them empty.
struct Advice {
    std::string_view known;
    std::string_view not_known;
    std::string_view to_do;
};
Advice advice(Attention attention) noexcept;
// The same beside the sale itself: it was read, or is known without.
Advice advice_where_told(Attention attention) noexcept;

// All of it in one line.
std::string in_words(const Advice& advice);

}  // namespace gateway
