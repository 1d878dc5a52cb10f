#include "api/callbacks.hpp"

#include "api/callback_body.hpp"
#include "api/sale_answer.hpp"

#include <boost/json/object.hpp>

namespace gateway {
namespace {

using http::status;

// How long the provider is kept waiting for a callback to become durable; it repeats one that was not taken.
constexpr Duration durable_within{10'000};

}  // namespace

CallbacksApi::CallbacksApi(Seller& seller, Journal& journal, Clock& clock, Log& log)
    : seller_(seller), journal_(journal), clock_(clock), log_(log) {}

void CallbacksApi::add_to(http::Router& router) {
    router.add(http::verb::post, "/callbacks/esim/{secret}/sale",
               [this](http::Request& request) { return called_back(request, "sale"); });
    router.add(http::verb::post, "/callbacks/esim/{secret}/recharge",
               [this](http::Request& request) { return called_back(request, "recharge"); });
}

// 200 only when everything is durable: the provider repeats whatever is answered otherwise, and stops at a 200.
boost::asio::awaitable<http::Response> CallbacksApi::called_back(http::Request& request, std::string_view kind) {
    const std::string secret(request.parameter("secret"));
    const auto sale = co_await journal_.find_callback(secret);
    if (sale.has_error()) co_return journal_unavailable_answer(request);
    if (!*sale) co_return refuse(request, status::not_found, "not_found", "No sale has this callback address.");

    auto called = read_callback(request.body);
    const Secret body(request.body);
    const auto kept = co_await journal_.keep_callback(**sale, kind, called.has_value(), body);
    if (kept.has_error()) co_return journal_unavailable_answer(request);
    const auto found = co_await seller_.find(**sale);
    const Sale* const known = found.has_value() ? &(*found)->sale() : nullptr;
    log_.write(called ? LogLevel::info : LogLevel::warn, "callback.received",
               {{"sale", **sale},
                {"idExterno", known != nullptr ? known->current().id_externo.text() : std::string_view()},
                {"terminal", known != nullptr ? std::string_view(known->terminal) : std::string_view()},
                {"request", request.request_id},
                {"kind", kind},
                {"status", called ? to_string(called->status) : std::string_view("unreadable")}});
    if (!called)
        co_return refuse(request, status::bad_request, "bad_request",
                         "The body lacks uuid, msisdn, url or a known situacaoTransacao. It was kept.");

    const auto deadline = clock_.now() + durable_within;
    const auto told = co_await seller_.tell(**sale, std::move(*called), request.request_id, deadline);
    if (told.has_error()) co_return journal_unavailable_answer(request);
    const boost::json::object received{{"received", true}};
    co_return json_answer(received);
}

}  // namespace gateway
