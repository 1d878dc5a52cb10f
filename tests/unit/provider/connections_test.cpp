#include "provider/connections.hpp"

#include "unit/support/memory_log.hpp"
#include "unit/support/scripted_server.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/self_signed.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;
using boost::asio::awaitable;

class ConnectionsTest : public Test {
  protected:
    ConnectionsTest() {
        server.sessions.push_back([this](Peer& peer) -> awaitable<void> {
            for (;;) {
                requests.push_back(co_await peer.request());
                co_await peer.answer("{}");
            }
        });
    }

    http::ServiceUrl here(const ScriptedServer& at) const {
        http::ServiceUrl url;
        url.host = "127.0.0.1";
        url.port = at.endpoint().port();
        url.text = "http://127.0.0.1:" + std::to_string(url.port);
        return url;
    }
    void exchange(http::Client& client) {
        http::ClientRequest request;
        request.target = "/";
        bool done = false;
        boost::asio::co_spawn(io, http::exchange(client, std::move(request), clock.now() + Duration(1'000)),
                              [&](const std::exception_ptr&, const Reply&) { done = true; });
        io.restart();
        while (!done && io.run_one_for(std::chrono::seconds(10)) > 0) {
        }
        EXPECT_TRUE(done);
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    MemoryLog log;
    ScriptedServer server{io};
    ScriptedServer proxy{io};
    std::vector<std::string> requests;  // at the server
    std::vector<std::string> connects;  // at the proxy
    ProviderOptions options;
};

TEST_F(ConnectionsTest, EachServiceIsAskedAtItsOwnAddress) {
    options.base_url = here(server);
    options.auth_url = here(proxy);
    proxy.sessions.push_back([this](Peer& peer) -> awaitable<void> {
        connects.push_back(co_await peer.request());
        co_await peer.answer("{}");
    });
    Connections connections(io.get_executor(), options, nullptr, clock, random, log);
    exchange(connections.sales());
    EXPECT_EQ(requests.size(), 1U);
    EXPECT_THAT(connects, IsEmpty());
    exchange(connections.tokens());
    EXPECT_EQ(requests.size(), 1U);
    EXPECT_EQ(connects.size(), 1U);
}

TEST_F(ConnectionsTest, BothServicesShowTheProxyTheCredentialsOfTheLastReload) {
    options.base_url = here(server);
    options.auth_url = here(server);
    options.proxy = here(proxy);
    options.proxy_credentials = Secret("store:pw");
    proxy.sessions.push_back([this](Peer& peer) -> awaitable<void> {
        connects.push_back(co_await peer.request());
        co_await peer.send("HTTP/1.1 407 No\r\n\r\n");
    });
    Connections connections(io.get_executor(), options, nullptr, clock, random, log);
    exchange(connections.sales());
    exchange(connections.tokens());
    options.proxy_credentials = Secret("new:pw");
    connections.reload(options, nullptr);
    clock.advance(Duration(60'000));  // this is after the pause that follows a failure
    exchange(connections.sales());
    exchange(connections.tokens());
    ASSERT_EQ(connects.size(), 4U);
    for (const std::size_t i : {0U, 1U})
        EXPECT_THAT(connects[i], HasSubstr("Proxy-Authorization: Basic c3RvcmU6cHc=\r\n"));
    for (const std::size_t i : {2U, 3U})
        EXPECT_THAT(connects[i], HasSubstr("Proxy-Authorization: Basic bmV3OnB3\r\n"));
    EXPECT_THAT(requests, IsEmpty());
}

TEST_F(ConnectionsTest, CertificatesAreReadWhereAnAddressIsHttps) {
    const TemporaryFolder folder;
    options.base_url = here(server);
    options.auth_url = here(server);
    options.tls.ca_file = folder.path("absent.pem");
    ASSERT_TRUE(Connections::read_tls(options).has_value()) << "nobody needs it";
    EXPECT_EQ(*Connections::read_tls(options), nullptr);
    options.auth_url.tls = true;
    const auto absent = Connections::read_tls(options);
    ASSERT_TRUE(absent.has_error());
    EXPECT_THAT(absent.error(), HasSubstr("absent.pem"));
    options.tls.ca_file = folder.write("ca.pem", make_self_signed().cert);
    const auto read = Connections::read_tls(options);
    ASSERT_TRUE(read.has_value());
    EXPECT_NE(*read, nullptr);
}

}  // namespace
}  // namespace gateway::test
