// Reads strictly what a terminal sends. Each field is taken off the object, and its type and its rule are checked.
// Every error is collected in words that say what would be right and never quote what came. After an error a read
// returns an empty value, which nobody may use: see FamilyRules::read_fields.
//
// option_reader.hpp reads what the provider sends, and is lenient.
#pragma once

#include "base/field_error.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Returns "/consumidor/uf" for "/consumidor" and "uf", escaped as RFC 6901 says.
std::string pointer_to(std::string_view parent, std::string_view name);

class FieldReader {
  public:
    using TextRule = bool (*)(std::string_view) noexcept;

    // `object` stands at `pointer` of the body; "" is the body itself. Both references must outlive the reader.
    FieldReader(boost::json::object& object, FieldErrors& errors, std::string pointer = {});

    // Reads a required plain text (see plain_text.hpp).
    std::string text(std::string_view name);
    // Reads a required plain text for which `rule` holds. `wanted` completes the sentence "it must be ...".
    std::string text_that(std::string_view name, TextRule rule, std::string_view wanted);
    // Reads a plain text that may be absent.
    std::optional<std::string> optional_text(std::string_view name);
    // Reads a text that may be empty. If the field is absent, the text is empty.
    std::string text_or_empty(std::string_view name);
    // Reads a required JSON integer from `min` to `max`.
    std::int64_t integer(std::string_view name, std::int64_t min, std::int64_t max);
    // Reads the required `valor`, the amount of the sale.
    Cents valor();
    // Takes a required object. The caller reads its fields with within().
    std::optional<boost::json::object> object(std::string_view name, std::string_view wanted);
    // Takes an object that may be absent.
    std::optional<boost::json::object> optional_object(std::string_view name, std::string_view wanted);

    // Reads an object that was taken from the field `name` of this one. The object must outlive the reader.
    FieldReader within(std::string_view name, boost::json::object& object) const {
        return {object, errors_, pointer(name)};
    }

    // Takes the value unread, for rules that only one family has.
    std::optional<boost::json::value> take(std::string_view name);
    void fail(std::string_view name, std::string detail);
    // Reports a field that may not stand beside the others.
    void refuse(std::string_view name, std::string_view why);
    // Reports every field that is left: the object has no such fields. It is for nested objects.
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
