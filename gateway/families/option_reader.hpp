// Reading the provider's answers to value queries. It forgives what it can: fields may be added, numbers may come as
// strings. What it cannot make sense of it leaves out and says so, never quoting what came; it never guesses an amount.
#pragma once

#include "families/family.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

using OptionPrice = decltype(Option::valor);

// Whether the field is missing or null, which some who write JSON take for the same.
bool is_absent(const boost::json::object& entry, std::string_view name);
// A string or an integer as text of any kind; empty where it is neither, or absent.
std::string lenient_text(const boost::json::object& entry, std::string_view name);
// The same where it is plain text, so that a sell body may carry it.
std::optional<std::string> sellable_text(const boost::json::object& entry, std::string_view name);
// An integer or a string of digits, from 0.
std::optional<std::int64_t> whole_number(const boost::json::object& entry, std::string_view name);

// The part of min to max that can be the amount of a sale, a fixed price where that is one amount only; nothing where
// there is none.
std::optional<OptionPrice> range_price(std::optional<std::int64_t> min, std::optional<std::int64_t> max);

// What the terminal copies of every option of the question: `produto`, and a segment that it alone does not lead to.
boost::json::object sell_of(const OptionsQuestion& question);
// Adds `valor` to what the terminal copies where the price leaves no choice. An empty label becomes the fixed price.
Option make_option(std::string label, OptionPrice price, boost::json::object sell);

// Whether `sell` holds the same values as `fields` under these names: the entry that an order was made from.
bool same_fields(const boost::json::object& sell, const boost::json::object& fields, FieldNames names);

// What of an amount and a quantity departs from the option.
FieldErrors departures(const Option& option, Cents valor, std::int64_t quantity);

}  // namespace gateway
