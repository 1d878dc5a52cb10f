#include "http/client/https_client.hpp"

#include "unit/http/client/rig.hpp"
#include "unit/support/certificates.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace http;
using namespace std::chrono_literals;
using namespace testing;
using boost::asio::awaitable;
using Kind = Reply::Kind;

using HttpsClientExchange = HttpsClientTest;

TEST_F(HttpsClientExchange, CarriesARequestAndItsAnswer) {
    serve([this](Peer& peer) -> awaitable<void> {
        requests.push_back(co_await peer.request());
        co_await peer.answer(R"({"a":1})", "Retry-After: 9\r\n", "201 Created");
    });
    const auto reply = exchange();
    EXPECT_EQ(reply.kind, Kind::answered);
    EXPECT_EQ(reply.status, 201u);
    EXPECT_EQ(reply.content_type, "application/json");
    EXPECT_EQ(reply.body, R"({"a":1})");
    EXPECT_EQ(reply.retry_after, 9s);
    EXPECT_FALSE(reply.failure);
    EXPECT_THAT(requests,
                ElementsAre("POST /venda/tv/solicitar HTTP/1.1\r\nHost: provider.example:0\r\n"
                            "Accept: application/json\r\nAccept-Encoding: identity\r\nAuthorization: Bearer t0ken\r\n"
                            "Content-Type: application/json\r\nContent-Length: 16\r\n\r\n"
                            R"({"valor":"1099"})"));
}

TEST_F(HttpsClientExchange, AReservationThatIsNotUsedGivesTheConnectionBack) {
    serve_answers();
    std::optional<Result<std::unique_ptr<Reservation>>> reserved;
    boost::asio::co_spawn(io, open().reserve(clock.now() + patience),
                          [&](const std::exception_ptr&, Result<std::unique_ptr<Reservation>> result) {
                              reserved.emplace(std::move(result));
                          });
    run_until([&] { return reserved.has_value(); });
    ASSERT_TRUE(reserved->has_value());
    EXPECT_EQ(open().stats().idle, 0u);
    reserved.reset();
    EXPECT_EQ(open().stats().idle, 1u);
    EXPECT_TRUE(requests.empty());
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(open().stats().opened, 1u) << "the connection is as good as new";
}

TEST_F(HttpsClientExchange, AnIdleConnectionThatIsResetOnceItIsReservedIsStale) {
    boost::asio::steady_timer resetting(io, never);
    serve([&](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        co_await peer.answer("{}");
        co_await resetting.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        peer.reset();
    });
    serve_answers();
    exchange();
    const auto sending = [&]() -> awaitable<Reply> {
        auto reserved = co_await open().reserve(clock.now() + patience);
        resetting.cancel();
        while (server.finished == 0)
            co_await boost::asio::post(boost::asio::use_awaitable);
        auto sent = (*reserved)->send(post(), clock.now() + patience);
        co_return co_await std::move(sent);
    };
    std::optional<Reply> reply;
    boost::asio::co_spawn(io, sending(), [&](const std::exception_ptr&, Reply got) { reply = std::move(got); });
    run_until([&] { return reply.has_value(); });
    EXPECT_EQ(reply->kind, Kind::nothing_sent);
    EXPECT_EQ(reply->failure, errc::stale_connection);
    EXPECT_EQ(exchange().status, 200u) << "on another one";
    EXPECT_EQ(server.accepted, 2);
}

TEST_F(HttpsClientExchange, LargeRequestsAndAnswersGetThroughInPieces) {
    const std::string large(8'000'000, 'x');
    options.limits.body = large.size();
    serve([&](Peer& peer) -> awaitable<void> {
        const auto request = co_await peer.request();
        EXPECT_TRUE(request.ends_with("\r\n\r\n" + large));
        co_await peer.answer(large);
    });
    EXPECT_EQ(exchange(post(large)).body, large);
}

TEST_F(HttpsClientExchange, RedirectsAreNotFollowed) {
    serve([this](Peer& peer) -> awaitable<void> {
        requests.push_back(co_await peer.request());
        co_await peer.answer("", "Location: /elsewhere\r\n", "307 Temporary Redirect");
        requests.push_back(co_await peer.request());
    });
    EXPECT_EQ(exchange().status, 307u);
    clock.settle();
    EXPECT_EQ(requests.size(), 1u);
}

