// Which operation of the interface a request line asks for: the document's table of endpoints, and nothing else.
#pragma once

#include "sandbox/options.hpp"
#include "sandbox/words.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gateway::sandbox {

struct Route {
    Step step{};
    std::optional<Family> family{};  // none for the token service
    std::string segment{};           // {transit} or {health}; of a health cancel, empty where its path names none
    bool health_too = false;         // the path cancels health sales besides those of its family
    std::string estabelecimento{};   // of a value query, like the two below
    std::string produto{};           // or {nomeMenu}
    std::string numeroCartao{};
};

enum class NoRoute { not_found, wrong_method };

// The path's segments, percent-decoded; nothing where the target is no path.
std::optional<std::vector<std::string>> path_segments(std::string_view target);

// Takes the first segment off a path that is not empty, and is not decoded.
std::string_view next_segment(std::string_view& path);

// A family's paths come before the health partner of the same name: {health} is never "tv" or "voucher".
std::variant<Route, NoRoute> find_route(std::string_view method, const std::vector<std::string>& path,
                                        const Options& options);

}  // namespace gateway::sandbox
