// What a request's target means: a path brought to its one spelling, and a query taken apart. Pure.
//
// A slash that was sent as %2F never becomes a separator: Request::path keeps it encoded, so that what is compared with
// a list of allowed paths is what is routed and what is sent on.
#pragma once

#include "http/server/message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::http {

// More name=value pairs than any call has; what is beyond is refused.
constexpr std::size_t query_limit = 64;

// The text with every %XX undone, and "+" as a space where `plus` (in queries, as forms write them). Nothing where a
// "%" is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text, bool plus = false);

// The path in its normal form (RFC 3986, section 6.2.2): what needs no encoding is not encoded, what does is, in upper
// case; no dot segments; no trailing change otherwise: empty segments stay. Nothing where it does not begin with "/",
// its encoding is broken, or what it encodes is not UTF-8 or is a control character.
std::optional<std::string> normalise_path(std::string_view path);

// The pairs of a query (without its "?"), decoded, in order; a name without "=" has an empty value. Nothing where the
// encoding is broken, a text is not UTF-8, or there are more than query_limit.
std::optional<std::vector<std::pair<std::string, std::string>>> decode_query(std::string_view query);

// The host, and perhaps the port, that a target with a scheme names: of "http://host/path?query" (RFC 9112, section
// 3.2.2). Nothing where it is no such target. A view of it.
std::optional<std::string_view> authority_of(std::string_view target);

// Fills target, path and query. Takes "/path?query", "http://host/path?query" and, for OPTIONS, "*". False, and only
// the target is filled, where it is none of these or a part of it is malformed.
bool set_target(Request& request, std::string_view target);

}  // namespace gateway::http
