#include "http/server/router.hpp"

#include "base/check.hpp"
#include "http/server/problem.hpp"
#include "http/server/target.hpp"

namespace gateway::http {
namespace {

enum class Kind { literal, named, rest };

// Takes the next segment off a path or a pattern, which begins with "/".
std::string_view next_segment(std::string_view& path) noexcept {
    const auto end = std::min(path.find('/', 1), path.size());
    const auto segment = path.substr(1, end - 1);
    path.remove_prefix(end);
    return segment;
}

Kind kind_of(std::string_view segment) noexcept {
    if (!segment.starts_with('{')) return Kind::literal;
    return segment.ends_with("...}") ? Kind::rest : Kind::named;
}

std::string_view name_of(std::string_view segment) noexcept {
    segment.remove_prefix(1);
    return segment.substr(0, segment.find_first_of(".}"));
}

void check_pattern(std::string_view pattern) {
    CHECK(pattern.starts_with('/'));
    while (!pattern.empty()) {
        const auto segment = next_segment(pattern);
        if (kind_of(segment) == Kind::literal) continue;
        CHECK(segment.ends_with('}') && !name_of(segment).empty());
        CHECK(kind_of(segment) == Kind::named || pattern.empty());
    }
}

bool matches(std::string_view pattern, std::string_view path) noexcept {
    if (!path.starts_with('/')) return false;
    if (pattern.find('{') == std::string_view::npos) return pattern == path;
    while (!pattern.empty() && !path.empty()) {
        const auto wanted = next_segment(pattern);
        const auto kind = kind_of(wanted);
        if (kind == Kind::rest) return true;
        const auto given = next_segment(path);
        if (kind == Kind::literal ? wanted != given : given.empty()) return false;
    }
    return pattern.empty() && path.empty();
}

// Tells whether `left` is preferred if both match: the first segment in which their kinds differ decides.
bool wins_over(std::string_view left, std::string_view right) noexcept {
    while (!left.empty() && !right.empty()) {
        const auto left_kind = kind_of(next_segment(left));
        const auto right_kind = kind_of(next_segment(right));
        if (left_kind != right_kind) return left_kind < right_kind;
    }
    return false;
}

void take_parameters(Request& request, std::string_view pattern) {
    for (std::string_view path = request.path; !pattern.empty();) {
        const auto wanted = next_segment(pattern);
        const auto kind = kind_of(wanted);
        if (kind == Kind::rest) {
            request.parameters.emplace_back(name_of(wanted), path.substr(1));
            return;
        }
        const auto given = next_segment(path);
        if (kind == Kind::literal) continue;
        // A path that came through set_target() can be decoded. Any other path is taken unchanged.
        request.parameters.emplace_back(name_of(wanted), percent_decode(given).value_or(std::string(given)));
    }
}

}  // namespace

void Router::add(verb method, std::string pattern, Handler handler, Access access) {
    check_pattern(pattern);
    CHECK(method != verb::unknown && handler);
    for (const auto& route : routes_)
        CHECK(route.method != method || route.pattern != pattern);
    routes_.push_back({method, std::move(pattern), std::move(handler), access});
}

void Router::set_body_limit(verb method, std::string_view pattern, std::size_t bytes) {
    for (auto& route : routes_)
        if (route.method == method && route.pattern == pattern) {
            route.body_limit = bytes;
            has_body_limits_ = true;
            return;
        }
    CHECK(false);
}

std::optional<std::size_t> Router::body_limit(const Request& request) const {
    const auto* found = has_body_limits_ ? find(request) : nullptr;
    return found != nullptr && found->body_limit && invites(request) ? found->body_limit : std::nullopt;
}

void Router::set_filter(Filter filter) {
    filter_ = std::move(filter);
}

void Router::set_hosts(Hosts hosts) {
    hosts_ = std::move(hosts);
}

void Router::set_invitation(Invitation invitation) {
    invitation_ = std::move(invitation);
}

std::string_view Router::pattern_of(const Request& request) const {
    const auto* found = find(request);
    return found == nullptr ? std::string_view() : std::string_view(found->pattern);
}

bool Router::invites(const Request& request) const {
    if (!is_meant(request)) return false;
    if (!invitation_) return true;
    const auto* found = find(request);
    return (found != nullptr && found->access == Access::everybody) || invitation_(request);
}

boost::asio::awaitable<Response> Router::dispatch(Request& request) const {
    if (!is_meant(request)) return misdirected(request);
    const auto* found = find(request);
    const bool is_open = !filter_ || (found != nullptr && found->access == Access::everybody);
    return is_open ? route(request, found) : filtered(request, found);
}

boost::asio::awaitable<Response> Router::misdirected(Request& request) const {
    co_return hosts_->refuse(request);
}

boost::asio::awaitable<Response> Router::filtered(Request& request, const Route* found) const {
    const Handler next = [this, found, &request](Request& passed) {
        return route(passed, &passed == &request ? found : find(passed));
    };
    co_return co_await filter_(request, next);
}

// This is not a coroutine of its own, so that there is one frame less for each connection while a handler waits.
boost::asio::awaitable<Response> Router::route(Request& request, const Route* found) const {
    if (found == nullptr) return refuse(request);
    request.route = found->pattern;
    request.parameters.clear();
    take_parameters(request, found->pattern);
    return found->handler(request);
}

const Router::Route* Router::find(const Request& request) const {
    const auto* found = find(request.method, request.path);
    return found == nullptr && request.method == verb::head ? find(verb::get, request.path) : found;
}

const Router::Route* Router::find(verb method, std::string_view path) const {
    const Route* best = nullptr;
    for (const auto& route : routes_) {
        if (route.method != method || !matches(route.pattern, path)) continue;
        if (best == nullptr || wins_over(route.pattern, best->pattern)) best = &route;
    }
    return best;
}

boost::asio::awaitable<Response> Router::refuse(Request& request) const {
    std::vector<verb> allowed;
    const auto allow = [&allowed](verb method) {
        if (std::find(allowed.begin(), allowed.end(), method) == allowed.end()) allowed.push_back(method);
    };
    for (const auto& route : routes_) {
        if (!matches(route.pattern, request.path)) continue;
        allow(route.method);
        if (route.method == verb::get) allow(verb::head);
        request.route = route.pattern;
    }
    Problem problem;
    if (allowed.empty()) {
        problem = {status::not_found, "not_found", "there is nothing at this path"};
        co_return to_response(problem, request);
    }
    std::string verbs;
    for (const auto method : allowed) {
        if (!verbs.empty()) verbs += ", ";
        verbs += boost::beast::http::to_string(method);
    }
    problem = {status::method_not_allowed, "method_not_allowed", "this path takes " + verbs};
    auto response = to_response(problem, request);
    response.with("Allow", std::move(verbs));
    co_return response;
}

}  // namespace gateway::http
