// JSON as strangers send it: one value in UTF-8, no repeated key in any object, bounded depth. Boost.JSON alone keeps
// the last of two equal keys without a word, and a terminal that sends two amounts must be told so.
#pragma once

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace gateway {

// Deeper than anything that a terminal or the provider has a reason to send.
constexpr std::size_t usual_json_depth = 32;

using ParsedJson = boost::system::result<boost::json::value, std::string>;

// What becomes of a number that no type of ours holds to its last digit: a PIN of 23 digits, say.
enum class LongNumbers {
    rounded,  // the nearest double
    as_text,  // its digits, as they came, as a string
};

// Says what a reader does with the character U+0000, which PostgreSQL keeps in no text.
enum class Zeros {
    refused,   // the value is not taken: who sends it is told, and can send another one
    replaced,  // by U+FFFD: who sends it is not asked again
};

// The value, or in words what is wrong and where ("the key \"valor\" is repeated"). Never quotes a value. The value's
// memory is `storage`'s.
ParsedJson parse_strict_json(std::string_view text, std::size_t depth_limit = usual_json_depth,
                             boost::json::storage_ptr storage = {}, LongNumbers long_numbers = LongNumbers::rounded,
                             Zeros zeros = Zeros::refused);

// The value as text that is the same for every spelling of the same value: keys sorted, no white space.
std::string canonical_json(const boost::json::value& value);
std::string canonical_json(const boost::json::object& object);  // would be copied into a value

}  // namespace gateway
