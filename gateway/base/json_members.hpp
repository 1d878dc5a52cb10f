// Reads the members of JSON that another program wrote, or another version of this one: what is not there, or is of
// another type, is empty, and nothing fails for it.
#pragma once

#include "base/clock.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace gateway {

std::string_view text_in(const boost::json::object& object, std::string_view name) noexcept;
std::optional<std::int64_t> number_in(const boost::json::object& object, std::string_view name) noexcept;
std::optional<bool> flag_in(const boost::json::object& object, std::string_view name) noexcept;
// Of a text in RFC 3339.
std::optional<WallTime> time_in(const boost::json::object& object, std::string_view name);
// Null where there is none.
const boost::json::object* object_in(const boost::json::object& object, std::string_view name) noexcept;
const boost::json::array* array_in(const boost::json::object& object, std::string_view name) noexcept;

}  // namespace gateway
