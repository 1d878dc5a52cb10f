#include "http/client/client.hpp"

#include "unit/support/scripted_client.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class ClientTest : public Test {
  protected:
    Reply exchange(Duration patience = 15s) {
        http::ClientRequest request;
        request.target = "/x";
        return clock.run(http::exchange(network, std::move(request), clock.now() + patience));
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    ScriptedClient network{clock};
};

TEST_F(ClientTest, AnExchangeReservesAndSends) {
    network.connecting = 2s;
    network.then(answered(200, "{}"));
    const Instant begun = clock.now();
    EXPECT_EQ(exchange().status, 200u);
    ASSERT_EQ(network.seen.size(), 1u);
    EXPECT_EQ(network.seen[0].request.target, "/x");
    EXPECT_EQ(network.seen[0].at, begun + 2s);
    EXPECT_EQ(network.seen[0].deadline, begun + 15s) << "one deadline for both";
}

TEST_F(ClientTest, WithoutAConnectionNothingIsSent) {
    network.connecting = 1h;
    const auto reply = exchange();
    EXPECT_EQ(reply.kind, Reply::Kind::nothing_sent);
    EXPECT_EQ(reply.failure, errc::timed_out);
    EXPECT_THAT(network.seen, IsEmpty());
}

TEST_F(ClientTest, AStaleConnectionIsReplacedUntilTheTimeIsUp) {
    network.then(unsent(errc::stale_connection)).then(unsent(errc::stale_connection)).then(answered(204, ""));
    EXPECT_EQ(exchange().status, 204u);
    EXPECT_EQ(network.seen.size(), 3u);
    network.otherwise = [](const http::ClientRequest&) { return unsent(errc::stale_connection); };
    network.connecting = 4s;
    EXPECT_EQ(exchange().failure, errc::timed_out);
}

TEST_F(ClientTest, WhatWasLostIsNotSentAgain) {
    network.then(lost(errc::connection_lost));
    EXPECT_EQ(exchange().kind, Reply::Kind::lost);
    EXPECT_EQ(network.seen.size(), 1u);
}

}  // namespace
}  // namespace gateway::test
