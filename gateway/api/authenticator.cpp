#include "api/authenticator.hpp"

#include "api/request_rules.hpp"

#include <algorithm>

namespace gateway {
namespace {

bool names(const std::vector<std::string>& certified, const Terminal& terminal) {
    return std::ranges::find(certified, terminal.id) != certified.end();
}

}  // namespace

boost::asio::awaitable<http::Response> Authenticator::authenticate(http::Request& request, const http::Handler& next) {
    const auto terminal = terminals_.by_authorization(request.header("Authorization"));
    if (!terminal)
        co_return co_await reject(request, "no terminal has it",
                                  "Send Authorization: Bearer with this terminal's key.");
    if (options_.certificates && !names(request.certified, *terminal))
        co_return co_await reject(request, "the certificate shown is not that of its terminal",
                                  "The certificate shown is not that of the terminal whose key was sent.");
    request.principal = terminal->id;
    co_return co_await next(request);
}

// Who guesses is answered ever more slowly, which bounds the log as well; who forgot to send a key guesses nothing.
boost::asio::awaitable<http::Response> Authenticator::reject(const http::Request& request, std::string_view why,
                                                             std::string detail) {
    if (request.header("Authorization").empty()) co_return unauthorized_answer(request, std::move(detail));
    const auto delay = throttle_.note(request.remote, clock_.now());
    if (delay.first_delay)
        log_.warn("terminals.guessing", {{"remote", request.remote.to_string()},
                                         {"detail", "wrong keys keep coming from there; each is answered late now"}});
    if (delay.answer_at)
        log_.info("terminals.refused_key",
                  {{"remote", request.remote.to_string()}, {"request", request.request_id}, {"detail", why}});
    if (!delay.answer_at)
        co_return too_many_guesses(request, BruteForceThrottle::pace * BruteForceThrottle::waiting_tries);
    if (*delay.answer_at > clock_.now()) co_await clock_.sleep_until(*delay.answer_at);
    co_return unauthorized_answer(request, std::move(detail));
}

}  // namespace gateway
