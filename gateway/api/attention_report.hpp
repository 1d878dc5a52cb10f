// Shows the sales that need a person as the command line has them, for the person or for a program.
#pragma once

#include "api/text/page.hpp"
#include "journal/marked_sales.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Returns all of the sales, with how to close one; a sentence where there is none. `provider_phone` may be empty.
std::string attention_report(const std::vector<MarkedSale>& sales, const text::Page& page,
                             std::string_view provider_phone = {});

boost::json::object attention_json(const MarkedSale& sale);

}  // namespace gateway
