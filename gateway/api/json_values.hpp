// What several calls write in the same way: a member is always there, and null where nothing is known.
#pragma once

#include "base/run_moment.hpp"
#include "base/wall_time.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string_view>

namespace gateway {

inline boost::json::value time_or_null(const std::optional<WallTime>& at) {
    return at ? boost::json::value(to_rfc3339(*at)) : boost::json::value(nullptr);
}

inline boost::json::value time_or_null(const std::optional<RunMoment>& at) {
    return at ? boost::json::value(to_rfc3339(at->wall())) : boost::json::value(nullptr);
}

inline boost::json::value text_or_null(std::string_view text) {
    return text.empty() ? boost::json::value(nullptr) : boost::json::value(text);
}

template <class Number>
boost::json::value number_or_null(const std::optional<Number>& number) {
    return number ? boost::json::value(*number) : boost::json::value(nullptr);
}

}  // namespace gateway
