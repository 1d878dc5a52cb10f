// Writes the JSON bodies of the three steps of a sale exactly as the provider's interface has them. It is pure: the
// same attempt gives the same bytes however often it is sent, because every time in a body was fixed with the attempt.
#pragma once

#include "sale/sale.hpp"

#include <string>
#include <string_view>

namespace gateway {

// Returns the body of `step` for `attempt`, which is one of the attempts of `sale`. A consultar has no body and must
// not be asked for. Confirm and cancel need the attempt's confirm_time and cancel_time, which the decision to send them
// has set.
//
// An eSIM's solicitar names the two addresses for its callbacks (see callback_address). The address for the
// notification after the sale is in the field `callback_field`, whose real name the interface document does not give.
// The address for the notification after the recharge is in `urlRecarga`. The other families ignore both arguments.
std::string request_body(Step step, const Sale& sale, const Attempt& attempt, std::string_view callback_url,
                         std::string_view callback_field);

enum class Callback { sale, recharge };

// Returns "<callback_url>/callbacks/esim/<secret>/sale" or ".../recharge". `callback_url` may end with a slash or not.
// The result holds the sale's callback secret.
Secret callback_address(std::string_view callback_url, const Secret& callback_secret, Callback which);

}  // namespace gateway
