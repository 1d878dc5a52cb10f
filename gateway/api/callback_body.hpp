// Reads a callback's body ("Callback body").
#pragma once

#include "sale/machine.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace gateway {

// Returns what the body says. The error says why that cannot be known, in words that follow "the body": it is no JSON,
// or a required field is missing or has no possible value. The body may be in any encoding that as_utf8() reads. Fields
// that the provider adds are none of our business.
boost::system::result<CalledBack, std::string> read_callback(std::string_view body);

}  // namespace gateway
