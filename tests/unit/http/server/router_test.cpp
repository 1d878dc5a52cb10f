#include "http/server/router.hpp"

#include "http/server/target.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace gateway::http {
namespace {

namespace asio = boost::asio;

// Makes a handler whose answer names it.
Handler named(std::string name) {
    return [name = std::move(name)](Request&) -> asio::awaitable<Response> {
        Response response;
        response.body = name;
        return [](Response made) -> asio::awaitable<Response> { co_return made; }(std::move(response));
    };
}

Response run(const Router& router, Request& request) {
    asio::io_context io;
    std::optional<Response> result;
    asio::co_spawn(io, router.dispatch(request), [&](const std::exception_ptr& failure, Response response) {
        if (failure) std::rethrow_exception(failure);
        result = std::move(response);
    });
    io.run();
    return result.value();
}

Response run(const Router& router, verb method, std::string_view target) {
    Request request;
    request.method = method;
    EXPECT_TRUE(set_target(request, target));
    return run(router, request);
}

std::string allow_of(const Response& response) {
    for (const auto& [name, value] : response.headers)
        if (name == "Allow") return value;
    return {};
}

class RouterTest : public testing::Test {
  protected:
    RouterTest() {
        router.add(verb::get, "/v1/sales", named("list"));
        router.add(verb::get, "/v1/sales/{id}", named("one"));
        router.add(verb::post, "/v1/sales/{id}/confirm", named("confirm"));
        router.add(verb::get, "/v1/sales/latest", named("latest"));
        router.add(verb::get, "/v1/provider/{path...}", named("proxy"));
        router.add(verb::get, "/", named("root"));
    }

