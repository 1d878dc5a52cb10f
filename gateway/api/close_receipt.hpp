// A close on the paper of a receipt printer: lines of at most 40 columns, in the local time of this machine.
#pragma once

#include "base/language.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace gateway {

// `close` is what close_json() makes.
std::vector<std::string> close_receipt(const boost::json::object& close, Language language, const TimeZone& zone);

}  // namespace gateway
