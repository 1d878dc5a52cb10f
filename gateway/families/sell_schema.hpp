// Describes what a sell of a family takes. The OpenAPI documents are made of it, and what an option lacks is found by
// it.
#pragma once

#include <span>
#include <string_view>

namespace gateway {

// The rules are members of a JSON Schema object, as they stand in a JSON text.
struct SellField {
    std::string_view name;
    std::string_view rules;
    std::string_view description{};
    bool is_required = true;
};
constexpr SellField maybe(SellField field) {
    field.is_required = false;
    return field;
}

// An object in a sell that has a name in the documents; its fields refer to it by that.
struct SellPart {
    std::string_view name;
    std::string_view description;
    std::span<const SellField> fields;
};

// One way to fill in a sell of a family, besides the fields that every sell has. Only where a family has several kinds
// does each have a name and a description of its own.
struct SellKind {
    std::span<const SellField> fields;
    std::string_view example;  // a whole sell, as JSON
    std::string_view name{};
    std::string_view description{};
};

constexpr std::string_view sell_text =
    R"("type":"string","minLength":1,"maxLength":250,"pattern":"^[^\\u0000-\\u001F\\u007F-\\u009F]*$")";
constexpr std::string_view sell_cents = R"("$ref":"#/components/schemas/Cents")";
constexpr std::string_view sell_cents_or_none = R"("type":"integer","minimum":0,"maximum":99999999)";
constexpr std::string_view sell_cpf =
    R"("type":"string","pattern":"^([0-9]{11}|[0-9]{3}\\.[0-9]{3}\\.[0-9]{3}-[0-9]{2})$")";
constexpr std::string_view sell_int32 = R"("type":"integer","minimum":-2147483648,"maximum":2147483647)";
constexpr std::string_view sell_natural32 = R"("type":"integer","minimum":0,"maximum":2147483647)";
constexpr std::string_view sell_segment = R"("$ref":"#/components/schemas/Segment")";

}  // namespace gateway