    Router router;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST_F(RouterTest, VerbAndPathFindTheirHandler) {
    EXPECT_EQ(run(router, verb::get, "/v1/sales?limit=5").body, "list");
    EXPECT_EQ(run(router, verb::get, "/v1/sales/01J").body, "one");
    EXPECT_EQ(run(router, verb::post, "/v1/sales/01J/confirm").body, "confirm");
    EXPECT_EQ(run(router, verb::get, "/").body, "root");
}

TEST_F(RouterTest, LiteralSegmentWinsOverNamedOneInWhateverOrderTheyWereAdded) {
    EXPECT_EQ(run(router, verb::get, "/v1/sales/latest").body, "latest");
    Router other;
    other.add(verb::get, "/{rest...}", named("rest"));
    other.add(verb::get, "/{a}/b", named("named first"));
    other.add(verb::get, "/a/{b}", named("literal first"));
    EXPECT_EQ(run(other, verb::get, "/a/b").body, "literal first");
    EXPECT_EQ(run(other, verb::get, "/x/b").body, "named first");
    EXPECT_EQ(run(other, verb::get, "/x/y").body, "rest");
}

TEST_F(RouterTest, LiteralOfAnotherVerbDoesNotHideANamedSegment) {
    router.add(verb::delete_, "/v1/sales/latest", named("forget"));
    router.add(verb::put, "/v1/sales/{id}", named("put"));
    EXPECT_EQ(run(router, verb::put, "/v1/sales/latest").body, "put");
}

TEST_F(RouterTest, UnknownPathIs404) {
    for (const auto* target : {"/v1", "/v1/sales/", "/v1/sales//confirm", "/v1/sales/1/2", "/v1//sales", "/V1/sales",
                               "/v1/provider", "/v1/sales%2F1"}) {
        const auto response = run(router, verb::get, target);
        EXPECT_EQ(response.status, status::not_found) << target;
        EXPECT_EQ(boost::json::parse(response.body).at("code").as_string(), "not_found");
        EXPECT_EQ(allow_of(response), "");
    }
}

TEST_F(RouterTest, WrongVerbIs405WithWhatIsAllowed) {
    const auto response = run(router, verb::put, "/v1/sales/01J");
    EXPECT_EQ(response.status, status::method_not_allowed);
    EXPECT_EQ(boost::json::parse(response.body).at("code").as_string(), "method_not_allowed");
    EXPECT_EQ(allow_of(response), "GET, HEAD");
    EXPECT_EQ(allow_of(run(router, verb::get, "/v1/sales/01J/confirm")), "POST");
    router.add(verb::post, "/v1/sales", named("make"));
    EXPECT_EQ(allow_of(run(router, verb::delete_, "/v1/sales")), "GET, HEAD, POST");
}

TEST_F(RouterTest, UnknownVerbIs405OnAKnownPathAnd404Elsewhere) {
    EXPECT_EQ(run(router, verb::unknown, "/v1/sales").status, status::method_not_allowed);
    EXPECT_EQ(run(router, verb::unknown, "/nowhere").status, status::not_found);
}

TEST_F(RouterTest, HeadIsAnsweredByGetUnlessItHasItsOwn) {
    EXPECT_EQ(run(router, verb::head, "/v1/sales").body, "list");
    router.add(verb::head, "/v1/sales", named("head"));
    EXPECT_EQ(run(router, verb::head, "/v1/sales").body, "head");
    EXPECT_EQ(run(router, verb::head, "/v1/sales/1/confirm").status, status::method_not_allowed);
}

TEST_F(RouterTest, ParameterIsDecodedSlashIncluded) {
    Request request;
    request.method = verb::get;
    ASSERT_TRUE(set_target(request, "/v1/sales/a%20b%2Fc"));
    EXPECT_EQ(run(router, request).body, "one");
    EXPECT_EQ(request.parameters, (Pairs{{"id", "a b/c"}}));
    EXPECT_EQ(request.parameter("id"), "a b/c");
    EXPECT_EQ(request.parameter("other"), "");
    EXPECT_EQ(request.route, "/v1/sales/{id}");
}

TEST_F(RouterTest, RestStaysEncodedSoThatASlashIsOneOnlyWhereItSeparates) {
    Request request;
    request.method = verb::get;
    ASSERT_TRUE(set_target(request, "/v1/provider/venda/tv%2f../x/./a%20b"));
    EXPECT_EQ(run(router, request).body, "proxy");
    EXPECT_EQ(request.parameter("path"), "venda/tv%2F../x/a%20b");
}

TEST_F(RouterTest, FilterComesBeforeRoutingAndSeesAllOfIt) {
    std::vector<std::string> seen;
    router.set_filter([&seen](Request& request, const Handler& next) -> asio::awaitable<Response> {
        if (request.header("Authorization").empty()) {
            Response denied;
            denied.status = status::unauthorized;
            co_return denied;
        }
        auto response = co_await next(request);
        seen.push_back(std::to_string(static_cast<unsigned>(response.status)));
        co_return response;
    });
    EXPECT_EQ(run(router, verb::get, "/nowhere").status, status::unauthorized);
    Request request;
    request.headers.insert("Authorization", "Bearer x");
    request.method = verb::get;
    for (const auto* path : {"/v1/sales", "/nowhere", "/v1/sales/1/confirm"}) {
        request.path = path;
        run(router, request);
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"200", "404", "405"}));
}

TEST_F(RouterTest, AFilterMayAskOtherCallsToo) {
    router.set_filter([](Request& request, const Handler& next) -> asio::awaitable<Response> {
        Request other;
        other.method = verb::get;
        other.path = "/nowhere";
        const auto refused = co_await next(other);
        auto response = co_await next(request);
        response.body += ' ' + std::to_string(static_cast<unsigned>(refused.status));
        co_return response;
    });
    router.add(verb::get, "/one", named("one"));
    EXPECT_EQ(run(router, verb::get, "/one").body, "one 404");
}