TEST_F(HttpsClientExchange, ASlowAnswerIsTakenWhileThereIsTime) {
    serve([this](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        for (const char c : std::string("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")) {
            clock.jump(300ms);
            co_await peer.send(std::string(1, c));
            co_await boost::asio::post(boost::asio::use_awaitable);
        }
    });
    const Instant begun = clock.now();
    EXPECT_EQ(exchange().body, "{}");
    EXPECT_GT(clock.now() - begun, 10s);
}

TEST_F(HttpsClientExchange, SaysNothingOfTargetsBodiesAndTokens) {
    serve_answers();
    auto request = post(R"({"cpf":"52998224725"})");
    request.target = "/venda/transporte/metro/consulta-valores/0042/metro/6011123456789012";
    exchange(request);
    EXPECT_TRUE(log.has("debug transport.exchange service=provider call=\"tv solicitar\" httpStatus=200 sent=true"));
    for (const char* secret : {"6011", "5299", "t0ken", "consulta"})
        EXPECT_FALSE(log.has(secret)) << secret;
}

using HttpsClientLoss = HttpsClientTest;

TEST_F(HttpsClientLoss, NoAnswerInTimeIsLost) {
    serve([this](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        clock.jump(patience);
        co_await peer.closed();
    });
    const auto reply = exchange();
    EXPECT_EQ(reply.kind, Kind::lost);
    EXPECT_EQ(reply.failure, errc::timed_out);
    EXPECT_EQ(open().stats().open, 0u);
}

