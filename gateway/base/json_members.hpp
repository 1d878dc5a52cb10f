// Reads the members of JSON that another program, or another version of this one, wrote. A member that is missing, or
// has another type, is empty: nothing fails because of it.
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
// Reads a text in RFC 3339.
std::optional<WallTime> time_in(const boost::json::object& object, std::string_view name);
// These return null if there is no such member.
const boost::json::object* object_in(const boost::json::object& object, std::string_view name) noexcept;
const boost::json::array* array_in(const boost::json::object& object, std::string_view name) noexcept;

}  // namespace gateway
