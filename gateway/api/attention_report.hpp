// Shows the sales that need a person as the command line has them, for the person or for a program.
#pragma once

#include "api/text/page.hpp"
#include "journal/marked_sales.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace gateway {

// Returns all of the sales, with how to close one; a sentence where there is none.
std::string attention_report(const std::vector<MarkedSale>& sales, const text::Page& page);

boost::json::object attention_json(const MarkedSale& sale);

}  // namespace gateway
