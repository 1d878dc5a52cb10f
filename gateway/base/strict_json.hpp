// Reads JSON from strangers: one value in UTF-8, without repeated keys in an object, and of limited depth. Boost.JSON
// alone silently keeps the last of two equal keys, but a terminal that sends two amounts must be told so.
#pragma once

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace gateway {

// No terminal and no provider has a reason to send anything deeper.
constexpr std::size_t usual_json_depth = 32;

using ParsedJson = boost::system::result<boost::json::value, std::string>;

// Says what becomes of a number that none of our types holds to its last digit, for example a PIN of 23 digits.
enum class LongNumbers {
    rounded,  // it becomes the nearest double
    as_text,  // it becomes a string of its digits, unchanged
};

// Says what a reader does with the character U+0000, which PostgreSQL keeps in no text.
enum class Zeros {
    refused,   // the value is refused: the sender is told, and can send another one
    replaced,  // U+FFFD replaces it: the sender is not asked again
};

// Returns the value, or says in words what is wrong and where ("the key \"valor\" is repeated"). The words never quote
// a value. The value's memory comes from `storage`.
ParsedJson parse_strict_json(std::string_view text, std::size_t depth_limit = usual_json_depth,
                             boost::json::storage_ptr storage = {}, LongNumbers long_numbers = LongNumbers::rounded,
                             Zeros zeros = Zeros::refused);

// Returns the value as a text that is the same for every spelling of it: keys are sorted, and there is no white space.
std::string canonical_json(const boost::json::value& value);
std::string canonical_json(const boost::json::object& object);  // avoids the copy of the object into a value

}  // namespace gateway
