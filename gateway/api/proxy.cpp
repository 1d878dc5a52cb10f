#include "api/proxy.hpp"

#include "api/openapi/shared.hpp"
#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"
#include "families/paths.hpp"
#include "families/plain_text.hpp"
#include "http/server/target.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace gateway {

using http::status;

namespace {

constexpr std::size_t encoded_byte_length = 3;  // "%2F"

// Returns the path as the most lenient server reads it: it is decoded until nothing is left to decode, and a backslash
// is a slash.
std::string read_leniently(std::string_view path) {
    std::string text(path);
    for (auto at = text.find('%'); at != std::string::npos;) {
        const auto byte = http::percent_decode(std::string_view(text).substr(at, encoded_byte_length));
        if (byte) text.replace(at, encoded_byte_length, *byte);
        // What was decoded may complete an escape that begins before it.
        at = text.find('%', byte ? at - std::min(at, encoded_byte_length - 1) : at + 1);
    }
    std::ranges::replace(text, '\\', '/');
    return text;
}

// The name of a product or of a menu may hold a slash, so an encoded slash alone is no reason to refuse.
bool hides_a_dot_segment(std::string_view path) {
    const auto text = read_leniently(path);
    return std::ranges::any_of(segments_of(text), is_dot_segment);
}

// The contract says: "All requests carry Accept: application/json." A caller that takes anything, as most clients say
// unasked, takes that.
std::string accepted(std::string_view by_caller) {
    const bool anything = by_caller.empty() || by_caller.find("*/*") != by_caller.npos ||
                          by_caller.find("application/*") != by_caller.npos;
    return std::string(anything ? "application/json" : by_caller);
}

// Returns an entry of proxy.allow in the form of the paths that it is compared with.
std::string normalised(const std::string& entry) {
    const bool prefix = entry.ends_with("/*");
    auto path = http::normalise_path(prefix ? entry.substr(0, entry.size() - 1) : entry);
    if (!path) return entry;  // no path equals such an entry
    return prefix ? *path + "*" : *path;
}

}  // namespace

bool is_allowed(const std::vector<std::string>& allow, std::string_view path) {
    if (hides_a_dot_segment(path)) return false;
    return std::any_of(allow.begin(), allow.end(), [&](std::string_view entry) {
        if (!entry.ends_with("/*")) return entry == path;
        entry.remove_suffix(1);  // the slash stays, so that "/venda/tv/*" does not allow "/venda/tvx"
        return path.size() > entry.size() && path.starts_with(entry);
    });
}

ProxyApi::ProxyApi(ProxyApiOptions options, Provider& provider, const Terminals& terminals, Clock& clock)
    : options_(std::move(options)), provider_(provider), terminals_(terminals), clock_(clock) {
    for (auto& entry : options_.allow)
        entry = normalised(entry);
}

// An establishment of other terminals is recognised wherever it stands as a whole segment or value. The provider judges
// one that belongs to nobody here.
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
    auto fetched = co_await fetch(std::move(target), accepted(request.header("Accept")), request.request_id);
    if (!fetched) co_return shutting_down_answer(request);
    auto& reply = *fetched;
    if (reply.kind != Reply::Kind::answered)
        co_return refuse(request, status::service_unavailable, "provider_unavailable",
                         "The provider could not be asked: " + reply.failure.message() + ".")
            .with("Retry-After", "5");
    co_return http::Response{.status = static_cast<status>(reply.status),
                             .content_type = std::move(reply.content_type),
                             .body = std::move(reply.body)};
}

boost::asio::awaitable<std::optional<Reply>> ProxyApi::fetch(std::string target, std::string accept,
                                                             std::string request_id) {
    const auto call = std::make_shared<Call>();
    call->done = clock_.make_timer();
    auto answered = [call](const std::exception_ptr& fault, Reply reply) {
        call->fault = fault;
        call->reply = std::move(reply);
        call->done->notify();
    };
    const auto deadline = clock_.now() + provider_.request_timeout();
    auto asking = provider_.get(std::move(target), std::move(accept), std::move(request_id), deadline);
    boost::asio::co_spawn(co_await boost::asio::this_coro::executor, std::move(asking), std::move(answered));
    calls_.insert(call);
    while (!call->reply && !hurried_)
        co_await call->done->wait_until(never);
    calls_.erase(call);
    if (call->fault) std::rethrow_exception(call->fault);
    co_return std::move(call->reply);
}

void ProxyApi::hurry() {
    hurried_ = true;
    for (const auto& call : calls_)
        call->done->notify();
}

namespace openapi {
Description ask_provider() {
    return {
        .id = "askProvider",
        .summary = "The provider's own answer to a GET",
        .tag = "What can be sold",
        .text =
            "For the paths that `proxy.allow` lists. The query string goes along; of the caller's headers only Accept "
            "and X-Request-Id do. The provider's status and body come back as they are, so any status may be its own; "
            "only what is described here by status is the gateway's.",
        .parameters = {{"path", text,
                        "The provider's path, one segment or more: unlike other path parameters it may hold slashes.",
                        "venda/tv/consulta-dinamica/12345678/TV%20Livre", In::path},
                       {"Accept", Type{R"("type":"string","default":"application/json")"}, "", "", In::header}},
        .answers = {refuses(403,
                            "`proxy.allow` does not list the path, or it is of a family that the terminal may not "
                            "sell, or of an establishment that only other terminals have.",
                            {{"forbidden", "proxy.allow does not list this path."}}),
                    refuses(
                        503, "The provider could not be asked, or the gateway is stopping.",
                        {{"provider_unavailable", "The provider could not be asked: timed out."}, {"shutting_down"}},
                        retry_after),
                    {.status = 0, .description = "The provider's answer.", .contents = {{.media = "*/*"}}}},
        .is_passed_on = true};
}

}  // namespace openapi

}  // namespace gateway
