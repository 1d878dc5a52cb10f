// Reading the provider's answers to value queries. It forgives what it can: fields may be added, numbers may come as
// strings. What it cannot make sense of it leaves out and says so, never quoting what came; it never guesses an amount.
#pragma once

#include "families/family.hpp"

#include <boost/json/object.hpp>

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

using OptionPrice = decltype(Option::valor);

// In words why an entry is no option. A type of its own, because an Option can be made from a string.
struct NotAnOption {
    std::string why;
};
using OptionOrWhy = boost::system::result<Option, NotAnOption>;
using EntryReader = std::function<OptionOrWhy(const boost::json::object& entry)>;

// The object that every answer to a value query is; else errc::malformed.
Result<boost::json::object> parse_answer(std::string_view body);

// The options in the array `list` of `answer`, without details; errc::malformed where there is no such array.
Result<Options> read_list(const boost::json::object& answer, std::string_view list, const EntryReader& read);

// The answer that three families share: the options in `valores`, and whatever stands beside it as details.
Result<Options> read_valores(std::string_view body, const EntryReader& read);

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

// Adds `valor` to what the terminal copies where the price leaves no choice. An empty label becomes the fixed price.
Option make_option(std::string label, OptionPrice price, boost::json::object sell);

// Whether `sell` holds the same strings as `fields` under these names: the entry that an order was made from.
bool same_fields(const boost::json::object& sell, const boost::json::object& fields,
                 std::initializer_list<std::string_view> names);

// What of an amount and a quantity departs from the option.
FieldErrors departures(const Option& option, Cents valor, std::int64_t quantity);
// The same of several options that all fit an order: nothing where one allows it, or there is none.
FieldErrors departures_from_all(const std::vector<const Option*>& options, Cents valor, std::int64_t quantity);

}  // namespace gateway
