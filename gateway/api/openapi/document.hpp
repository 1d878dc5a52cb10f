// Makes the OpenAPI document of a listener (3.1) from the tables of routes and from what is said of each call.
#pragma once

#include "api/openapi/description.hpp"

#include <boost/json/object.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace gateway::openapi {

// A document says this of the listener as a whole.
struct Overview {
    std::string_view title;
    std::string_view text;
    std::vector<std::string_view> tags;
};

// Makes the document of `listener`, which is on_terminals or on_admin. `calls` has those of all tables; the document
// has the calls that are on the listener and are described, and the schemas that these speak of.
boost::json::object document(ListenerSet listener, const std::vector<std::span<const Call>>& calls,
                             std::vector<std::span<const Schema>> schemas);

}  // namespace gateway::openapi
