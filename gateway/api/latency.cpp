#include "api/latency.hpp"

#include "api/sale_answer.hpp"
#include "base/wall_time.hpp"
#include "journal/history.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>

namespace gateway {
namespace {

namespace json = boost::json;

constexpr Duration shown = std::chrono::minutes(RecentExchanges::kept);
// How many sales of before the start are looked at, the newest of them.
constexpr std::size_t looked_at = 500;

std::int64_t in_milliseconds(const std::optional<double>& seconds) {
    return std::llround(seconds.value_or(0) * 1000);
}

}  // namespace

void LatencyApi::add_to(http::Router& router) {
    router.add(http::verb::get, "/v1/latency", [this](http::Request& request) { return latency(request); });
}

boost::asio::awaitable<http::Response> LatencyApi::latency(http::Request& request) {
    if (const auto looked = co_await look_back(); looked.has_error()) co_return journal_unavailable_answer(request);
    auto& recent = metrics_.recent_exchanges;
    const RunMoment now(clock_);
    json::array minutes;
    for (const auto& minute : recent.minutes(now))
        minutes.push_back({{"at", to_rfc3339(minute.at)},
                           {"count", minute.took.count()},
                           {"p50Ms", in_milliseconds(minute.took.quantile(0.5))},
                           {"p95Ms", in_milliseconds(minute.took.quantile(0.95))},
                           {"unknown", minute.unknown}});
    const WallTime first_minute = std::chrono::floor<std::chrono::minutes>(recent.run_time(now) - shown);
    const json::object body{{"since", to_rfc3339(recent.as_set_now(std::max(known_since_, first_minute)))},
                            {"minutes", std::move(minutes)}};
    co_return json_answer(body);
}

boost::asio::awaitable<Result<void>> LatencyApi::look_back() {
    if (looked_back_) co_return Result<void>();
    looked_back_ = true;
    // Since the clock was set back, the journal has what came before the start and afterwards under the same times.
    if (journal_.chain() != nullptr || started_.wall() < started_at_) co_return Result<void>();
    const auto from = metrics_.recent_exchanges.run_time(RunMoment(clock_)) - shown;
    // An exchange of a sale that began earlier may be in the hour too: it is as old as a hold may last.
    SaleFilter filter{.limit = looked_at};
    filter.from = from - shown;
    const auto sales = co_await journal_.list(filter);
    if (sales.has_error()) {
        looked_back_ = false;
        co_return sales.error();
    }
    for (const auto& sale : sales->sales)
        co_await take(sale.id, from);
    known_since_ = sales->next ? std::min(sales->sales.back().created_at, started_at_) : from;
    co_return Result<void>();
}

// Leaves a sale out whose history cannot be read.
boost::asio::awaitable<void> LatencyApi::take(SaleId sale, WallTime from) {
    const auto history = co_await journal_.history(sale);
    if (history.has_error()) co_return;
    for (const auto& exchange : timed_exchanges(*history))
        if (exchange.at >= from && exchange.at < started_at_)
            metrics_.recent_exchanges.add_at(exchange.at, exchange.took, exchange.unknown);
}

}  // namespace gateway
