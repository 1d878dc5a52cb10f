// Lists the codes of problems, by which a calling program decides what to do. The OpenAPI documents say for each what
// happened, and what the program does next.
//
// The codes of requests that are refused before a handler sees them are here, too, although the server sends these
// answers: see http/server/refusal.hpp and http/server/router.cpp.
#pragma once

#include <span>
#include <string_view>

namespace gateway {

struct Code {
    std::string_view code;
    std::string_view happened;  // a sentence
    std::string_view next;      // one or two more: end, repeat, cancel by key first, or call somebody
};

// Returns the codes in the order in which the documents tell them.
std::span<const Code> all_codes() noexcept;

// Returns what is said of a code, which must be one of all_codes().
const Code& find_code(std::string_view code) noexcept;

}  // namespace gateway
