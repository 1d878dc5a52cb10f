#include "api/authenticator.hpp"

#include "api/request_rules.hpp"
#include "api/sale_answer.hpp"

#include <algorithm>

namespace gateway {
namespace {

bool names(const std::vector<std::string>& certified, const Terminal& terminal) {
    return std::ranges::find(certified, terminal.id) != certified.end();
}

}  // namespace

boost::asio::awaitable<http::Response> Authenticator::authenticate(http::Request& request, const http::Handler& next) {
    const auto fields = request.headers.count("Authorization");
    if (fields > 1)
        co_return refuse(request, http::status::bad_request, "bad_request", "Authorization came twice: send one.");
    if (fields == 0)
        co_return unauthorized_answer(
            request, "The header Authorization is missing: send Authorization: Bearer with this terminal's key.");
    const auto key = Terminals::key_in(request.header("Authorization"));
    if (!key)
        co_return co_await reject(request, "not a Bearer key",
                                  "Authorization is not of the form \"Bearer <this terminal's key>\".");
    const auto terminal = terminals_.by_key(*key);
    if (!terminal)
        co_return co_await reject(request, "no terminal has it",
                                  "No terminal has this key. Compare key_sha256 in the gateway's configuration with "
                                  "the SHA-256 of the key.");
    if (options_.certificates && !names(request.certified.names, *terminal))
        co_return co_await reject(request, "the certificate shown is not that of its terminal",
                                  "The certificate shown is not that of the terminal whose key was sent.");
    request.principal = terminal->id;
    auto answer = co_await next(request);
    seen_.note(request, answer, RunMoment(clock_));
    co_return answer;
}

bool Authenticator::knows(const http::Request& request) const {
    if (request.headers.count("Authorization") != 1) return false;
    const auto key = Terminals::key_in(request.header("Authorization"));
    return key && terminals_.by_key(*key);
}

void Authenticator::expose(Exposition& out) const {
    out.metric("gateway_terminals_wrong_keys_total", "counter", "Calls of terminals whose key let nobody in.");
    out.sample(static_cast<double>(seen_.unknown().count));
}

// Answers a caller who guesses ever more slowly, which bounds the log as well. A caller who forgot to send a key
// guesses nothing, and does not come here.
boost::asio::awaitable<http::Response> Authenticator::reject(const http::Request& request, std::string_view why,
                                                             std::string detail) {
    seen_.note_unknown(request, RunMoment(clock_));
    const auto delay = throttle_.note(request.remote, clock_.now());
    if (delay.first_delay)
        log_.warn("terminals.guessing", "{remote} tries keys: {detail}",
                  {{"remote", request.remote.to_string()},
                   {"detail", "wrong keys keep coming from there; each is answered late now"}});
    if (delay.answer_at && !request.hammers())
        log_.info("terminals.refused_key", "the key of a caller from {remote} is refused: {detail}",
                  {{"remote", request.remote.to_string()}, {"request", request.request_id}, {"detail", why}});
    if (!delay.answer_at)
        co_return too_many_guesses(request, "keys", BruteForceThrottle::pace * BruteForceThrottle::waiting_tries);
    if (*delay.answer_at > clock_.now()) co_await clock_.sleep_until(*delay.answer_at);
    co_return unauthorized_answer(request, std::move(detail));
}

}  // namespace gateway
