#include "api/admin.hpp"

#include "api/openapi/shared.hpp"
#include "api/sale_answer.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;
using http::status;

}  // namespace

namespace openapi {
namespace {

struct Readiness {
    std::vector<Degradation> degraded;
    std::optional<ToldDisk> disk;
};
constexpr Written<Readiness> readiness_members[] = {
    {{"ready", always_true, "", "true"}, [](const Readiness&) { return true; }},
    {{"degraded", list_of(a("Degraded")), "", "[]"}, [](const Readiness& told) { return in_parts(told.degraded); }},
    {maybe({"disk", a("JournalDisk"), "", R"({"flushMs":{"p50":0.412,"p99":1.9}})"}),
     [](const Readiness& told) { return in_part(told.disk); }},
};

}  // namespace
}  // namespace openapi

boost::asio::awaitable<http::Response> AdminApi::alive(http::Request&) {
    co_return http::Response{.content_type = "text/plain; charset=utf-8", .body = "ok\n"};
}

boost::asio::awaitable<http::Response> AdminApi::ready(http::Request& request) {
    co_await health_.look();
    const auto hindrances = health_.hindrances();
    if (hindrances.empty()) {
        const openapi::Readiness told{degradations(health_), told_disk(health_)};
        co_return json_text_answer(openapi::write(openapi::readiness_members, told));
    }
    http::Problem problem{
        .status = status::service_unavailable, .code = "not_ready", .detail = hindrances.front().sentence};
    json::array reasons;
    for (const auto& hindrance : hindrances)
        reasons.emplace_back(hindrance.sentence);
    problem.extensions["reasons"] = std::move(reasons);
    co_return http::to_response(problem, request);
}

namespace openapi {
namespace {

constexpr Schema all_readiness_schemas[] = {
    {.name = "Readiness", .type = object_of<readiness_members>},
};

}  // namespace

std::span<const Schema> readiness_schemas() {
    return all_readiness_schemas;
}

Description get_health() {
    return {
        .id = "getHealth",
        .summary = "Whether the process turns",
        .tag = "Monitoring",
        .text = "Looks at nothing else: a gateway that cannot sell is healthy as long as it answers.",
        .answers = {
            {.description = "It does.",
             .contents = {{.media = "text/plain; charset=utf-8", .type = some_text, .examples = {{"text", "ok\n"}}}}}}};
}

Description get_readiness() {
    return {
        .id = "getReadiness",
        .summary = "Whether the gateway can sell",
        .tag = "Monitoring",
        .text = "503 with every reason while it cannot.",
        .answers = {
            gives(200,
                  "It can. `degraded` names what of the provider cannot be reached meanwhile: sales are refused for "
                  "that until it comes back. It also names a certificate of the gateway's own that has ended, ends "
                  "within 14 days, or is refused by callers; and what needs care at the machine, its clock or its "
                  "disk, while sales go on.",
                  a("Readiness"),
                  {{"ready"},
                   whole("degraded",
                         R"({"ready":true,"degraded":[{"what":"provider","since":"2024-05-02T13:11:12.020Z",
        "lastError":"10.0.0.5:443: Connection refused","refused":12,"mayBeTried":false,
        "maybeLonger":false}]})")}),
            refuses(503, "This gateway itself cannot sell: `reasons` says why.",
                    {{"not_ready",
                      "the journal cannot be written: another program has the journal locked (sqlite3, process 4711): "
                      "let it finish, or close it",
                      alone, R"({"reasons":[
        "the journal cannot be written: another program has the journal locked (sqlite3, process 4711): let it finish, or close it"]})"}})}};
}

}  // namespace openapi

}  // namespace gateway
