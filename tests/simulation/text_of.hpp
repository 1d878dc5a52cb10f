#pragma once

// Returns the text of a member of a JSON object; empty where there is none, or it is no text.

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace gateway::simulation {

inline std::string text_of(const boost::json::object& object, std::string_view name) {
    const auto* value = object.if_contains(name);
    const auto* text = value != nullptr ? value->if_string() : nullptr;
    return text != nullptr ? std::string(*text) : std::string();
}

}  // namespace gateway::simulation
