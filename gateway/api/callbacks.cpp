#include "api/callbacks.hpp"

#include "api/callback_body.hpp"
#include "api/sale_answer.hpp"
#include "base/utf8.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace gateway {
namespace {

using http::status;

// The provider is kept waiting for so long until a callback is durable; it repeats one that was not taken.
constexpr Duration durable_within{10'000};

constexpr std::string_view kept_for_later =
    "the sale's row cannot be read: the callback is kept, and the provider told to repeat it";
// Says why the callback decides nothing now; empty where it decides something.
std::string trouble_of(const boost::system::result<CalledBack, std::string>& called, bool unreadable) {
    if (unreadable) return std::string(kept_for_later);
    return called ? std::string() : fmt::format("its body {}, and is kept", called.error());
}

// Tells whether `kept`, the callbacks of a sale, has this one.
bool holds(const std::vector<KeptCallback>& kept, std::string_view kind, const Secret& body) {
    return std::ranges::any_of(
        kept, [&](const KeptCallback& one) { return one.kind == kind && one.body && *one.body == body; });
}

}  // namespace

CallbacksApi::CallbacksApi(Seller& seller, Journal& journal, Clock& clock, Log& log)
    : seller_(seller), journal_(journal), clock_(clock), log_(log) {}

// Keeps a callback once where its sale cannot be read: the provider repeats it until the row is put right, which may
// take days.
boost::asio::awaitable<Result<void>> CallbacksApi::keep(SaleId sale, std::string_view kind, bool valid,
                                                        const Secret& body, bool unreadable) {
    if (unreadable) {
        const auto kept = co_await journal_.callbacks(sale);
        if (kept.has_value() && holds(*kept, kind, body)) co_return Result<void>();
    }
    co_return co_await journal_.keep_callback(sale, kind, valid, body);
}

// Answers 200 only when everything is durable, because the provider repeats its call after any other answer, and stops
// at a 200.
boost::asio::awaitable<http::Response> CallbacksApi::called_back(http::Request& request, std::string_view kind) {
    const std::string secret(request.parameter("secret"));
    const auto sale = co_await journal_.find_callback(secret);
    if (sale.has_error()) co_return refused_by_journal_answer(request, sale.error());
    if (!*sale) co_return refuse(request, status::not_found, "not_found", "No sale has this callback address.");

    auto called = read_callback(request.body);
    const Secret body(as_utf8(request.body));
    const auto found = co_await seller_.find(**sale);
    const bool unreadable = found.has_error() && found.error() == errc::sale_unreadable;
    const auto kept = co_await keep(**sale, kind, called.has_value(), body, unreadable);
    if (kept.has_error()) co_return journal_unavailable_answer(request);
    const Sale* const known = found.has_value() ? &(*found)->sale() : nullptr;
    const auto trouble = trouble_of(called, unreadable);
    log_.write(trouble.empty() ? LogLevel::info : LogLevel::warn, "callback.received",
               trouble.empty() ? Sentence("{terminal}: the provider called back about the {kind}: {status}")
                               : Sentence("[{terminal}: ]the provider called back about the {kind}: {detail}"),
               {{"sale", **sale},
                {"idExterno", known != nullptr ? known->current().id_externo.text() : std::string_view()},
                {"terminal", known != nullptr ? std::string_view(known->terminal) : std::string_view()},
                {"request", request.request_id},
                {"kind", kind},
                {"status", called ? to_string(called->status) : std::string_view()},
                {"detail", trouble}});
    if (!called)
        co_return refuse(request, status::bad_request, "bad_request",
                         fmt::format("The body {}. It was kept.", called.error()));

    // The provider goes on repeating the callback, so that it decides the sale once the row has been put right.
    if (unreadable) co_return sale_unreadable_answer(request);

    const auto deadline = clock_.now() + durable_within;
    const auto told = co_await seller_.tell(**sale, std::move(*called), request.request_id, deadline);
    if (told.has_error()) co_return refused_by_journal_answer(request, told.error());
    const boost::json::object received{{"received", true}};
    co_return json_answer(received);
}

}  // namespace gateway
