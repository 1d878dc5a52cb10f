#include "api/admin.hpp"

#include "api/sale_answer.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;
using http::status;

}  // namespace

void AdminApi::add_to(http::Router& router) {
    router.add(http::verb::get, "/healthz", [](http::Request&) -> boost::asio::awaitable<http::Response> {
        co_return http::Response{.content_type = "text/plain; charset=utf-8", .body = "ok\n"};
    });
    router.add(http::verb::get, "/readyz", [this](http::Request& request) { return ready(request); });
}

boost::asio::awaitable<http::Response> AdminApi::ready(http::Request& request) {
    co_await health_.look();
    const auto hindrances = health_.hindrances();
    if (hindrances.empty()) {
        json::object body{{"ready", true}, {"degraded", degraded_json(health_)}};
        if (auto disk = disk_json(health_); !disk.empty()) body["disk"] = std::move(disk);
        co_return json_answer(body);
    }
    http::Problem problem{
        .status = status::service_unavailable, .code = "not_ready", .detail = hindrances.front().sentence};
    json::array reasons;
    for (const auto& hindrance : hindrances)
        reasons.emplace_back(hindrance.sentence);
    problem.extensions["reasons"] = std::move(reasons);
    co_return http::to_response(problem, request);
}

}  // namespace gateway
