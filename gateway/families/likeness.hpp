// What two sells have in common of which one may be the other typed twice: see FamilyRules::likeness_of().
#pragma once

#include "base/secret.hpp"

#include <boost/json/object.hpp>

#include <initializer_list>
#include <string_view>

namespace gateway {

// The values of these fields as one text, which is another one where any of them is another one, or absent.
Secret likeness(const boost::json::object& fields, std::initializer_list<std::string_view> names);

}  // namespace gateway
