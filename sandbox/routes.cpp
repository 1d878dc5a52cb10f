#include "sandbox/routes.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <array>

namespace gateway::sandbox {
namespace {

struct Pattern {
    std::string_view method;
    std::string_view path;  // "{e}" estabelecimento, "{p}" produto, "{s}" segment, "{=}" that segment again, "{c}" card
    Step step;
    std::optional<Family> family;
};

constexpr std::array patterns{
    Pattern{"POST", "/authorization/token", Step::token, std::nullopt},
    Pattern{"GET", "/venda/tv/consulta-dinamica/{e}/{p}", Step::consulta, Family::tv},
    Pattern{"POST", "/venda/tv/solicitar", Step::solicitar, Family::tv},
    Pattern{"POST", "/venda/tv/confirmar", Step::confirmar, Family::tv},
    Pattern{"POST", "/venda/tv/cancelar", Step::cancelar, Family::tv},
    Pattern{"GET", "/venda/egift/consulta-dinamica/{e}/{p}", Step::consulta, Family::egift},
    Pattern{"POST", "/venda/egift/solicitar", Step::solicitar, Family::egift},
    Pattern{"POST", "/venda/egift/confirmar", Step::confirmar, Family::egift},
    Pattern{"POST", "/venda/voucher/cancelar", Step::cancelar, Family::egift},
    Pattern{"GET", "/venda/transporte/{s}/consulta-valores/{e}/{=}/{c}", Step::consulta, Family::transit},
    Pattern{"POST", "/venda/transporte/{s}/solicitar", Step::solicitar, Family::transit},
    Pattern{"POST", "/venda/transporte/{s}/confirmar", Step::confirmar, Family::transit},
    Pattern{"POST", "/venda/transporte/{s}/cancelar", Step::cancelar, Family::transit},
    Pattern{"GET", "/venda/esim/consulta-planos/{e}/{p}", Step::consulta, Family::esim},
    Pattern{"POST", "/venda/esim/solicitar", Step::solicitar, Family::esim},
    Pattern{"GET", "/venda/{s}/{e}/{p}/valores", Step::consulta, Family::health},
    Pattern{"POST", "/venda/{s}/solicitar", Step::solicitar, Family::health},
    Pattern{"POST", "/venda/{s}/confirmar", Step::confirmar, Family::health},
};

constexpr std::array reserved{"tv", "egift", "voucher", "transporte", "esim"};

// Whether one segment fits one of the pattern's; puts it where the pattern says.
bool take(std::string_view wanted, const std::string& got, Route& route) {
    if (!wanted.starts_with('{')) return wanted == got;
    if (got.empty()) return false;
    if (wanted == "{=}") return got == route.segment;
    if (wanted == "{e}") route.estabelecimento = got;
    if (wanted == "{p}") route.produto = got;
    if (wanted == "{s}" || wanted == "{health}") route.segment = got;
    if (wanted == "{c}") route.numeroCartao = got;
    return true;
}

bool is_reserved(std::string_view segment) {
    return std::find(reserved.begin(), reserved.end(), segment) != reserved.end();
}

std::optional<Route> fit(const Pattern& pattern, const std::vector<std::string>& path) {
    Route route;
    route.step = pattern.step;
    route.family = pattern.family;
    auto rest = pattern.path;
    for (const auto& segment : path)
        if (rest.empty() || !take(next_segment(rest), segment, route)) return std::nullopt;
    if (!rest.empty()) return std::nullopt;
    if (pattern.family == Family::health && is_reserved(route.segment)) return std::nullopt;
    return route;
}

}  // namespace

std::string_view next_segment(std::string_view& path) {
    path.remove_prefix(1);
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

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
    bool known_path = false;
    const auto attempt = [&](const Pattern& pattern) -> std::optional<Route> {
        auto route = fit(pattern, path);
        if (!route) return std::nullopt;
        known_path = true;
        return pattern.method == method ? route : std::nullopt;
    };
    std::optional<Route> health;
    if (!options.health_cancel_path.empty())
        health = attempt({"POST", options.health_cancel_path, Step::cancelar, Family::health});
    for (const auto& pattern : patterns)
        if (auto route = attempt(pattern)) {
            route->health_too = health && route->step == Step::cancelar;
            return *route;
        }
    if (health) return *health;
    return known_path ? NoRoute::wrong_method : NoRoute::not_found;
}

}  // namespace gateway::sandbox
