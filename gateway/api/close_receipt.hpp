// A close on the paper of a receipt printer: lines of at most 40 columns, in the store's time.
#pragma once

#include "base/calendar.hpp"
#include "base/language.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace gateway {

// `close` is what close_json() makes; `zone` the store's.
std::vector<std::string> close_receipt(const boost::json::object& close, Language language, const TimeZone& zone);

}  // namespace gateway
