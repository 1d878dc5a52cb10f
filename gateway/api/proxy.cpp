#include "api/proxy.hpp"

#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "http/target.hpp"
#include "provider/families/subject.hpp"

#include <algorithm>

namespace gateway {

using http::status;

bool is_allowed(const std::vector<std::string>& allow, std::string_view path) {
    return std::any_of(allow.begin(), allow.end(), [&](std::string_view entry) {
        if (!entry.ends_with("/*")) return entry == path;
        entry.remove_suffix(1);  // the slash stays: "/venda/tv/*" is nothing of "/venda/tvx"
        return path.size() > entry.size() && path.starts_with(entry);
    });
}

ProxyApi::ProxyApi(ProxyApiOptions options, Provider& provider, const Terminals& terminals, Clock& clock)
    : options_(std::move(options)), provider_(provider), terminals_(terminals), clock_(clock) {}

void ProxyApi::add_to(http::Router& router) {
    router.add(http::verb::get, "/v1/provider/{path...}", [this](http::Request& request) { return get(request); });
}

// An establishment of other terminals is recognised wherever it stands as a whole segment or value; one that is
// nobody's here is the provider's to judge.
std::string_view ProxyApi::objection(const http::Request& request, std::string_view path,
                                     const Terminal& terminal) const {
    constexpr std::string_view another = "This terminal may not ask for another establishment.";
    const auto family = family_of(path);
    if (family && !terminal.may_sell(*family)) return "This terminal may not sell this family.";
    for (const auto segment : segments_of(path))
        if (terminals_.is_of_others(http::percent_decode(segment).value_or(std::string(segment)), terminal))
            return another;
    for (const auto& [name, value] : request.query)
        if (terminals_.is_of_others(value, terminal)) return another;
    return {};
}

boost::asio::awaitable<http::Response> ProxyApi::get(http::Request& request) {
    const auto terminal = terminals_.by_id(request.principal);
    if (!terminal) co_return unknown_terminal_answer(request);
    auto target = "/" + std::string(request.parameter("path"));
    if (!is_allowed(options_.allow, target))
        co_return refuse(request, status::forbidden, "forbidden", "proxy.allow does not list this path.");
    if (const auto why = objection(request, target, *terminal); !why.empty())
        co_return refuse(request, status::forbidden, "forbidden", std::string(why));
    if (const auto question = request.target.find('?'); question != std::string::npos)
        target += request.target.substr(question);
    const std::string accept(request.header("Accept").empty() ? "application/json" : request.header("Accept"));
    const auto deadline = clock_.now() + options_.timeout;
    auto reply = co_await provider_.get(target, accept, request.request_id, deadline);
    // A token that was revoked is the gateway's affair, not the caller's: the second try has a new one.
    if (reply.kind == Reply::Kind::answered && reply.status == 401)
        reply = co_await provider_.get(target, accept, request.request_id, deadline);
    if (reply.kind != Reply::Kind::answered)
        co_return refuse(request, status::service_unavailable, "provider_unavailable",
                         "The provider could not be asked: " + reply.failure.message() + ".")
            .with("Retry-After", "5");
    co_return http::Response{.status = static_cast<status>(reply.status),
                             .content_type = std::move(reply.content_type),
                             .body = std::move(reply.body)};
}

}  // namespace gateway
