#include "families/likeness.hpp"

#include "base/json_text.hpp"

namespace gateway {

Secret likeness(const boost::json::object& fields, std::initializer_list<std::string_view> names) {
    std::string text;
    JsonWriter writer(text);
    writer.begin_array();
    for (const auto name : names) {
        if (const auto* value = fields.if_contains(name))
            writer.value(*value);
        else
            writer.null();
    }
    writer.end_array();
    return Secret(std::move(text));
}

}  // namespace gateway
