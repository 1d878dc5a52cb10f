// Says which operation a request line asks for, by the document's table of endpoints and by the addresses that only the
// personality has.
#pragma once

#include "sandbox/personality.hpp"
#include "sandbox/words.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gateway::sandbox {

struct Route {
    Step step{};
    std::optional<Family> family{};  // none for the token service and for a status
    std::string segment{};           // {transit} or {health}; empty for a health cancel whose path names none
    bool health_too = false;         // the path cancels health sales besides those of its family
    std::string estabelecimento{};   // from a value query, like the two below
    std::string produto{};           // or {nomeMenu}
    std::string numeroCartao{};
    std::string idExterno{};  // from a query of a sale's status, which names the sale by one of these two
    std::string idTransacao{};
};

enum class NoRoute { not_found, wrong_method };

// Returns the path's segments, percent-decoded; nothing where the target is no path.
std::optional<std::vector<std::string>> path_segments(std::string_view target);

// The personality's path of a status comes before all others. A family's paths come before a health partner of the same
// name: {health} is never "tv" or "voucher".
std::variant<Route, NoRoute> find_route(std::string_view method, const std::vector<std::string>& path,
                                        const Options& options);

}  // namespace gateway::sandbox
