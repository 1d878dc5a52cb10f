#include "base/json_members.hpp"

#include "base/wall_time.hpp"

#include <boost/json.hpp>

namespace gateway {

std::string_view text_in(const boost::json::object& object, std::string_view name) noexcept {
    const auto* value = object.if_contains(name);
    const auto* text = value != nullptr ? value->if_string() : nullptr;
    return text != nullptr ? std::string_view(text->data(), text->size()) : std::string_view();
}

std::optional<std::int64_t> number_in(const boost::json::object& object, std::string_view name) noexcept {
    const auto* value = object.if_contains(name);
    const auto* number = value != nullptr ? value->if_int64() : nullptr;
    return number != nullptr ? std::optional(*number) : std::nullopt;
}

std::optional<bool> flag_in(const boost::json::object& object, std::string_view name) noexcept {
    const auto* value = object.if_contains(name);
    const auto* flag = value != nullptr ? value->if_bool() : nullptr;
    return flag != nullptr ? std::optional(*flag) : std::nullopt;
}

std::optional<WallTime> time_in(const boost::json::object& object, std::string_view name) {
    return from_rfc3339(text_in(object, name));
}

const boost::json::object* object_in(const boost::json::object& object, std::string_view name) noexcept {
    const auto* value = object.if_contains(name);
    return value != nullptr ? value->if_object() : nullptr;
}

const boost::json::array* array_in(const boost::json::object& object, std::string_view name) noexcept {
    const auto* value = object.if_contains(name);
    return value != nullptr ? value->if_array() : nullptr;
}

}  // namespace gateway