TEST_F(HttpsClientLoss, AnAnswerThatDripsBeyondTheDeadlineIsLost) {
    serve([this](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        co_await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{");
        clock.jump(patience);
        co_await peer.closed();
    });
    EXPECT_EQ(exchange().failure, errc::timed_out);
}

TEST_F(HttpsClientLoss, ARequestThatIsNotTakenInTimeIsLost) {
    serve([this](Peer& peer) -> awaitable<void> {
        co_await peer.receive();  // receives a part of it
        clock.jump(patience);
        co_await clock.sleep_for(1h);
    });
    const auto reply = exchange(post(std::string(32'000'000, 'x')));
    EXPECT_EQ(reply.kind, Kind::lost);
    EXPECT_EQ(reply.failure, errc::timed_out);
}

TEST_F(HttpsClientLoss, AnAnswerThatIsCutAnywhereIsLost) {
    const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    for (std::size_t size = 0; size < answer.size(); ++size)
        serve_text(answer.substr(0, size));
    for (std::size_t size = 0; size < answer.size(); ++size) {
        const auto reply = exchange();
        EXPECT_EQ(reply.kind, Kind::lost) << size;
        EXPECT_EQ(reply.failure, errc::connection_lost) << size;
    }
}

TEST_F(HttpsClientLoss, AResetIsLost) {
    for (const char* begun : {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n\r\n{}"})
        serve([begun](Peer& peer) -> awaitable<void> {
            co_await peer.request();
            co_await peer.send(begun);
            peer.reset();
        });
    for (int i = 0; i < 3; ++i) {
        const auto reply = exchange();
        EXPECT_EQ(reply.kind, Kind::lost);
        EXPECT_EQ(reply.failure, errc::connection_lost);
    }
}

TEST_F(HttpsClientLoss, WhatMakesNoSenseIsLost) {
    serve_text("SSH-2.0-OpenSSH_9.2\r\n");
    serve_text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
    for (int i = 0; i < 2; ++i) {
        const auto reply = exchange();
        EXPECT_EQ(reply.kind, Kind::lost);
        EXPECT_EQ(reply.failure, errc::malformed);
    }
}

TEST_F(HttpsClientLoss, AnAnswerBeyondTheLimitIsLost) {
    options.limits = {1024, 4096};
    serve_text("HTTP/1.1 200 OK\r\nContent-Length: 4097\r\n\r\n");
    serve_text("HTTP/1.1 200 OK\r\nX: " + std::string(5000, 'x') + "\r\n\r\n");
    serve_text("HTTP/1.1 200 OK\r\n\r\n" + std::string(5000, 'x'));
    for (int i = 0; i < 3; ++i) {
        const auto reply = exchange();
        EXPECT_EQ(reply.kind, Kind::lost);
        EXPECT_EQ(reply.failure, errc::answer_too_large);
    }
}

TEST_F(HttpsClientLoss, ARequestMayHaveALimitOfItsOwn) {
    options.limits = {1024, 4096};
    auto list = post();
    list.answer_limit = 8192;
    serve_text("HTTP/1.1 200 OK\r\nContent-Length: 8192\r\n\r\n" + std::string(8192, 'x'));
    EXPECT_EQ(exchange(list).body.size(), 8192u);
    serve_text("HTTP/1.1 200 OK\r\nContent-Length: 8193\r\n\r\n");
    EXPECT_EQ(exchange(list).failure, errc::answer_too_large);
    serve_text("HTTP/1.1 200 OK\r\nContent-Length: 4097\r\n\r\n");
    EXPECT_EQ(exchange().failure, errc::answer_too_large) << "and no other";
}

TEST_F(HttpsClientLoss, NothingIsSentASecondTime) {
    serve([this](Peer& peer) -> awaitable<void> {
        requests.push_back(co_await peer.request());
        co_await peer.answer("{}");
        requests.push_back(co_await peer.request());
        peer.close();
    });
    exchange();
    EXPECT_EQ(exchange().kind, Kind::lost);
    clock.settle();
    EXPECT_EQ(requests.size(), 2u);
    EXPECT_EQ(server.accepted, 1);
}

// Ends the world while an exchange may be waiting for anything.
void end_after(int handlers, bool secure) {
    const Authority authority;
    const auto certificate = authority.issue("DNS:provider.example");
    boost::asio::ssl::context tls(boost::asio::ssl::context::tls_server);
    tls.use_certificate_chain(boost::asio::buffer(certificate.cert));
    tls.use_private_key(boost::asio::buffer(certificate.key), boost::asio::ssl::context::pem);
    SeededRandom random;
    MemoryLog log;
    boost::asio::io_context io;
    VirtualClock clock(io);
    ScriptedServer server(io, secure ? &tls : nullptr);
    server.sessions.push_back([](Peer& peer) -> awaitable<void> {
        for (;;) {
            co_await peer.request();
            co_await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
            co_await peer.send("{}");
        }
    });
    HttpsClientOptions options;
    options.origin = {secure, "provider.example", 443};
    options.connecting_max = 2;
    options.look_up = [&]() -> awaitable<Result<Addresses::Endpoints>> {
        co_await boost::asio::post(boost::asio::use_awaitable);
        co_return Addresses::Endpoints{server.endpoint()};
    };
    if (secure) {
        TlsClientOptions client;
        client.ca_file = temporary_file(authority.pem());
        options.tls = *TlsClient::make(client);
    }
    HttpsClient transport(io.get_executor(), options, clock, random, log);
    const auto request = post();
    for (int i = 0; i < 4; ++i)
        boost::asio::co_spawn(io, http::exchange(transport, request, clock.now() + patience),
                              [](const std::exception_ptr&, const Reply&) {});
    while (handlers-- > 0 && io.poll_one() > 0) {
    }
}

TEST(HttpsClientEnd, MayComeAtAnyMomentOfAnExchange) {
    for (int handlers = 0; handlers < 150; handlers += 1)
        end_after(handlers, false);
}

TEST(HttpsClientEnd, MayComeAtAnyMomentOfTls) {
    for (int handlers = 0; handlers < 200; handlers += 3)
        end_after(handlers, true);
}

using HttpsClientEnding = HttpsClientTest;

TEST_F(HttpsClientEnding, ExchangesUnderWayOutliveTheClient) {
    options.connections_max = 1;
    serve([](Peer& peer) -> awaitable<void> { co_await peer.closed(); });
    const auto under_way = begin();
    const auto waiting = begin();
    clock.settle();
    transport.reset();
    clock.settle();
    EXPECT_EQ(waiting->reply->kind, Kind::nothing_sent);
    EXPECT_EQ(waiting->reply->failure, errc::shutting_down);
    EXPECT_FALSE(under_way->reply) << "its end is the io_context's";
}

}  // namespace
}  // namespace gateway::test
