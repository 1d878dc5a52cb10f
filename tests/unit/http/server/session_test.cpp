#include "unit/http/server/rig.hpp"

namespace gateway::http {
namespace {

using namespace std::literals;

std::string post(std::string_view body, std::string_view fields = "") {
    return "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           std::string(fields) + "\r\n" + std::string(body);
}

class SessionTest : public testing::Test, public Rig {};

TEST_F(SessionTest, AnswersManyRequestsOverOneConnection) {
    start();
    RawClient client(*this);
    for (int i = 0; i < 3; ++i) {
        const auto answer = client.ask(hello);
        EXPECT_EQ(answer.status, 200U);
        EXPECT_EQ(answer.body, R"("hello")");
        EXPECT_EQ(answer.field("Content-Type"), "application/json");
        EXPECT_EQ(answer.field("Cache-Control"), "no-store");
        EXPECT_EQ(answer.field("Date"), "Thu, 02 May 2024 13:00:00 GMT");
    }
    EXPECT_FALSE(client.ended());
    EXPECT_EQ(server->connections(), 1U);
}

TEST_F(SessionTest, PipelinedRequestsAreAnsweredInOrderWhereverTheyAreCut) {
    start();
    const std::string chunked =
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
    const auto pipeline = post("one") + hello + chunked + "\r\nGET /items/4 HTTP/1.1\r\nHost: x\r\n\r\n";
    for (std::size_t cut = 1; cut < pipeline.size(); ++cut) {
        RawClient client(*this);
        client.send(pipeline.substr(0, cut));
        client.send(pipeline.substr(cut));
        EXPECT_EQ(client.answer().body, "one") << cut;
        EXPECT_EQ(client.answer().body, R"("hello")") << cut;
        EXPECT_EQ(client.answer().body, "ab") << cut;
        EXPECT_EQ(client.answer().body, "4") << cut;
        client.close();
    }
}

TEST_F(SessionTest, PipelineThatComesByteByByteIsAnsweredInOrder) {
    start();
    RawClient client(*this);
    for (const char c : post("one") + hello)
        client.send(std::string(1, c));
    EXPECT_EQ(client.answer().body, "one");
    EXPECT_EQ(client.answer().body, R"("hello")");
}

TEST_F(SessionTest, PipelinedRequestWaitsForTheAnswerBeforeIt) {
    start();
    RawClient client(*this);
    client.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n" + hello);
    until([this] { return held == 1; });
    EXPECT_EQ(client.received(), "");
    release();
    EXPECT_EQ(client.answer().body, R"("held")");
    EXPECT_EQ(client.answer().body, R"("hello")");
}

TEST_F(SessionTest, ConnectionsDoNotWaitForEachOther) {
    start();
    RawClient waiting(*this);
    waiting.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(ask(*this, hello).status, 200U);
    release();
    EXPECT_EQ(waiting.answer().status, 200U);
}

TEST_F(SessionTest, ALongBodyThatIsAllThereLeavesOthersTheirTurn) {
    const std::string body(300'000, 'x');
    router.set_body_limit(verb::post, "/echo", body.size());
    std::size_t echoed = 0;
    router.add(verb::get, "/echoed", [&](Request&) -> asio::awaitable<Response> {
        echoed = bodies.size();
        co_return Response{status::ok, "text/plain", "told"};
    });
    start();
    RawClient large(*this);
    RawClient small(*this);
    const auto request = post(body);
    // The server runs only when both are there.
    const auto sent = large.socket().write_some(asio::buffer(request));
    small.socket().write_some(asio::buffer("GET /echoed HTTP/1.1\r\nHost: x\r\n\r\n"sv));
    large.send(std::string_view(request).substr(sent));
    EXPECT_EQ(small.answer().body, "told");
    EXPECT_EQ(echoed, 0U) << "it waited for all of the other's body";
    EXPECT_EQ(large.answer().body, body);
}

TEST_F(SessionTest, RequestIdIsTheCallersOrMadeHere) {
    start();
    RawClient client(*this);
    EXPECT_EQ(client.ask(post("x", "X-Request-Id: till-1.7\r\n")).field("X-Request-Id"), "till-1.7");
    const auto first = client.ask(hello).field("X-Request-Id");
    const auto second = client.ask(hello).field("X-Request-Id");
    EXPECT_EQ(first.size(), 26U);
    EXPECT_NE(first, second);
    EXPECT_EQ(client.ask(post("x", "X-Request-Id: no spaces\r\n")).field("X-Request-Id").size(), 26U);
}

TEST_F(SessionTest, RequestIdIsInEveryProblem) {
    start();
    for (const auto* path : {"/nowhere", "/throw", "/echo"}) {
        const auto answer =
            ask(*this, "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-9\r\n\r\n");
        EXPECT_GE(answer.status, 400U);
        EXPECT_EQ(answer.field("X-Request-Id"), "r-9");
        EXPECT_EQ(answer.field("Content-Type"), "application/problem+json");
        EXPECT_EQ(answer.json().at("requestId").as_string(), "r-9");
    }
    const auto refused = ask(*this, "GET / HTTP/1.1\r\nX-Request-Id: r-8\r\n\r\n");
    EXPECT_EQ(refused.json().at("requestId").as_string(), "r-8");
    EXPECT_EQ(ask(*this, "\x01").field("X-Request-Id").size(), 26U);
}

TEST_F(SessionTest, HeadIsAnsweredAsGetWithoutTheBody) {
    start();
    RawClient client(*this);
    client.send("HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\n" + hello);
    const auto answer = client.answer(true);
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.field("Content-Length"), "7");
    EXPECT_EQ(client.answer().body, R"("hello")");
}

TEST_F(SessionTest, RefusalOfAHeadRequestHasNoBody) {
    start();
    RawClient client(*this);
    client.send("HEAD /hello HTTP/1.1\r\n\r\n");
    const auto text = client.rest();
    EXPECT_TRUE(text.starts_with("HTTP/1.1 400 "));
    EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

TEST_F(SessionTest, NoContentHasNoBodyThatCouldBeTakenForTheNextAnswer) {
    start();
    RawClient client(*this);
    client.send("GET /empty HTTP/1.1\r\nHost: x\r\n\r\n" + hello);
    EXPECT_EQ(client.answer().status, 204U);
    EXPECT_EQ(client.answer().body, R"("hello")");
}

TEST_F(SessionTest, OldVersionClosesUnlessAskedNotTo) {
    start();
    RawClient closing(*this);
    closing.send("GET /hello HTTP/1.0\r\n\r\n");
    const auto text = closing.rest();
    EXPECT_NE(text.find("\r\nConnection: close\r\n"), std::string::npos);
    EXPECT_TRUE(text.ends_with(R"("hello")"));

    RawClient staying(*this);
    EXPECT_EQ(staying.ask("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").field("Connection"), "keep-alive");
    EXPECT_EQ(staying.ask(hello).status, 200U);
}

TEST_F(SessionTest, CallerThatWantsTheConnectionClosedGetsThat) {
    start();
    RawClient client(*this);
    client.send("GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" + hello);
    const auto text = client.rest();
    EXPECT_NE(text.find("\r\nConnection: close\r\n"), std::string::npos);
    EXPECT_EQ(text.find("HTTP/1.1", 1), std::string::npos) << "the second request is not answered";
}

TEST_F(SessionTest, HalfClosedCallerStillGetsItsAnswer) {
    start();
    RawClient client(*this);
    client.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
    client.close_sending_half();
    until([this] { return held == 1; });
    release();
    EXPECT_TRUE(client.rest().ends_with(R"("held")"));
    until([this] { return server->connections() == 0; });
}

TEST_F(SessionTest, HandlerOutlivesACallerThatHungUp) {
    start();
    RawClient client(*this);
    client.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
    until([this] { return held == 1; });
    client.close();
    EXPECT_EQ(server->connections(), 1U);
    release();
    until([this] { return server->connections() == 0; });
}

TEST_F(SessionTest, RequestCutShortIsRefused) {
    start();
    for (const auto* bytes : {"GET /hello HT", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel",
                              "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
        RawClient client(*this);
        client.send(bytes);
        client.close_sending_half();
        EXPECT_TRUE(client.rest().starts_with("HTTP/1.1 400 Bad Request\r\n")) << bytes;
    }
    EXPECT_TRUE(bodies.empty());
}

TEST_F(SessionTest, ConnectionWithoutARequestEndsWithoutAWord) {
    start();
    RawClient client(*this);
    client.close_sending_half();
    EXPECT_EQ(client.rest(), "");
    EXPECT_EQ(log.count("http.refused"), 0U);
}

TEST_F(SessionTest, BodyIsAskedForOnlyWhenItWillBeRead) {
    start();
    RawClient client(*this);
    client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    until([&] { return client.received() == "HTTP/1.1 100 Continue\r\n\r\n"; });
    client.send("hello");
    until([&] { return client.received().ends_with("hello"); });
    EXPECT_EQ(client.received().find("HTTP/1.1 200 OK"), 25U);

    RawClient refused(*this);
    refused.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_TRUE(refused.rest().starts_with("HTTP/1.1 413 "));
}

TEST_F(SessionTest, BodyThatIsAlreadyComingIsNotAskedFor) {
    start();
    RawClient client(*this);
    EXPECT_EQ(client.ask(post("hello", "Expect: 100-continue\r\n")).status, 200U);
}

TEST_F(SessionTest, ExceptionOfAHandlerIs500AndTheConnectionStays) {
    start();
    RawClient client(*this);
    const auto answer = client.ask("GET /throw HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-5\r\n\r\n");
    EXPECT_EQ(answer.status, 500U);
    EXPECT_EQ(answer.code(), "internal_error");
    EXPECT_EQ(answer.body.find("broke"), std::string::npos) << "what() is for the log";
    EXPECT_TRUE(log.has("error http.exception"));
    EXPECT_TRUE(log.has("request=r-5 path=/throw detail=\"the handler broke\""));
    EXPECT_EQ(client.ask(hello).status, 200U);
}

TEST_F(SessionTest, DroppedAnswerSendsNotAByte) {
    start();
    RawClient client(*this);
    client.send("GET /drop HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.rest(), "");
    until([this] { return server->connections() == 0; });
}

TEST_F(SessionTest, LargeAnswerIsTakenAtTheCallersPace) {
    start();
    RawClient client(*this);
    client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n" + hello);
    EXPECT_EQ(client.answer().body.size(), 16U << 20U);
    EXPECT_EQ(client.answer().body, R"("hello")");
}

TEST_F(SessionTest, AnswerIsNotWaitedForForEver) {
    start();
    RawClient client(*this);
    client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    let_expire(options.write_time);
    until([this] { return server->connections() == 0; });
    EXPECT_LT(client.rest().size(), 16U << 20U);
}

TEST_F(SessionTest, AccessLogHasTheRouteAndNothingOfWhatWasSent) {
    start();
    ask(*this,
        "GET /items/4111111111111111?cpf=12345678909 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k3y\r\n"
        "X-Request-Id: r-1\r\n\r\n");
    ask(*this, "GET /card4111?cpf=12345678909 HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(
        log.has(
            "debug http.request listener=test request=r-1 method=GET path=\"/items/{id}\" httpStatus=200 durationMs=0 "
            "remote=127.0.0.1") ||
        log.has("debug http.request listener=test request=r-1 method=GET path=/items/{id} httpStatus=200 durationMs=0 "
                "remote=127.0.0.1"));
    EXPECT_EQ(log.count("http.request"), 2U);
    for (const auto* secret : {"4111", "12345678909", "k3y", "cpf"})
        EXPECT_FALSE(log.has(secret)) << secret;
}

TEST_F(SessionTest, AccessLogHasARequestWhoseCallerIsGone) {
    start();
    RawClient client(*this);
    client.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
    until([this] { return held == 1; });
    client.close();
    release();
    until([this] { return log.count("http.request") == 1; });
}

TEST_F(SessionTest, AccessLogHasTheTimeThatTheHandlerTook) {
    start();
    RawClient client(*this);
    client.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
    until([this] { return held == 1; });
    clock.advance(Duration(1234));
    release();
    client.answer();
    EXPECT_TRUE(log.has("durationMs=1234"));
}

TEST_F(SessionTest, RefusalIsLoggedWithItsReasonAndWithoutWhatWasSent) {
    start();
    ask(*this, "GET /secret HTTP/1.1\r\nX-Request-Id: r-2\r\n\r\n");
    EXPECT_TRUE(log.has("info http.refused listener=test request=r-2 detail=\"Host is missing\" remote=127.0.0.1"));
    EXPECT_EQ(log.count("http.request"), 0U);
    EXPECT_FALSE(log.has("secret"));
}

}  // namespace
}  // namespace gateway::http
