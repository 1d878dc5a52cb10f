#include "http/server/session_log.hpp"

#include "net/stream.hpp"

#include <fmt/format.h>

namespace gateway::http {
namespace {

// Says for a person what was called. If the caller's key is refused, the call was not routed, and its route is looked
// up here.
std::string called(const Listener& listener, const Request& request) {
    const std::string_view method(boost::beast::http::to_string(request.method));
    const auto route = request.route.empty() ? listener.router.pattern_of(request) : request.route;
    return route.empty() ? fmt::format("{} of no known path", method) : fmt::format("{} {}", method, route);
}

}  // namespace

void log_failure(const Listener& listener, const std::exception& failure) {
    if (!listener.stopped)
        listener.log.error("http.session",
                           "a fault in the gateway ended a connection of the {listener} listener: {detail}",
                           {{"listener", listener.options.name}, {"detail", failure.what()}});
}

void log_answer(Listener& listener, const boost::asio::ip::address& caller, const Request& request,
                const Response& response) {
    // People look for what a known caller was refused by the id of the request, which its till shows.
    const bool known = !request.principal.empty();
    const auto code = static_cast<unsigned>(response.status);
    const bool refused = code >= 400 && (known || code < 500);  // who is not known is not refused by our own faults
    if (!refused && listener.log.level() > LogLevel::debug) return;
    const auto remote = caller.to_string();
    const bool own_line =
        refused &&
        listener.refused_calls.note({.caller = known ? std::string_view(request.principal) : std::string_view(remote),
                                     .remote = remote,
                                     .what = called(listener, request),
                                     .status = code});
    const auto level = known && own_line ? LogLevel::info : LogLevel::debug;
    if (listener.log.level() > level) return;
    const bool people = listener.options.people;
    const std::string_view principal = request.principal;
    const auto took = std::chrono::duration_cast<Duration>(listener.clock.now() - request.received);
    listener.log.write(
        level, "http.request",
        "[{terminal}: ][{by}: ]{method}[ {path}] was answered {httpStatus} in {durationMs}[ (from {remote})]",
        {{"listener", listener.options.name},
         {"terminal", people ? std::string_view() : principal},
         {"by", people ? principal : std::string_view()},
         {"request", request.request_id},
         {"method", std::string_view(boost::beast::http::to_string(request.method))},
         {"path", request.route},
         {"httpStatus", code},
         {"durationMs", took},
         {"remote", remote}});
}

void log_refusal(Listener& listener, const boost::asio::ip::address& caller, std::string_view request_id,
                 std::string_view reason) {
    const auto remote = caller.to_string();
    if (!listener.refused_calls.note({.caller = remote, .remote = remote, .what = reason})) return;
    listener.log.info(
        "http.refused", "a request from {remote} to the {listener} listener is refused: {detail}",
        {{"listener", listener.options.name}, {"request", request_id}, {"detail", reason}, {"remote", remote}});
}

void log_failed_tls(Listener& listener, const boost::asio::ip::address& caller) {
    const auto why = Stream::refusal_of_certificate();
    if (why.empty()) return log_refusal(listener, caller, {}, Stream::tls_failure());
    listener.note_certificate_refused(caller.to_string(), why);
}

}  // namespace gateway::http
