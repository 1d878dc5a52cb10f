#include "families/field_reader.hpp"

#include "families/money.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway {
namespace {

namespace json = boost::json;

const std::string& wanted_text() {
    static const auto wanted =
        fmt::format("a string of 1 to {} characters without control characters", max_text_length);
    return wanted;
}

const std::string& wanted_valor() {
    static const auto wanted =
        fmt::format("a whole number of cents from 1 to {}, as a JSON integer or a string of digits", max_valor.value);
    return wanted;
}

std::string must_be(std::string_view wanted) {
    return fmt::format("must be {}", wanted);
}

std::optional<std::string> text_of(const json::value& value) {
    const auto* text = value.if_string();
    return text != nullptr ? std::optional<std::string>(std::in_place, text->data(), text->size()) : std::nullopt;
}

}  // namespace

std::string pointer_to(std::string_view parent, std::string_view name) {
    std::string pointer(parent);
    pointer += '/';
    for (const char c : name) {
        if (c == '~')
            pointer += "~0";
        else if (c == '/')
            pointer += "~1";
        else
            pointer += c;
    }
    return pointer;
}

FieldReader::FieldReader(json::object& object, FieldErrors& errors, std::string pointer)
    : object_(object), errors_(errors), pointer_(std::move(pointer)) {}

std::optional<json::value> FieldReader::take(std::string_view name) {
    const auto found = object_.find(name);
    if (found == object_.end()) return std::nullopt;
    json::value value = std::move(found->value());
    object_.stable_erase(found);
    return value;
}

std::optional<json::value> FieldReader::required(std::string_view name, std::string_view wanted) {
    auto value = take(name);
    if (!value) fail(name, fmt::format("is required: it must be {}", wanted));
    return value;
}

void FieldReader::fail(std::string_view name, std::string detail) {
    errors_.push_back({pointer(name), std::move(detail)});
}

std::string FieldReader::text(std::string_view name) {
    const auto any = [](std::string_view) noexcept { return true; };
    return text_that(name, any, wanted_text());
}

std::string FieldReader::text_that(std::string_view name, TextRule rule, std::string_view wanted) {
    const auto value = required(name, wanted);
    if (!value) return {};
    auto text = text_of(*value);
    if (text && is_plain_text(*text) && rule(*text)) return std::move(*text);
    fail(name, must_be(wanted));
    return {};
}

std::optional<std::string> FieldReader::optional_text(std::string_view name) {
    return has(name) ? std::optional(text(name)) : std::nullopt;
}

std::string FieldReader::text_or_empty(std::string_view name) {
    const auto value = take(name);
    if (!value) return {};
    auto text = text_of(*value);
    if (text && (text->empty() || is_plain_text(*text))) return std::move(*text);
    fail(name, fmt::format("must be a string of at most {} characters without control characters", max_text_length));
    return {};
}

std::int64_t FieldReader::integer(std::string_view name, std::int64_t min, std::int64_t max) {
    const auto wanted = fmt::format("a JSON integer from {} to {}", min, max);
    const auto value = required(name, wanted);
    if (!value) return 0;
    const auto* number = value->if_int64();
    if (number != nullptr && *number >= min && *number <= max) return *number;
    fail(name, must_be(wanted));
    return 0;
}

Cents FieldReader::valor() {
    const auto value = required("valor", wanted_valor());
    if (!value) return {};
    const auto amount = sellable_from_json(*value);
    if (!amount) fail("valor", must_be(wanted_valor()));
    return amount.value_or(Cents{});
}

std::optional<json::object> FieldReader::object(std::string_view name, std::string_view wanted) {
    auto value = required(name, wanted);
    if (!value) return std::nullopt;
    if (auto* object = value->if_object()) return std::move(*object);
    fail(name, must_be(wanted));
    return std::nullopt;
}

std::optional<json::object> FieldReader::optional_object(std::string_view name, std::string_view wanted) {
    return has(name) ? object(name, wanted) : std::nullopt;
}

void FieldReader::refuse(std::string_view name, std::string_view why) {
    if (take(name)) fail(name, std::string(why));
}

void FieldReader::refuse_the_rest() {
    for (const auto& field : object_) {
        const json::string_view name = field.key();
        fail({name.data(), name.size()}, "is not a field of this object");
    }
    object_.clear();
}

}  // namespace gateway
