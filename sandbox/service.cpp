#include "sandbox/service.hpp"

#include "base/check.hpp"
#include "sandbox/control.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/verb.hpp>

namespace gateway::sandbox {
namespace {

namespace asio = boost::asio;

// So many callbacks are sent at the same time. A receiver that hangs holds each of them for as long as the sender
// waits.
constexpr std::size_t most_under_way = 64;
// A document of fault rules may hold whole answers.
constexpr std::size_t body_limit = 1024 * 1024;

Call to_call(const http::Request& request) {
    Call call;
    call.method = std::string(boost::beast::http::to_string(request.method));
    call.target = request.target;
    call.headers.assign(request.headers.begin(), request.headers.end());
    call.body = request.body;
    return call;
}

http::Response to_response(Answer answer) {
    http::Response response;
    response.status = static_cast<http::status>(answer.status);
    response.content_type = find_header(answer.headers, "Content-Type").value_or("");
    response.body = std::move(answer.body);
    response.drop = answer.drop;
    for (auto& [name, value] : answer.headers)
        if (!boost::beast::iequals(name, "Content-Type")) response.with(std::move(name), std::move(value));
    return response;
}

http::ServerOptions server_options(const ServiceOptions& options, const Personality& personality) {
    http::ServerOptions out;
    out.name = "sandbox";
    out.endpoint = options.endpoint;
    out.tls = options.tls;
    out.body_limit = body_limit;
    out.idle_time = personality.keep_alive_idle;
    out.requests_per_connection = personality.keep_alive_requests;
    return out;
}

// Describes the receiver in words; the address itself may hold a secret of its owner's.
std::string_view why(const boost::system::error_code& failure) {
    if (failure == errc::malformed) return "the address is no http or https address";
    if (failure == errc::unreachable) return "the address cannot be reached";
    return "no answer came";
}

}  // namespace

Service::Service(asio::any_io_executor executor, ServiceOptions options, Model& model, Clock& clock, Random& random,
                 Log& log)
    : executor_(executor),
      model_(model),
      clock_(clock),
      log_(log),
      wall_at_start_(clock.wall()),
      start_(clock.now()),
      sender_(executor, options.sender, clock),
      timer_(clock.make_timer()) {
    http::Router router;
    // The model judges every address, also one that does not exist.
    router.set_filter([this](http::Request& request, const http::Handler&) { return handle(request); });
    server_ = std::make_unique<http::Server>(executor, server_options(options, model.options()), std::move(router),
                                             clock, random, log);
}

void Service::start() {
    server_->start();
    asio::co_spawn(executor_, run(), rethrow);
}

WallTime Service::now() const {
    return wall_at_start_ + std::chrono::floor<std::chrono::milliseconds>(clock_.now() - start_);
}

asio::awaitable<http::Response> Service::handle(http::Request& request) {
    const auto call = to_call(request);
    auto answer = control(model_, call, now());
    if (!answer) answer = model_.handle(call, now());
    timer_->notify();
    if (answer->delay > Duration::zero()) co_await clock_.sleep_for(answer->delay);
    co_return to_response(std::move(*answer));
}

asio::awaitable<void> Service::run() {
    while (true) {
        auto deliveries = model_.advance(now(), most_under_way - under_way_);
        for (auto& delivery : deliveries) {
            ++under_way_;
            asio::co_spawn(executor_, carry(std::move(delivery)), rethrow);
        }
        const auto due = model_.next_due();
        const bool waits_for_time = due && under_way_ < most_under_way;
        const auto until = waits_for_time ? start_ + (*due - wall_at_start_) : never;
        co_await timer_->wait_until(until);
    }
}

asio::awaitable<void> Service::carry(Delivery delivery) {
    const auto answered = co_await sender_.post(delivery.url, delivery.body);
    --under_way_;
    if (!answered)
        log_.warn("sandbox.callback_failed", "a callback could not be delivered: {detail}",
                  {{"idExterno", delivery.idExterno}, {"detail", why(answered.error())}});
    model_.callback_answered(delivery.id, answered ? std::optional(*answered) : std::nullopt, now());
    timer_->notify();
}

}  // namespace gateway::sandbox
