// From what a family returns to lines that can be printed: finds the provider's names wherever they stand and takes
// text out of any shape, because the interface document gives the names in `instrucao` and not their types.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// The field of that name in the value or anywhere below it, outer ones first; nullptr where there is none.
const boost::json::value* find_field(const boost::json::value& value, std::string_view name) noexcept;

// The field of that name as text, exactly as it came: a code or an address must not change by a character. Several
// texts in it are joined by a space; empty where there is none.
std::string field_text(const boost::json::value& value, std::string_view name);

// Every string and number in a value of any shape, in order, as people read them: without HTML tags and entities.
void append_messages(std::vector<std::string>& lines, const boost::json::value& value);
// The same of the field of that name, where it is.
void append_messages(std::vector<std::string>& lines, const boost::json::value& value, std::string_view name);

// "label: text", unless the text is empty.
void append_labelled(std::vector<std::string>& lines, std::string_view label, std::string_view text);

// `lines`; where nothing was found under the documented names, everything that the value says, because what the
// customer has bought is in there somewhere.
std::vector<std::string> lines_or_all(std::vector<std::string> lines, const boost::json::value& value);

// Puts an e-gift's `token` where the catalogue's instructions and addresses have %%ACCOUNTNUMBER%%.
std::string fill_account_number(std::string text, std::string_view token);
// Whether the placeholder still stands there, because there is no token.
bool is_unfilled(std::string_view text) noexcept;

}  // namespace gateway
