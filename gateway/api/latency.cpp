#include "api/latency.hpp"

#include "api/openapi/shared.hpp"
#include "api/openapi/written.hpp"
#include "api/sale_answer.hpp"
#include "journal/history.hpp"

#include <algorithm>
#include <cmath>

namespace gateway {
namespace {

constexpr Duration shown = std::chrono::minutes(RecentExchanges::kept);
// So many sales from before the start are looked at, the newest of them.
constexpr std::size_t looked_at = 500;

}  // namespace

namespace openapi {
namespace {

using Minute = RecentExchanges::Minute;

std::int64_t in_milliseconds(const std::optional<double>& seconds) {
    return std::llround(seconds.value_or(0) * 1000);
}

constexpr Written<Minute> latency_minute_members[] = {
    {{"at", a("Time"), "", "2024-05-02T13:11:00.000Z"}, its<&Minute::at>},
    {{"count", integer, "", "12"}, [](const Minute& minute) { return minute.took.count(); }},
    {{"p50Ms", integer, "", "80"}, [](const Minute& minute) { return in_milliseconds(minute.took.quantile(0.5)); }},
    {{"p95Ms", integer, "", "210"}, [](const Minute& minute) { return in_milliseconds(minute.took.quantile(0.95)); }},
    {{"unknown", integer, "How many of these had no usable answer.", "0"}, its<&Minute::unknown>},
};

struct Latency {
    WallTime since;
    std::vector<Minute> minutes;
};
constexpr Written<Latency> latency_members[] = {
    {{"since", a("Time"),
      "Since when the exchanges are known: an hour ago, or later where the journal tells less of before the start.",
      "2024-05-02T12:20:00.000Z"},
     its<&Latency::since>},
    {{"minutes", list_of(object_of<latency_minute_members>)},
     [](const Latency& told) { return parts(latency_minute_members, told.minutes); }},
};

}  // namespace
}  // namespace openapi

boost::asio::awaitable<http::Response> LatencyApi::latency(http::Request& request) {
    if (const auto looked = co_await look_back(); looked.has_error()) co_return journal_unavailable_answer(request);
    auto& recent = metrics_.recent_exchanges;
    const RunMoment now(clock_);
    const WallTime first_minute = std::chrono::floor<std::chrono::minutes>(recent.run_time(now) - shown);
    const openapi::Latency told{recent.as_set_now(std::max(known_since_, first_minute)), recent.minutes(now)};
    co_return json_text_answer(openapi::write(openapi::latency_members, told));
}

boost::asio::awaitable<Result<void>> LatencyApi::look_back() {
    if (looked_back_) co_return Result<void>();
    looked_back_ = true;
    // After the clock was set back, the journal has what came before the start and what came after it under the same
    // times.
    if (journal_.chain() != nullptr || started_.wall() < started_at_) co_return Result<void>();
    const auto from = metrics_.recent_exchanges.run_time(RunMoment(clock_)) - shown;
    // A sale that began before the hour may have exchanges in it, too. So the sales of the hour before it are looked at
    // as well. A sale that was held for longer is left out.
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

// Leaves out a sale whose history cannot be read.
boost::asio::awaitable<void> LatencyApi::take(SaleId sale, WallTime from) {
    const auto history = co_await journal_.history(sale);
    if (history.has_error()) co_return;
    for (const auto& exchange : timed_exchanges(*history))
        if (exchange.at >= from && exchange.at < started_at_)
            metrics_.recent_exchanges.add_at(exchange.at, exchange.took, exchange.unknown);
}

namespace openapi {
namespace {

constexpr Schema all_latency_schemas[] = {
    {.name = "Latency",
     .description = "The last hour, oldest first, without the minutes that had no exchange.",
     .type = object_of<latency_members>},
};

}  // namespace

std::span<const Schema> latency_schemas() {
    return all_latency_schemas;
}

Description get_latency() {
    return {.id = "getLatency",
            .summary = "How long the provider took, minute by minute",
            .tag = "Monitoring",
            .text = "Costs nothing at the provider.",
            .answers = {gives(200, "As the gateway knows it now.", a("Latency"), {{"usual"}})}};
}

}  // namespace openapi

}  // namespace gateway
