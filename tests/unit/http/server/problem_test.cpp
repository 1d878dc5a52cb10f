#include "http/server/problem.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace gateway::http {
namespace {

Request request_with_id() {
    Request request;
    request.request_id = "r-1";
    return request;
}

TEST(Problem, HasTheMembersOfTheContractInTheirOrder) {
    Problem problem{status::unprocessable_entity, "invalid_request", "valor must be above 0"};
    problem.errors = {{"/valor", "a whole number"}, {"/cpf", "eleven digits"}};
    problem.extensions = {{"outcome", "not_sold"}};
    const auto response = to_response(problem, request_with_id());
    EXPECT_EQ(response.status, status::unprocessable_entity);
    EXPECT_EQ(response.content_type, "application/problem+json");
    EXPECT_EQ(response.body,
              R"({"type":"about:blank","title":"Unprocessable Content","status":422,"code":"invalid_request",)"
              R"("detail":"valor must be above 0","errors":[{"pointer":"/valor","detail":"a whole number"},)"
              R"({"pointer":"/cpf","detail":"eleven digits"}],"requestId":"r-1","outcome":"not_sold"})");
}

TEST(Problem, HasNoErrorsMemberWithoutErrors) {
    const auto response = to_response({status::not_found, "not_found", "nothing here"}, request_with_id());
    EXPECT_FALSE(boost::json::parse(response.body).as_object().contains("errors"));
}

TEST(Problem, ExtensionsReplaceNothing) {
    Problem problem{status::conflict, "sale_final", "it is sold"};
    problem.extensions = {{"status", 200}, {"requestId", "forged"}};
    const auto body = boost::json::parse(to_response(problem, request_with_id()).body);
    EXPECT_EQ(body.at("status").as_int64(), 409);
    EXPECT_EQ(body.at("requestId").as_string(), "r-1");
}

}  // namespace
}  // namespace gateway::http
