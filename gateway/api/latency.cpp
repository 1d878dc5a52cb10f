#include "api/latency.hpp"

#include "api/sale_answer.hpp"
#include "base/wall_time.hpp"

#include <boost/json.hpp>

#include <cmath>

namespace gateway {
namespace {

namespace json = boost::json;

std::int64_t in_milliseconds(const std::optional<double>& seconds) {
    return std::llround(seconds.value_or(0) * 1000);
}

}  // namespace

void LatencyApi::add_to(http::Router& router) {
    router.add(http::verb::get, "/v1/latency", [this](http::Request&) -> boost::asio::awaitable<http::Response> {
        json::array minutes;
        for (const auto& minute : metrics_.recent_exchanges.minutes(clock_.wall()))
            minutes.push_back({{"at", to_rfc3339(WallTime(minute.at))},
                               {"count", minute.took.count()},
                               {"p50Ms", in_milliseconds(minute.took.quantile(0.5))},
                               {"p95Ms", in_milliseconds(minute.took.quantile(0.95))},
                               {"unknown", minute.unknown}});
        const json::object body{{"minutes", std::move(minutes)}};
        co_return json_answer(body);
    });
}

}  // namespace gateway
