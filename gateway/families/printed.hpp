// Turns what a family returns into lines that can be printed. It finds the provider's names wherever they stand and
// takes text out of any shape, because the interface document gives the names in `instrucao` and not their types.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Returns the field with this name in the value or anywhere below it, outer fields first, or nullptr if there is none.
const boost::json::value* find_field(const boost::json::value& value, std::string_view name) noexcept;

// Returns the field with this name as text, exactly as it came: a code or an address must not change by a character.
// Several texts in it are joined by a space. Returns an empty text if there is none.
std::string field_text(const boost::json::value& value, std::string_view name);

// Appends every string and number in a value of any shape, in order, as people read them: without HTML tags and
// entities.
void append_messages(std::vector<std::string>& lines, const boost::json::value& value);
// Does the same for the field with this name, if there is one.
void append_messages(std::vector<std::string>& lines, const boost::json::value& value, std::string_view name);

// Appends "label: text", unless the text is empty.
void append_labelled(std::vector<std::string>& lines, std::string_view label, std::string_view text);

// Returns `lines`. If they are empty, nothing was found under the documented names, and everything in the value is
// returned: what the customer has bought is in there somewhere.
std::vector<std::string> lines_or_all(std::vector<std::string> lines, const boost::json::value& value);

// Puts an e-gift's `token` in the place of %%ACCOUNTNUMBER%% in the catalogue's instructions and addresses.
std::string fill_account_number(std::string text, std::string_view token);
// Tells whether the placeholder is still there, because there is no token.
bool is_unfilled(std::string_view text) noexcept;

}  // namespace gateway
