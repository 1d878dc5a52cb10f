// Reads the provider's answers to value queries. It is lenient where it can be: fields may be added, and numbers may
// come as strings. It leaves out what it cannot understand and says so, without quoting it. It never guesses an amount.
#pragma once

#include "families/family.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

using OptionPrice = decltype(Option::valor);

// Tells whether the field is missing or null: some programs write null for a missing field.
bool is_absent(const boost::json::object& entry, std::string_view name);
// Returns a string, or an integer as text. Returns an empty text for anything else.
std::string lenient_text(const boost::json::object& entry, std::string_view name);
// Returns the same text if it is plain text, so that a sell body may carry it.
std::optional<std::string> sellable_text(const boost::json::object& entry, std::string_view name);
// Reads an integer or a string of digits, from 0.
std::optional<std::int64_t> whole_number(const boost::json::object& entry, std::string_view name);

// Returns the part of min to max that can be the amount of a sale. It is a fixed price if that is one amount only.
// Returns nothing if no amount can be sold.
std::optional<OptionPrice> range_price(std::optional<std::int64_t> min, std::optional<std::int64_t> max);

// Returns what a terminal copies from every option of the question: `produto`, and the segment if produto alone does
// not lead to it.
boost::json::object sell_of(const OptionsQuestion& question);
// Makes an option. Adds `valor` to what the terminal copies, if the price leaves no choice. An empty label becomes the
// fixed price.
Option make_option(std::string label, OptionPrice price, boost::json::object sell);

// Tells whether `sell` has the same values as `fields` under these names, and so belongs to the entry that an order was
// made from.
bool same_fields(const boost::json::object& sell, const boost::json::object& fields, FieldNames names);

// Says in what an amount and a quantity depart from the option.
FieldErrors departures(const Option& option, Cents valor, std::int64_t quantity);

}  // namespace gateway
