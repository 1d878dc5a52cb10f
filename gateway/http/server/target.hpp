// Reads a request's target: brings the path to its one spelling, and takes the query apart. It is pure.
//
// A slash that was sent as %2F never becomes a separator. Request::path keeps it encoded, so that the same path is
// compared with a list of allowed paths, routed and sent on.
#pragma once

#include "http/server/message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::http {

// No call has more name=value pairs. A query with more of them is refused.
constexpr std::size_t query_limit = 64;

// Returns the text with every %XX decoded, and with "+" as a space if `plus` is true (in queries, as forms write them).
// Returns nothing if a "%" is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text, bool plus = false);

// Returns the path in its normal form (RFC 3986, section 6.2.2). What needs no encoding is not encoded, and what needs
// it is, in upper case. Dot segments are removed. Empty segments stay. Returns nothing if the path does not begin with
// "/", if its encoding is broken, or if it encodes a control character or something that is not UTF-8.
std::optional<std::string> normalise_path(std::string_view path);

// Returns the pairs of a query (without its "?"), decoded, in order. A name without "=" has an empty value. Returns
// nothing if the encoding is broken, if a text is not UTF-8, or if there are more than query_limit.
std::optional<std::vector<std::pair<std::string, std::string>>> decode_query(std::string_view query);

// Returns the host, and perhaps the port, in a target with a scheme, "http://host/path?query" (RFC 9112, section
// 3.2.2). It is a view of the target. Returns nothing if the target is not of this kind.
std::optional<std::string_view> authority_of(std::string_view target);

// Fills target, path and query. Accepts "/path?query", "http://host/path?query" and, for OPTIONS, "*". If the target is
// none of these, or a part of it is malformed, it fills only the target and returns false.
bool set_target(Request& request, std::string_view target);

}  // namespace gateway::http
