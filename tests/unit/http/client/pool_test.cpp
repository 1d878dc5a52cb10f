#include "http/client/pool.hpp"

#include "unit/http/client/rig.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>
#include <malloc.h>

namespace gateway::test {
namespace {

using namespace http;
using namespace std::chrono_literals;
using namespace testing;
using boost::asio::awaitable;
using Kind = Reply::Kind;

using PoolOpening = HttpsClientTest;

TEST_F(PoolOpening, ARefusedConnectionSendsNothing) {
    const ClosedDoor door(io);
    endpoints = {door.acceptor.local_endpoint()};
    const auto reply = exchange();
    EXPECT_EQ(reply.kind, Kind::nothing_sent);
    EXPECT_EQ(reply.failure, errc::unreachable);
    EXPECT_THAT(open().trouble(), HasSubstr("Connection refused"));
    EXPECT_EQ(open().stats().open, 0u);
}

TEST_F(PoolOpening, AConnectionThatTakesTooLongSendsNothing) {
    const BlackHole hole(io);
    endpoints = {hole.acceptor.local_endpoint()};
    const auto call = begin();
    clock.settle();
    clock.jump(options.connect_timeout - 1ms);
    clock.settle();
    EXPECT_FALSE(call->reply);
    clock.jump(1ms);
    const auto reply = finish(call);
    EXPECT_EQ(reply.kind, Kind::nothing_sent);
    EXPECT_EQ(reply.failure, errc::unreachable);
}

TEST_F(PoolOpening, AnAddressThatSwallowsEverythingCostsLessThanASecond) {
    const ClosedDoor door(io);
    const BlackHole hole(io);
    endpoints = {hole.acceptor.local_endpoint(), door.acceptor.local_endpoint(), server.endpoint()};
    serve_answers();
    const auto call = begin();
    clock.settle();
    clock.jump(250ms);
    EXPECT_EQ(finish(call).status, 200u);
    EXPECT_EQ(open().stats().connecting, 0u);
    run_until([&] { return open().stats().open == 1u; });  // the attempt that lost is dropped
    open().close_idle();
    EXPECT_EQ(exchange().status, 200u) << "the address that worked comes first, so this one needs no time";
    EXPECT_EQ(server.accepted, 2);
}

TEST_F(PoolOpening, AnAddressThatTakesTheConnectionAndSaysNothingMoreCostsNoMore) {
    ScriptedServer silent(io);
    silent.sessions.push_back([](Peer& peer) { return peer.closed(); });
    options.proxy = {.url = "http://proxy.store:3128", .host = "proxy.store", .port = 3128};
    endpoints = {silent.endpoint(), server.endpoint()};
    serve([](Peer& peer) -> boost::asio::awaitable<void> {
        co_await peer.request();
        co_await peer.send("HTTP/1.1 200 OK\r\n\r\n");
        co_await peer.request();
        co_await peer.answer("{}");
    });
    const auto call = begin();
    run_until([&] { return silent.accepted == 1; });
    clock.settle();
    clock.jump(250ms);
    EXPECT_EQ(finish(call).status, 200u);
    run_until([&] { return silent.finished == 1; });
}

TEST_F(PoolOpening, TheNextAddressIsTriedAtOnceWhereTheFirstRefuses) {
    const ClosedDoor door(io);
    endpoints = {door.acceptor.local_endpoint(), server.endpoint()};
    serve_answers();
    EXPECT_EQ(exchange().status, 200u);
}

TEST_F(PoolOpening, AnAddressThatAnswersInTimeIsTheOnlyOneThatIsAsked) {
    ScriptedServer other(io);
    other.sessions.push_back([](Peer& peer) { return peer.closed(); });
    endpoints = {server.endpoint(), other.endpoint()};
    serve_answers();
    EXPECT_EQ(exchange().status, 200u);
    clock.settle();
    clock.jump(1s);
    clock.settle();
    EXPECT_EQ(other.accepted, 0);
}

TEST_F(PoolOpening, WhereNoAddressWorksTheTimeToConnectIsTheSame) {
    const BlackHole hole(io);
    const BlackHole other(io);
    endpoints = {hole.acceptor.local_endpoint(), other.acceptor.local_endpoint()};
    const auto call = begin();
    clock.settle();
    clock.jump(250ms);
    clock.settle();
    clock.jump(options.connect_timeout - 251ms);
    clock.settle();
    EXPECT_FALSE(call->reply);
    clock.jump(1ms);
    EXPECT_EQ(finish(call).failure, errc::unreachable);
    EXPECT_THAT(open().trouble(), HasSubstr("no connection in time"));
    EXPECT_EQ(open().stats().open, 0u);
}

TEST_F(PoolOpening, ANameWithoutAddressesSendsNothing) {
    options.look_up = []() -> awaitable<Result<Addresses::Endpoints>> { co_return errc::unreachable; };
    const auto reply = exchange();
    EXPECT_EQ(reply.kind, Kind::nothing_sent);
    EXPECT_EQ(reply.failure, errc::unreachable);
    EXPECT_THAT(open().trouble(), HasSubstr("no address found for provider.example"));
}

TEST_F(PoolOpening, ALookUpThatHangsIsCutShort) {
    options.look_up = [this]() -> awaitable<Result<Addresses::Endpoints>> {
        co_await clock.sleep_for(1h);
        co_return errc::unreachable;
    };
    const auto call = begin(post(), 2s);
    clock.advance(2s);
    EXPECT_EQ(finish(call).kind, Kind::nothing_sent);
}

TEST_F(PoolOpening, ADeadlineThatIsOverSendsNothing) {
    serve_answers();
    const auto reply = exchange(post(), 0s);
    EXPECT_EQ(reply.kind, Kind::nothing_sent);
    EXPECT_EQ(reply.failure, errc::timed_out);
    clock.settle();
    EXPECT_EQ(server.accepted, 0);
}

TEST_F(PoolOpening, ARequestThatCannotBeWrittenDownIsNotSent) {
    serve_answers();
    auto request = post();
    request.accept = "a\r\nX: y";
    const auto reply = exchange(request);
    EXPECT_EQ(reply.kind, Kind::nothing_sent);
    EXPECT_EQ(reply.failure, errc::malformed);
}

TEST_F(PoolOpening, AfterFiveFailuresNobodyTriesForAWhile) {
    ClosedDoor door(io);
    endpoints = {door.acceptor.local_endpoint()};
    for (int i = 0; i < 5; ++i)
        exchange();
    EXPECT_EQ(open().stats().circuit, Circuit::State::open);
    door.acceptor.listen();  // the provider is back
    EXPECT_EQ(exchange().failure, errc::unreachable);
    boost::system::error_code nobody;
    door.acceptor.non_blocking(true);
    door.acceptor.accept(nobody);
    EXPECT_EQ(nobody, boost::asio::error::would_block);
}

TEST_F(PoolOpening, ThenOneTriesForAll) {
    const ClosedDoor door(io);
    endpoints = {door.acceptor.local_endpoint()};
    for (int i = 0; i < 5; ++i)
        exchange();
    endpoints.clear();
    serve_answers();
    clock.advance(61s);  // this is the circuit's time, and the age of the addresses
    const auto probe = begin();
    const auto other = begin();
    EXPECT_EQ(finish(other).failure, errc::unreachable);
    EXPECT_EQ(finish(probe).status, 200u);
    EXPECT_EQ(open().stats().circuit, Circuit::State::closed);
    EXPECT_THAT(open().trouble(), IsEmpty());
    EXPECT_EQ(exchange().status, 200u);
}

TEST_F(PoolOpening, ACallerWithLittleTimeProvesNothing) {
    const BlackHole hole(io);
    endpoints = {hole.acceptor.local_endpoint()};
    for (int i = 0; i < 10; ++i) {
        const auto call = begin(post(), 100ms);
        clock.settle();
        clock.jump(100ms);
        finish(call);
    }
    EXPECT_EQ(open().stats().circuit, Circuit::State::closed);
}

using PoolUse = HttpsClientTest;

TEST_F(PoolUse, AConnectionIsUsedAgain) {
    serve_answers();
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(server.accepted, 1);
    const auto stats = open().stats();
    EXPECT_EQ(stats.opened, 1u);
    EXPECT_EQ(stats.reused, 4u);
    EXPECT_EQ(stats.open, 1u);
    EXPECT_EQ(stats.idle, 1u);
    EXPECT_TRUE(log.has("reused=true"));
}

TEST_F(PoolUse, TheOneUsedLastIsUsedFirst) {
    serve_answers();
    const auto first = begin();
    const auto second = begin();
    finish(first);
    finish(second);
    ASSERT_EQ(open().stats().idle, 2u);
    clock.advance(10s);
    exchange();
    clock.advance(6s);
    EXPECT_EQ(open().stats().idle, 1u) << "the other one has been idle for 16 s";
}

TEST_F(PoolUse, AConnectionThatThePeerClosedMeanwhileIsNotUsed) {
    boost::asio::steady_timer closing(io, never);
    serve([&closing](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        co_await peer.answer("{}");
        co_await closing.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        peer.close();
    });
    serve_answers();
    exchange();
    EXPECT_EQ(open().stats().idle, 1u);
    closing.cancel();
    run_until([&] { return server.finished == 1; });
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(server.accepted, 2);
}

TEST_F(PoolUse, AConnectionOnWhichThePeerSpeaksUnaskedIsNotUsed) {
    serve([](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        co_await peer.answer("{}");
        co_await peer.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n");
        co_await peer.closed();
    });
    serve_answers();
    exchange();
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(server.accepted, 2);
}

TEST_F(PoolUse, ManyDeadConnectionsCostNoSale) {
    serve([](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        co_await peer.answer("{}");
    });
    std::vector<std::shared_ptr<Call>> calls;
    for (int i = 0; i < 20; ++i)
        calls.push_back(begin());
    for (const auto& call : calls)
        finish(call);
    run_until([&] { return server.finished == 20; });
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(server.accepted, 21);
}

TEST_F(PoolUse, AConnectionIsNotUsedAgainWhereThePeerSaysSo) {
    for (const char* header : {"Connection: close\r\n", "Keep-Alive: timeout=1\r\n"})
        serve([header](Peer& peer) -> awaitable<void> {
            co_await peer.request();
            co_await peer.answer("{}", header);
            co_await peer.closed();
        });
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(exchange().status, 200u);
        EXPECT_EQ(open().stats().open, 0u);
    }
}

TEST_F(PoolUse, AConnectionWithMoreThanItsAnswerIsNotUsedAgain) {
    serve_text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n");
    EXPECT_EQ(exchange().body, "{}");
    EXPECT_EQ(open().stats().open, 0u);
}

TEST_F(PoolUse, IdleConnectionsAreClosed) {
    serve_answers();
    exchange();
    clock.advance(options.idle_max);
    EXPECT_EQ(open().stats().open, 0u);
    run_until([&] { return server.finished == 1; });
}

TEST_F(PoolUse, APeerThatKeepsConnectionsShorterIsHeeded) {
    serve([](Peer& peer) -> awaitable<void> {
        for (;;) {
            co_await peer.request();
            co_await peer.answer("{}", "Keep-Alive: timeout=5\r\n");
        }
    });
    exchange();
    clock.advance(3s);
    exchange();
    EXPECT_EQ(server.accepted, 1);
    clock.advance(4s);
    exchange();
    EXPECT_EQ(server.accepted, 2);
}

TEST_F(PoolUse, OnePeersHintDoesNotWaitForTheOthersEnd) {
    std::shared_ptr<Call> first;
    serve_answers();  // it was idle for 15 s
    serve([&first](Peer& peer) -> awaitable<void> {
        for (;;) {
            co_await peer.request();
            while (!first->reply)
                co_await boost::asio::post(boost::asio::use_awaitable);
            co_await peer.answer("{}", "Keep-Alive: timeout=5\r\n");
        }
    });
    first = begin();
    const auto second = begin();
    finish(first);
    finish(second);
    clock.advance(4500ms);
    ASSERT_EQ(open().stats().idle, 2u);
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(requests.size(), 2u) << "on the connection that was used longer ago, and is good for longer";
}

TEST_F(PoolUse, MoreExchangesThanConnectionsWaitForTheirTurn) {
    options.connections_max = 1;
    serve_answers();
    std::vector<std::shared_ptr<Call>> calls;
    for (int i = 0; i < 20; ++i)
        calls.push_back(begin(post(std::to_string(100 + i))));
    clock.settle();
    for (const auto& call : calls)
        EXPECT_EQ(finish(call).status, 200u);
    EXPECT_EQ(server.accepted, 1);
    EXPECT_EQ(open().stats().reused, 19u);
    ASSERT_EQ(requests.size(), 20u);
    EXPECT_TRUE(std::is_sorted(requests.begin(), requests.end())) << "first come, first served";
}

TEST_F(PoolUse, AnyoneWhoWaitsInVainLeavesTheTurnToTheNext) {
    options.connections_max = 1;
    serve([this](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        clock.jump(3s);
        co_await boost::asio::post(boost::asio::use_awaitable);
        co_await peer.answer("{}");
        co_await peer.request();
        co_await peer.answer("{}");
        co_await peer.closed();
    });
    const auto first = begin();
    const auto impatient = begin(post(), 2s);
    const auto patient = begin();
    const auto reply = finish(impatient);
    EXPECT_EQ(reply.kind, Kind::nothing_sent);
    EXPECT_EQ(reply.failure, errc::timed_out);
    EXPECT_EQ(finish(first).status, 200u);
    EXPECT_EQ(finish(patient).status, 200u);
}

TEST_F(PoolUse, ATurnThatComesTooLateIsTheNextOnes) {
    options.connections_max = 1;
    serve_answers();
    const auto request = post();
    boost::asio::co_spawn(io, http::exchange(open(), request, clock.now() + patience),
                          [&](const std::exception_ptr&, const Reply&) {
                              clock.jump(2s);  // the connection has just been offered to the impatient one
                          });
    const auto impatient = begin(post(), 2s);
    const auto patient = begin();
    EXPECT_EQ(finish(patient).status, 200u);
    EXPECT_EQ(impatient->reply->failure, errc::timed_out);
}

TEST_F(PoolUse, NobodyOvertakesThoseWhoWait) {
    options.connections_max = 1;
    serve_answers();
    std::vector<std::shared_ptr<Call>> calls;
    const auto request = post("1");
    boost::asio::co_spawn(io, http::exchange(open(), request, clock.now() + patience),
                          [&](const std::exception_ptr&, const Reply&) { calls.push_back(begin(post("4"))); });
    calls.push_back(begin(post("2")));
    calls.push_back(begin(post("3")));
    run_until([&] { return requests.size() == 4; });
    EXPECT_TRUE(std::is_sorted(requests.begin(), requests.end()));
    for (std::size_t i = 0; i < calls.size(); ++i)
        EXPECT_EQ(finish(calls[i]).status, 200u);
}

TEST_F(PoolUse, AConnectionThatIsLostMakesRoomForAnother) {
    options.connections_max = 1;
    serve([](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        peer.reset();
    });
    serve_answers();
    const auto first = begin();
    const auto second = begin();
    EXPECT_EQ(finish(first).kind, Kind::lost);
    EXPECT_EQ(finish(second).status, 200u);
}

TEST_F(PoolUse, OnlySoManyConnectAtOnce) {
    options.connecting_max = 2;
    serve_answers();
    std::vector<std::shared_ptr<Call>> calls;
    std::size_t most = 0;
    for (int i = 0; i < 20; ++i)
        calls.push_back(begin());
    io.restart();
    run_until([&] {
        most = std::max(most, open().stats().connecting);
        return std::all_of(calls.begin(), calls.end(), [](const auto& call) { return call->reply.has_value(); });
    });
    EXPECT_EQ(most, 2u);
    for (const auto& call : calls)
        EXPECT_EQ(call->reply->status, 200u);
}

TEST_F(PoolUse, AnOutageIsToldToAllWhoWaitToConnect) {
    const ClosedDoor door(io);
    endpoints = {door.acceptor.local_endpoint()};
    options.connecting_max = 1;
    std::vector<std::shared_ptr<Call>> calls;
    for (int i = 0; i < 50; ++i)
        calls.push_back(begin());
    for (const auto& call : calls)
        EXPECT_EQ(finish(call).failure, errc::unreachable);
    EXPECT_EQ(open().stats().waiting, 0u);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)  // clang builds the tests only with the sanitizer
constexpr bool counts_memory = false;
#else
constexpr bool counts_memory = true;
#endif

TEST_F(PoolUse, AWaitingExchangeHoldsLittleMemory) {
    if (!counts_memory) GTEST_SKIP() << "the sanitizer keeps the memory's books";
    ClosedDoor silent(io);  // connections are made, but nobody ever accepts them
    silent.acceptor.listen();
    endpoints = {silent.acceptor.local_endpoint()};
    constexpr int exchanges = 500;
    std::vector<std::shared_ptr<Call>> calls(exchanges);
    const auto request = post(std::string(1000, 'x'));
    calls[0] = begin(request, 1h);
    clock.settle();
    const auto before = mallinfo2().uordblks;
    for (int i = 1; i < exchanges; ++i)
        calls[static_cast<std::size_t>(i)] = begin(request, 1h);
    run_until([&] { return open().stats().opened == exchanges; });
    clock.settle();
    const auto each = (mallinfo2().uordblks - before) / (exchanges - 1);
    RecordProperty("bytes", static_cast<int>(each));
    EXPECT_LT(each, 8u * 1024) << "the caller's own kilobyte of request included";
    EXPECT_GT(each, 1024u) << "this counts nothing";
}

}  // namespace
}  // namespace gateway::test
