#include "http/server/problem.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace gateway::http {

Response to_response(const Problem& problem, const Request& request) {
    boost::json::object body;
    body.reserve(7 + problem.extensions.size());
    body.emplace("type", "about:blank");
    body.emplace("title", reason_phrase(problem.status));
    body.emplace("status", static_cast<unsigned>(problem.status));
    body.emplace("code", problem.code);
    body.emplace("detail", problem.detail);
    if (!problem.errors.empty()) {
        auto& errors = body.emplace("errors", boost::json::array()).first->value().get_array();
        for (const auto& error : problem.errors)
            errors.push_back(boost::json::object{{"pointer", error.pointer}, {"detail", error.detail}});
    }
    body.emplace("requestId", request.request_id);
    for (const auto& member : problem.extensions)
        body.emplace(member.key(), member.value());

    Response response;
    response.status = problem.status;
    response.content_type = "application/problem+json";
    response.body = boost::json::serialize(body);
    return response;
}

}  // namespace gateway::http
