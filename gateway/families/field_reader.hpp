// Strict reading of what a terminal sends: each field is taken off the object, checked for its type and its rule, and
// what is wrong is collected with words that say what would be right and never quote what came. After an error a read
// gives an empty value, which nobody may use: see FamilyRules::read_fields.
//
// What the provider sends is read by option_reader.hpp, which forgives.
#pragma once

#include "base/field_error.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// "/consumidor" and "uf" give "/consumidor/uf", escaped as RFC 6901 asks.
std::string pointer_to(std::string_view parent, std::string_view name);

class FieldReader {
  public:
    using TextRule = bool (*)(std::string_view) noexcept;

    // `object` stands at `pointer` of the body; "" is the body itself. Both references must outlive the reader.
    FieldReader(boost::json::object& object, FieldErrors& errors, std::string pointer = {});

    // Required: plain text (see plain_text.hpp).
    std::string text(std::string_view name);
    // Required: plain text for which `rule` holds. `wanted` finishes the sentence "it must be ...".
    std::string text_that(std::string_view name, TextRule rule, std::string_view wanted);
    // Plain text where it is there.
    std::optional<std::string> optional_text(std::string_view name);
    // Text that may be empty, and is where it is absent.
    std::string text_or_empty(std::string_view name);
    // Required: a JSON integer from `min` to `max`.
    std::int64_t integer(std::string_view name, std::int64_t min, std::int64_t max);
    // Required: `valor`, the amount of the sale.
    Cents valor();
    // Required: an object, whose fields are the caller's to read at pointer_to(this one's, name).
    std::optional<boost::json::object> object(std::string_view name, std::string_view wanted);
    // The same where it is there.
    std::optional<boost::json::object> optional_object(std::string_view name, std::string_view wanted);

    // Reads an object that was taken from the field `name` of this one. The object must outlive the reader.
    FieldReader within(std::string_view name, boost::json::object& object) const {
        return {object, errors_, pointer(name)};
    }

    // The raw value, for rules of a family's own.
    std::optional<boost::json::value> take(std::string_view name);
    void fail(std::string_view name, std::string detail);
    // A field that may not be there in this company.
    void refuse(std::string_view name, std::string_view why);
    // For nested objects: whatever is left is a field that the object does not have.
    void refuse_the_rest();

    bool has(std::string_view name) const { return object_.contains(name); }
    std::string pointer(std::string_view name) const { return pointer_to(pointer_, name); }

  private:
    std::optional<boost::json::value> required(std::string_view name, std::string_view wanted);

    boost::json::object& object_;
    FieldErrors& errors_;
    const std::string pointer_;
};

}  // namespace gateway
