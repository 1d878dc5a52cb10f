// The JSON bodies of the three steps of a sale, exactly as the provider's interface has them. Pure: the same attempt
// gives the same bytes however often it is sent, because every time in a body was fixed with the attempt.
#pragma once

#include "sale/sale.hpp"

#include <string>
#include <string_view>

namespace gateway {

// The body of `step` for `attempt`, which is one of `sale`'s; not of consultar, which has none. Confirm and cancel need
// the attempt's confirm_time and cancel_time, which the decision to send them has set.
//
// An eSIM's solicitar names the two addresses that its callbacks come to (see callback_address): the notification after
// the sale in the field `callback_field`, whose real name the interface document does not give, and the notification
// after the recharge in `urlRecarga`. For the other families both arguments mean nothing.
std::string request_body(Step step, const Sale& sale, const Attempt& attempt, std::string_view callback_url,
                         std::string_view callback_field);

enum class Callback { sale, recharge };

// "<callback_url>/callbacks/esim/<secret>/sale" or ".../recharge"; `callback_url` with or without a slash at its end.
// The result holds the sale's callback secret.
Secret callback_address(std::string_view callback_url, const Secret& callback_secret, Callback which);

}  // namespace gateway