TEST_F(RouterTest, WhatIsEverybodysIsAnsweredWithoutTheFilterAndNothingElseAtItsPath) {
    router.set_filter([](Request&, const Handler&) -> asio::awaitable<Response> {
        Response denied;
        denied.status = status::unauthorized;
        co_return denied;
    });
    router.add(verb::get, "/description", named("description"), Access::everybody);
    EXPECT_EQ(run(router, verb::get, "/description").body, "description");
    EXPECT_EQ(run(router, verb::head, "/description").body, "description");
    EXPECT_EQ(run(router, verb::post, "/description").status, status::unauthorized);
    EXPECT_EQ(run(router, verb::get, "/description/x").status, status::unauthorized);
    EXPECT_EQ(run(router, verb::get, "/v1/sales").status, status::unauthorized);
}

TEST_F(RouterTest, RoomForALongBodyIsForThoseWhoAreInvited) {
    router.add(verb::post, "/file", named("file"));
    router.set_body_limit(verb::post, "/file", 1'000'000);
    router.add(verb::post, "/door", named("door"), Access::everybody);
    router.set_body_limit(verb::post, "/door", 100);
    const auto limit = [this](const char* path, const char* who) {
        Request request;
        request.method = verb::post;
        request.headers.insert("Cookie", who);
        EXPECT_TRUE(set_target(request, path));
        return router.body_limit(request);
    };
    EXPECT_EQ(limit("/file", "anybody"), 1'000'000U) << "without an invitation all are invited";
    router.set_invitation([](const Request& request) { return request.header("Cookie") == "known"; });
    EXPECT_EQ(limit("/file", "known"), 1'000'000U);
    EXPECT_EQ(limit("/file", "anybody"), std::nullopt);
    EXPECT_EQ(limit("/door", "anybody"), 100U);
}

TEST_F(RouterTest, AnotherHostIsAnsweredBeforeAnythingElseIsAsked) {
    router.set_hosts({{"gateway.store"}, "listen.names"});
    int asked = 0;
    router.set_filter([&](Request& request, const Handler& next) -> asio::awaitable<Response> {
        ++asked;
        co_return co_await next(request);
    });
    router.set_invitation([](const Request&) { return true; });
    router.add(verb::get, "/description", named("description"), Access::everybody);
    for (const auto* path : {"/v1/sales", "/description", "/nowhere"}) {
        Request request;
        request.method = verb::get;
        request.headers.insert("Host", "rebound.example");
        ASSERT_TRUE(set_target(request, path));
        EXPECT_EQ(run(router, request).status, status::misdirected_request) << path;
        EXPECT_FALSE(router.invites(request)) << "a body that nobody reads is not asked for";
        EXPECT_EQ(asked, 0);
    }
    Request meant;
    meant.method = verb::get;
    meant.headers.insert("Host", "gateway.store:9090");
    ASSERT_TRUE(set_target(meant, "/v1/sales"));
    EXPECT_EQ(run(router, meant).body, "list");
    EXPECT_TRUE(router.invites(meant));
    EXPECT_EQ(asked, 1);
}

TEST_F(RouterTest, RouteNamesThePatternAndNeverThePath) {
    Request request;
    request.method = verb::get;
    ASSERT_TRUE(set_target(request, "/v1/sales/secret/confirm"));
    EXPECT_EQ(run(router, request).status, status::method_not_allowed);
    EXPECT_EQ(request.route, "/v1/sales/{id}/confirm");
    ASSERT_TRUE(set_target(request, "/secret"));
    request.route = {};
    run(router, request);
    EXPECT_EQ(request.route, "");
}

TEST(RouterDeathTest, PatternsAreChecked) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Router router;
    router.add(verb::get, "/a", named("a"));
    EXPECT_DEATH(router.add(verb::get, "/a", named("again")), "");
    EXPECT_DEATH(router.add(verb::get, "a", named("a")), "");
    EXPECT_DEATH(router.add(verb::get, "/{a...}/b", named("a")), "");
    EXPECT_DEATH(router.add(verb::get, "/{}", named("a")), "");
    EXPECT_DEATH(router.add(verb::get, "/{a", named("a")), "");
}

}  // namespace
}  // namespace gateway::http
