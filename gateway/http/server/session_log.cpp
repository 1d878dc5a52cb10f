#include "http/server/session_log.hpp"

#include "net/stream.hpp"

namespace gateway::http {

void log_failure(const Listener& listener, const std::exception& failure) {
    if (!listener.stopped)
        listener.log.error("http.session",
                           "a fault in the gateway ended a connection of the {listener} listener: {detail}",
                           {{"listener", listener.options.name}, {"detail", failure.what()}});
}

void log_answer(const Listener& listener, const boost::asio::ip::address& caller, const Request& request,
                const Response& response) {
    // What a known caller was refused is looked for by the request's id that its till shows.
    const bool refused = !request.principal.empty() && static_cast<unsigned>(response.status) >= 400;
    const auto level = refused ? LogLevel::info : LogLevel::debug;
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
         {"httpStatus", static_cast<unsigned>(response.status)},
         {"durationMs", took},
         {"remote", caller.to_string()}});
}

void log_refusal(const Listener& listener, const boost::asio::ip::address& caller, std::string_view request_id,
                 std::string_view reason) {
    listener.log.info("http.refused", "a request from {remote} to the {listener} listener is refused: {detail}",
                      {{"listener", listener.options.name},
                       {"request", request_id},
                       {"detail", reason},
                       {"remote", caller.to_string()}});
}

void log_failed_tls(Listener& listener, const boost::asio::ip::address& caller) {
    const auto why = Stream::refusal_of_certificate();
    if (why.empty()) return log_refusal(listener, caller, {}, Stream::tls_failure());
    listener.note_certificate_refused(caller.to_string(), why);
}

}  // namespace gateway::http
