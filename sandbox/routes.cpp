#include "sandbox/routes.hpp"

#include "sandbox/family.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace gateway::sandbox {
namespace {

// Takes the first segment off a path that is not empty. The segment is not decoded.
std::string_view next_segment(std::string_view& path) {
    path.remove_prefix(1);
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

// Says whether one segment fits a segment of the pattern, and stores it where the pattern says.
bool take(std::string_view wanted, const std::string& got, Route& route) {
    if (!wanted.starts_with('{')) return wanted == got;
    if (wanted == "{idExterno}") route.idExterno = got;
    if (wanted == "{idTransacao}") route.idTransacao = got;
    if (wanted.starts_with("{id")) return true;
    if (got.empty()) return false;
    if (wanted == "{=}") return got == route.segment;
    if (wanted == "{e}") route.estabelecimento = got;
    if (wanted == "{p}") route.produto = got;
    if (wanted == "{s}" || wanted == "{health}") route.segment = got;
    if (wanted == "{c}") route.numeroCartao = got;
    return true;
}

std::optional<Route> fit(const Pattern& pattern, std::optional<Family> family, const std::vector<std::string>& path) {
    Route route;
    route.step = pattern.step;
    route.family = family;
    auto rest = pattern.path;
    for (const auto& segment : path)
        if (rest.empty() || !take(next_segment(rest), segment, route)) return std::nullopt;
    if (!rest.empty()) return std::nullopt;
    // A partner's name stands where the other families have their own word.
    if (pattern.path.starts_with("/venda/{") && is_path_word(route.segment)) return std::nullopt;
    return route;
}

}  // namespace

std::optional<std::vector<std::string>> path_segments(std::string_view target) {
    const auto url = boost::urls::parse_origin_form(target);
    if (!url) return std::nullopt;
    std::vector<std::string> segments;
    for (const auto& segment : url->segments())
        segments.push_back(segment);
    return segments;
}

std::variant<Route, NoRoute> find_route(std::string_view method, const std::vector<std::string>& path,
                                        const Options& options) {
    if (method == "GET" && !options.status_path.empty())
        if (auto route = fit({method, options.status_path, Step::status}, std::nullopt, path)) return *route;
    bool known_path = false;
    const auto attempt = [&](const Pattern& pattern, std::optional<Family> family) -> std::optional<Route> {
        auto route = fit(pattern, family, path);
        if (!route) return std::nullopt;
        known_path = true;
        return pattern.method == method ? route : std::nullopt;
    };
    if (auto route = attempt({"POST", "/authorization/token", Step::token}, std::nullopt)) return *route;
    std::optional<Route> health;
    if (!options.health_cancel_path.empty())
        health = attempt({"POST", options.health_cancel_path, Step::cancelar}, Family::health);
    for (const auto family : families)
        for (const auto& pattern : model_of(family).patterns)
            if (auto route = attempt(pattern, family)) {
                route->health_too = health && route->step == Step::cancelar;
                return *route;
            }
    if (health) return *health;
    return known_path ? NoRoute::wrong_method : NoRoute::not_found;
}

}  // namespace gateway::sandbox
