// Tests who the caller is where proxies stand in front. Only a trusted peer is believed, and the caller counts
// everywhere.
#include "unit/http/server/rig.hpp"
#include "unit/support/certificates.hpp"

#include <boost/asio/ssl.hpp>

namespace gateway::http {
namespace {

constexpr const char* front_proxy = "127.0.0.2";

class SessionCallersTest : public testing::Test, public Rig {
  protected:
    SessionCallersTest() {
        EXPECT_EQ(options.trusted_proxies.add(front_proxy), std::nullopt);
        router.add(verb::get, "/who", [](Request& request) -> asio::awaitable<Response> {
            co_return Response{.content_type = "text/plain", .body = request.remote.to_string()};
        });
    }

    static std::string who(std::string_view forwarded_for = {}) {
        auto text = std::string("GET /who HTTP/1.1\r\nHost: x\r\n");
        if (!forwarded_for.empty()) text += "X-Forwarded-For: " + std::string(forwarded_for) + "\r\n";
        return text + "\r\n";
    }
    // Returns the caller of one request on a connection of its own.
    std::string caller(std::string_view bytes, const char* from = front_proxy) {
        return RawClient(*this, from).ask(bytes).body;
    }
};

TEST_F(SessionCallersTest, EachRequestThroughAProxyHasACallerOfItsOwn) {
    start();
    RawClient proxy(*this, front_proxy);
    EXPECT_EQ(proxy.ask(who("203.0.113.7")).body, "203.0.113.7");
    EXPECT_EQ(proxy.ask(who("198.51.100.1, 203.0.113.8")).body, "203.0.113.8");
    EXPECT_EQ(proxy.ask(who()).body, front_proxy) << "the proxy itself";
    EXPECT_EQ(log.count("remote=203.0.113.7"), 1U);
    EXPECT_EQ(log.count("remote=203.0.113.8"), 1U);
    EXPECT_EQ(caller(who("203.0.113.7"), "127.0.0.3"), "127.0.0.3") << "a stranger is not believed";
}

TEST_F(SessionCallersTest, ARefusedRequestIsItsCallersToo) {
    start();
    RawClient proxy(*this, front_proxy);
    proxy.ask(who("203.0.113.7"));
    proxy.send("GET /who HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.8\r\nBroken\r\n\r\n");
    EXPECT_EQ(proxy.answer().status, 400U);
    EXPECT_TRUE(log.has("info http.refused"));
    EXPECT_EQ(log.count("remote=203.0.113.8"), 1U);
}

TEST_F(SessionCallersTest, TheProxysConnectionsAreNotLimitedAsOneCallers) {
    options.connections_per_address = 1;
    start();
    RawClient first(*this, front_proxy);
    RawClient second(*this, front_proxy);
    EXPECT_EQ(first.ask(who("203.0.113.7")).status, 200U);
    EXPECT_EQ(second.ask(who("203.0.113.7")).status, 200U) << "between its requests a connection is nobody's";
    RawClient direct(*this, "127.0.0.3");
    RawClient too_many(*this, "127.0.0.3");
    EXPECT_EQ(direct.ask(hello).status, 200U);
    EXPECT_TRUE(too_many.ended());
}

TEST_F(SessionCallersTest, OneCallerDoesNotHaveAllOfTheProxysConnections) {
    options.connections_per_address = 1;
    start();
    const auto held_by = [](std::string_view caller) {
        return "GET /hold HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: " + std::string(caller) + "\r\n\r\n";
    };
    RawClient first(*this, front_proxy);
    RawClient second(*this, front_proxy);
    RawClient other(*this, front_proxy);
    first.send(held_by("203.0.113.7"));
    until([&] { return held == 1; });
    second.send(held_by("203.0.113.7"));
    EXPECT_EQ(second.rest(), "");
    EXPECT_TRUE(log.has("warn http.full listener=test connections=2 remote=203.0.113.7"));
    EXPECT_EQ(other.ask(who("203.0.113.8")).status, 200U);
    release();
    EXPECT_EQ(first.answer().status, 200U);
    EXPECT_EQ(other.ask(who("203.0.113.7")).status, 200U) << "its place is free again";
}

TEST_F(SessionCallersTest, WhatIsKeptForOneCallerIsLimitedThroughAProxyToo) {
    options.bytes_per_address = 10'000;
    options.body_limit = 100'000;
    start();
    const auto begin = [](std::string_view caller) {
        return "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\nX-Forwarded-For: " + std::string(caller) +
               "\r\n\r\n";
    };
    RawClient greedy(*this, front_proxy);
    greedy.send(begin("203.0.113.7") + std::string(20'000, 'x'));
    EXPECT_EQ(greedy.rest(), "");
    EXPECT_TRUE(log.has("remote=203.0.113.7"));
    RawClient proxy(*this, front_proxy);
    proxy.send(begin(front_proxy) + std::string(50'000, 'x'));
    EXPECT_EQ(proxy.answer().status, 200U);
}

class SessionProxyHeaderTest : public SessionCallersTest {
  protected:
    SessionProxyHeaderTest() { options.proxy_protocol = true; }

    static std::string line(std::string_view source) {
        return "PROXY TCP4 " + std::string(source) + " 192.0.2.1 51234 8080\r\n";
    }
    // Returns a health check in the binary form.
    static std::string local() { return std::string("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", 16); }
};

TEST_F(SessionProxyHeaderTest, NamesTheCallerOfEverythingOnTheConnection) {
    start();
    RawClient proxy(*this, front_proxy);
    EXPECT_EQ(proxy.ask(line("203.0.113.7") + who()).body, "203.0.113.7");
    EXPECT_EQ(proxy.ask(who("198.51.100.1")).body, "203.0.113.7") << "and wins over what the caller says";
    EXPECT_EQ(caller("PROXY UNKNOWN\r\n" + who("203.0.113.7")), front_proxy);
    EXPECT_EQ(caller(local() + who()), front_proxy);
}

TEST_F(SessionProxyHeaderTest, MayComeInPieces) {
    start();
    RawClient proxy(*this, front_proxy);
    for (const char c : line("203.0.113.7"))
        proxy.send(std::string(1, c));
    EXPECT_EQ(proxy.ask(who()).body, "203.0.113.7");
}

TEST_F(SessionProxyHeaderTest, IsRequiredOfATrustedPeer) {
    start();
    RawClient proxy(*this, front_proxy);
    const auto answer = proxy.ask(who("203.0.113.7"));
    EXPECT_EQ(answer.status, 400U);
    EXPECT_EQ(answer.code(), "bad_request");
    EXPECT_EQ(proxy.rest(), "");
    EXPECT_TRUE(log.has("must begin with a PROXY header"));
    EXPECT_EQ(RawClient(*this, front_proxy).ask("PROXY TCP4 x\r\n" + who()).status, 400U);
    EXPECT_EQ(RawClient(*this, front_proxy).ask(line("203.0.113.7") + line("203.0.113.8") + who()).status, 400U);
}

TEST_F(SessionProxyHeaderTest, IsRefusedFromEverybodyElseWhoGoOnAsThemselves) {
    start();
    EXPECT_EQ(caller(who("203.0.113.7"), "127.0.0.3"), "127.0.0.3");
    for (const auto& header : {line("203.0.113.7"), local()}) {
        RawClient stranger(*this, "127.0.0.3");
        EXPECT_EQ(stranger.ask(header + who()).status, 400U);
        EXPECT_EQ(stranger.rest(), "");
    }
    EXPECT_EQ(log.count("begins with a PROXY header"), 2U);
    EXPECT_EQ(log.count("remote=127.0.0.3"), 3U);
}

TEST_F(SessionProxyHeaderTest, AConnectionThatOnlyLooksWhetherWeAreThereMakesNoNoise) {
    start();
    const auto look = [this](std::string_view bytes, bool reset) {
        RawClient client(*this, front_proxy);
        client.send(bytes);
        if (reset) client.socket().set_option(asio::socket_base::linger(true, 0));
        client.close();
    };
    for (const bool reset : {false, true}) {
        look("", reset);
        look(local(), reset);
        look("PROXY UNKNOWN\r\n", reset);
    }
    until([&] { return server->connections() == 0; });
    EXPECT_TRUE(log.lines.empty()) << log.lines.front();
    look("PROXY TCP4 203.", false);
    until([&] { return server->connections() == 0; });
    EXPECT_TRUE(log.has("the PROXY header did not come to its end"));
}

TEST_F(SessionProxyHeaderTest, HasAsLongToComeAsAHead) {
    start();
    RawClient silent(*this, front_proxy);
    let_expire(options.header_time);
    EXPECT_EQ(silent.rest(), "");
    EXPECT_TRUE(log.lines.empty());
    RawClient dripping(*this, front_proxy);
    dripping.send("PROXY ");
    let_expire(options.header_time);
    EXPECT_EQ(dripping.rest(), "");
    EXPECT_TRUE(log.has("the PROXY header did not come to its end"));
}

TEST_F(SessionProxyHeaderTest, CountsTheConnectionForItsCaller) {
    options.connections_per_address = 1;
    start();
    RawClient first(*this, front_proxy);
    RawClient second(*this, front_proxy);
    RawClient other(*this, front_proxy);
    EXPECT_EQ(first.ask(line("203.0.113.7") + who()).status, 200U);
    second.send(line("203.0.113.7") + who());
    EXPECT_EQ(second.rest(), "");
    EXPECT_TRUE(log.has("warn http.full listener=test connections=2 remote=203.0.113.7"));
    EXPECT_EQ(other.ask(line("203.0.113.8") + who()).status, 200U);
    first.close();
    until([&] { return server->connections() == 1; });
    EXPECT_EQ(caller(line("203.0.113.7") + who()), "203.0.113.7");
}

TEST_F(SessionProxyHeaderTest, OneThatIsLateWhileTheServerDrainsIsLetGo) {
    start();
    RawClient silent(*this, front_proxy);
    server->drain();
    let_expire(std::chrono::seconds(1));
    EXPECT_EQ(silent.rest(), "");
    EXPECT_EQ(server->busy(), 0U);
}

TEST_F(SessionProxyHeaderTest, ComesAheadOfTls) {
    const test::Authority authority;
    const auto certificate = authority.issue("IP:127.0.0.1");
    options.tls = TlsFiles{test::temporary_file(certificate.cert), test::temporary_file(certificate.key)};
    start();
    RawClient proxy(*this, front_proxy);
    proxy.send(line("203.0.113.7"));
    asio::ssl::context context(asio::ssl::context::tls_client);
    context.set_verify_mode(asio::ssl::verify_none);
    asio::ssl::stream<asio::ip::tcp::socket&> tls(proxy.socket(), context);
    const auto on = [this](auto step) {
        until([&] {
            boost::system::error_code error;
            step(error);
            CHECK(!error || error == asio::error::would_block);
            return !error;
        });
    };
    on([&](auto& error) { tls.handshake(asio::ssl::stream_base::client, error); });
    on([&](auto& error) { asio::write(tls, asio::buffer(who("198.51.100.1")), error); });
    std::array<char, 4096> room{};
    std::string answer;
    on([&](auto& error) { answer.assign(room.data(), tls.read_some(asio::buffer(room), error)); });
    EXPECT_TRUE(answer.ends_with("203.0.113.7")) << answer;

    RawClient in_clear(*this, front_proxy);
    in_clear.send(who());
    EXPECT_EQ(in_clear.rest(), "") << "neither a header nor TLS";
    EXPECT_TRUE(log.has("must begin with a PROXY header"));
    log.lines.clear();
    RawClient(*this, front_proxy).send(local());
    RawClient(*this, front_proxy).close();
    RawClient(*this, "127.0.0.3").close();
    until([&] { return server->connections() == 1; });
    EXPECT_TRUE(log.lines.empty()) << log.lines.front();
}

}  // namespace
}  // namespace gateway::http
