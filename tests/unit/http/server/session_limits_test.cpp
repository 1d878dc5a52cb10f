// Tests what a session refuses: shapes that two readers could understand in two ways, too much, and too slow.
#include "unit/http/server/rig.hpp"

namespace gateway::http {
namespace {

class SessionLimitsTest : public testing::Test, public Rig {
  protected:
    // Returns the problem that these bytes get. Afterwards the connection must be closed.
    Answer refused(std::string_view bytes) {
        RawClient client(*this);
        client.send(bytes);
        const auto answer = client.answer();
        EXPECT_EQ(answer.field("Connection"), "close");
        EXPECT_EQ(answer.field("Content-Type"), "application/problem+json");
        EXPECT_EQ(client.rest(), "") << "nothing is answered after a refusal";
        return answer;
    }
};

TEST_F(SessionLimitsTest, AmbiguousRequestsAreRefusedAndWhatFollowsThemIsNotRead) {
    start();
    const std::string begin = "POST /echo HTTP/1.1\r\nHost: x\r\n";
    const std::string smuggled = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";
    for (const auto& shape : {
             begin + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
             begin + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
             begin + "Content-Length: 0\r\nContent-Length: 44\r\n\r\n",
             begin + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
             begin + "Content-Length: 0, 0\r\n\r\n",
             begin + "Content-Length : 0\r\n\r\n",
             begin + "Content-Length: +0\r\n\r\n",
             begin + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
             begin + "Transfer-Encoding: x\r\n chunked\r\n\r\n0\r\n\r\n",
             begin + "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n",
             begin + "Transfer-Encoding: chunked\r\n\r\n1\nA\r\n0\r\n\r\n",
             begin + "Transfer-Encoding: chunked\r\n\r\n0x1\r\nA\r\n0\r\n\r\n",
             begin + "Transfer-Encoding: chunked\r\n\r\n1\r\nAB0\r\n\r\n",
             begin + "Transfer-Encoding: chunked\r\n\r\n1 \r\nA\r\n0\r\n\r\n",
             begin + "X: a\r\n Content-Length: 44\r\n\r\n",
             begin + "X: a\rContent-Length: 44\r\n\r\n",
             begin + "X: a\nContent-Length: 44\r\n\r\n",
             begin + "Host: y\r\n\r\n",
             std::string("GET /hello HTTP/1.1\r\n\r\n"),
             std::string("GET /hello HTTP/1.1\nHost: x\n\n"),
             std::string("GET /hel\x01lo HTTP/1.1\r\nHost: x\r\n\r\n"),
             std::string("GET /%0 HTTP/1.1\r\nHost: x\r\n\r\n"),
         }) {
        const auto answer = refused(shape + smuggled);
        EXPECT_EQ(answer.status, 400U) << shape;
        EXPECT_EQ(answer.code(), "bad_request") << shape;
    }
    const auto coded = refused(begin + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + smuggled);
    EXPECT_EQ(coded.status, 501U);
    EXPECT_EQ(coded.code(), "not_implemented");
    EXPECT_TRUE(bodies.empty());
    EXPECT_EQ(log.count("http.request"), 0U);
}

TEST_F(SessionLimitsTest, BodyKnownToBeTooLargeIsRefusedWithoutReadingIt) {
    options.body_limit = 10;
    start();
    const auto answer = refused("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
    EXPECT_EQ(answer.status, 413U);
    EXPECT_EQ(answer.code(), "payload_too_large");
    EXPECT_EQ(answer.json().at("title").as_string(), "Content Too Large");
    EXPECT_EQ(answer.json().at("detail").as_string(),
              "the body is larger than allowed: 11 bytes were announced, and at most 10 are taken");
}

TEST_F(SessionLimitsTest, ARouteWithALimitOfItsOwnTakesMoreAndSaysItsOwnLimit) {
    options.body_limit = 10;
    options.body_limit_key = "limits.body";
    router.set_body_limit(verb::post, "/echo", 12);
    start();
    EXPECT_EQ(ask(*this, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\nabcdefghijkl").body,
              "abcdefghijkl");
    const auto answer = refused("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 13\r\n\r\n");
    EXPECT_EQ(answer.status, 413U);
    EXPECT_EQ(answer.json().at("detail").as_string(),
              "the body is larger than allowed: 13 bytes were announced, and at most 12 are taken");
    EXPECT_EQ(refused("POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n").status, 413U);
}

TEST_F(SessionLimitsTest, ACallerThatSendsTooMuchIsToldWhichKeySetsTheLimit) {
    options.body_limit = 10;
    options.body_limit_key = "limits.body";
    start();
    const std::string begin = "POST /echo HTTP/1.1\r\nHost: x\r\n";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"Content-Length: 11\r\n\r\n", ": 11 bytes were announced, and at most 10 are taken"},
        {"Transfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n6\r\n",
         ": 12 bytes were announced, and at most 10 are taken"},
        {"Content-Length: 99999999999999999999\r\n\r\n", ": at most 10 bytes are taken"},
    };
    for (const auto& [rest, numbers] : cases) {
        const auto detail =
            "the body is larger than allowed" + numbers + "; limits.body in the gateway's configuration says how many";
        EXPECT_EQ(refused(begin + rest).json().at("detail").as_string(), detail);
        EXPECT_TRUE(log.has(detail));
    }
}

TEST_F(SessionLimitsTest, BodyThatTurnsOutTooLargeIsRefused) {
    options.body_limit = 10;
    start();
    const std::string begin = "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    EXPECT_EQ(refused(begin + "6\r\nabcdef\r\n6\r\n").code(), "payload_too_large");
    EXPECT_EQ(ask(*this, begin + "5\r\nabcde\r\n5\r\nabcde\r\n0\r\n\r\n").body, "abcdeabcde");
}

TEST_F(SessionLimitsTest, CallerCanReadARefusalWhileItStillSends) {
    start();
    RawClient client(*this);
    const std::string body(8U << 20U, 'x');
    client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n" + body);
    EXPECT_EQ(client.answer().status, 413U);
    EXPECT_EQ(client.rest(), "");
}

TEST_F(SessionLimitsTest, LingeringEndsWithItsTime) {
    start();
    RawClient client(*this);
    client.send("broken\r\n\r\n");
    EXPECT_EQ(client.answer().status, 400U);
    EXPECT_EQ(server->connections(), 1U);
    EXPECT_EQ(server->busy(), 0U);
    let_expire(Duration(2'000));
    until([this] { return server->connections() == 0; });
}

TEST_F(SessionLimitsTest, LargeHeaderIs431) {
    options.header_limit = 200;
    start();
    EXPECT_EQ(refused("GET /hello HTTP/1.1\r\nHost: x\r\nA: " + std::string(200, 'a')).code(), "header_too_large");
    EXPECT_EQ(ask(*this, hello).status, 200U);
}

TEST_F(SessionLimitsTest, LongRequestLineIs414) {
    start();
    const auto answer = refused("GET /" + std::string(9000, 'a'));
    EXPECT_EQ(answer.status, 414U);
    EXPECT_EQ(answer.code(), "uri_too_long");
}

TEST_F(SessionLimitsTest, HeaderThatDripsIs408WhenItsTimeIsOver) {
    start();
    RawClient client(*this);
    client.send("GET /hello HTTP/1.1\r\n");
    for (int drop = 0; drop < 9; ++drop) {
        until([this] { return asio::use_service<test::VirtualTime>(io).next() != never; });
        clock.advance(Duration(1'000));
        client.send("A: b\r\n");
        EXPECT_EQ(client.received(), "");
    }
    clock.advance(Duration(1'000));
    const auto answer = client.answer();
    EXPECT_EQ(answer.status, 408U);
    EXPECT_EQ(answer.code(), "request_timeout");
    EXPECT_EQ(answer.field("Connection"), "close");
    EXPECT_EQ(client.rest(), "");
    EXPECT_TRUE(log.has("info http.refused"));
}

TEST_F(SessionLimitsTest, BodyThatDripsIs408WhenItsTimeIsOver) {
    start();
    RawClient client(*this);
    client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n");
    for (int drop = 0; drop < 19; ++drop) {
        clock.advance(Duration(1'000));
        client.send("a");
        EXPECT_EQ(client.received(), "");
    }
    clock.advance(Duration(1'000));
    EXPECT_EQ(client.answer().status, 408U);
    EXPECT_TRUE(bodies.empty());
}

TEST_F(SessionLimitsTest, HeaderAndBodyEachHaveTheirTime) {
    start();
    RawClient client(*this);
    client.send("POST /echo HTTP/1.1\r\n");
    clock.advance(options.header_time - Duration(1));
    client.send("Host: x\r\nContent-Length: 2\r\n\r\na");
    settle();
    clock.advance(options.body_time - Duration(1));
    client.send("b");
    EXPECT_EQ(client.answer().body, "ab");
}

TEST_F(SessionLimitsTest, IdleConnectionIsClosedWithoutAWord) {
    start();
    RawClient fresh(*this);
    let_expire(options.idle_time);
    EXPECT_EQ(fresh.rest(), "");
    RawClient used(*this);
    used.ask(hello);
    clock.advance(options.idle_time - Duration(1));
    EXPECT_FALSE(used.ended());
    clock.advance(Duration(1));
    EXPECT_EQ(used.rest(), "");
    EXPECT_EQ(log.count("http.refused"), 0U);
}

TEST_F(SessionLimitsTest, IdleTimeBeginsAnewWithEachAnswer) {
    start();
    RawClient client(*this);
    for (int i = 0; i < 4; ++i) {
        clock.advance(options.idle_time - Duration(1));
        EXPECT_EQ(client.ask(hello).status, 200U);
    }
}

TEST_F(SessionLimitsTest, HandlerHasAllTheTimeItWants) {
    start();
    RawClient client(*this);
    client.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
    until([this] { return held == 1; });
    clock.advance(Duration(3'600'000));
    release();
    EXPECT_EQ(client.answer().body, R"("held")");
}

TEST_F(SessionLimitsTest, OneAddressHasOnlySoMuchKeptForIt) {
    options.bytes_per_address = 1000;
    start();
    const std::string head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n";
    RawClient first(*this);
    first.send(head + std::string(899, 'a'));
    for (const auto& part : {head + std::string(200, 'b'), "GET /hello HTTP/1.1\r\nX: " + std::string(200, 'b')}) {
        RawClient greedy(*this);
        greedy.send(part);
        EXPECT_EQ(greedy.rest(), "");
    }
    EXPECT_EQ(log.count("http.greedy"), 1U);
    EXPECT_TRUE(log.has("warn http.greedy listener=test connections=2"));
    RawClient elsewhere(*this, "127.0.0.2");
    elsewhere.send(head + std::string(899, 'c'));
    elsewhere.send("c");
    EXPECT_EQ(elsewhere.answer().status, 200U) << "another address has its own";
    RawClient whole(*this);
    whole.send(hello);
    EXPECT_EQ(whole.answer().status, 200U) << "nothing has to be kept for it";
    first.send("a");
    EXPECT_EQ(first.answer().status, 200U);
    first.send(head + std::string(900, 'd'));
    EXPECT_EQ(first.answer().status, 200U) << "what was answered is not kept any more";
}

TEST_F(SessionLimitsTest, AllTogetherHaveOnlySoMuchAndASmallRequestAlwaysHasRoom) {
    options.bytes = 18'500;  // there is room for two of these, and for no small one besides
    start();
    const std::string head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n";
    RawClient first(*this);
    RawClient second(*this, "127.0.0.2");
    for (auto* client : {&first, &second})
        client->send(head + std::string(8999, 'a'));
    until([this] { return server->connections() == 2; });
    RawClient third(*this, "127.0.0.3");
    third.send(head + std::string(8999, 'b'));
    EXPECT_EQ(third.rest(), "");
    EXPECT_TRUE(log.has("warn http.greedy listener=test connections=3"));
    RawClient small(*this, "127.0.0.4");
    small.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n" + std::string(899, 'c'));
    small.send("c");
    EXPECT_EQ(small.answer().status, 200U);
    first.send("a");
    EXPECT_EQ(first.answer().status, 200U);
}

TEST_F(SessionLimitsTest, AnswersThatAreNotTakenAreKeptUpToThatToo) {
    options.bytes_per_address = 20U << 20U;
    start();
    const std::string request = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n";
    RawClient first(*this);
    first.send(request);
    RawClient second(*this);
    second.send(request);
    until([this] { return server->connections() == 1; });
    EXPECT_EQ(first.answer().body.size(), 16U << 20U) << "the one who came first gets it";
}

TEST_F(SessionLimitsTest, ADocumentIsKeptForNobody) {
    options.bytes_per_address = 1000;
    const std::string document(16U << 20U, 'x');
    router.add(verb::get, "/document",
               [&](Request&) -> boost::asio::awaitable<Response> { co_return Response{.document = document}; });
    start();
    RawClient slow(*this);
    slow.send("GET /document HTTP/1.1\r\nHost: x\r\n\r\n" + hello);
    RawClient another(*this);
    another.send("GET /document HTTP/1.1\r\nHost: x\r\n\r\n");
    until([this] { return server->connections() == 2; });
    EXPECT_EQ(another.answer().body, document);
    EXPECT_EQ(slow.answer().body, document);
    EXPECT_EQ(slow.answer().body, R"("hello")") << "what was asked meanwhile comes after it";
    EXPECT_EQ(log.count("http.greedy"), 0U);
}

TEST_F(SessionLimitsTest, OneConnectionTooManyIsClosedAtOnce) {
    options.connections = 2;
    start();
    RawClient first(*this);
    RawClient second(*this);
    RawClient third(*this);
    RawClient fourth(*this);
    EXPECT_EQ(third.rest(), "");
    EXPECT_EQ(fourth.rest(), "");
    EXPECT_EQ(server->connections(), 2U);
    EXPECT_EQ(log.count("warn http.full"), 1U);
    first.close();
    until([this] { return server->connections() == 1; });
    EXPECT_EQ(ask(*this, hello).status, 200U);
    EXPECT_EQ(second.ask(hello).status, 200U);
}

}  // namespace
}  // namespace gateway::http
