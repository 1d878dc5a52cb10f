#include "http/client/tunnel.hpp"

#include "unit/http/client/rig.hpp"
#include "unit/support/certificates.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace http;
using namespace std::chrono_literals;
using namespace testing;
using boost::asio::awaitable;
using Kind = Reply::Kind;

const std::string to_provider = "CONNECT provider.example:8080 HTTP/1.1\r\nHost: provider.example:8080\r\n\r\n";
const std::string consent = "HTTP/1.1 200 Connection established\r\nProxy-Agent: x\r\n\r\n";

// The rig's server is the proxy, and also the server behind it.
class TunnelTest : public HttpsClientTest {
  protected:
    TunnelTest() {
        options.origin = {false, "provider.example", 8080};
        options.proxy = {.url = "http://proxy.store:3128", .host = "proxy.store", .port = 3128};
    }

    // Lets every connection through, and answers the requests on it.
    void serve_tunnels(std::string head = consent) {
        serve([this, head = std::move(head)](Peer& peer) -> awaitable<void> {
            requests.push_back(co_await peer.request());
            co_await peer.send(head);
            for (;;) {
                requests.push_back(co_await peer.request());
                co_await peer.answer("{}");
            }
        });
    }
    // Answers a CONNECT with this text, and keeps whatever else is sent.
    void serve_refusal(std::string text, bool close = false) {
        serve([this, close, text = std::move(text)](Peer& peer) -> awaitable<void> {
            requests.push_back(co_await peer.request());
            co_await peer.send(text);
            if (!close) requests.push_back(co_await peer.request());
        });
    }
    void expect_nothing_sent(const Reply& reply, std::string_view why) {
        EXPECT_EQ(reply.kind, Kind::nothing_sent);
        EXPECT_EQ(reply.failure, errc::unreachable);
        EXPECT_EQ(open().trouble(), why);
        clock.settle();
        EXPECT_THAT(requests, Each(StartsWith("CONNECT ")));
    }
    std::string at_proxy() const {
        return "the proxy http://proxy.store:3128 at 127.0.0.1:" + std::to_string(server.endpoint().port());
    }
};

TEST_F(TunnelTest, ARequestGoesToTheOriginThroughTheProxy) {
    serve_tunnels();
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_THAT(requests, ElementsAre(to_provider, StartsWith("POST /venda/tv/solicitar HTTP/1.1\r\n"
                                                              "Host: provider.example:8080\r\n")));
}

TEST_F(TunnelTest, ThePortIsAlwaysNamedAndAnIpv6AddressStandsInBrackets) {
    serve_tunnels();
    options.origin = {false, "2001:db8::7", 80};
    exchange();
    EXPECT_THAT(requests.at(0), StartsWith("CONNECT [2001:db8::7]:80 HTTP/1.1\r\nHost: [2001:db8::7]:80\r\n\r\n"));
    EXPECT_THAT(requests.at(1), HasSubstr("Host: [2001:db8::7]\r\n"));
}

TEST_F(TunnelTest, CredentialsAreForTheProxyAlone) {
    serve_tunnels();
    options.proxy->authorization = Secret("Basic c3RvcmU6cHc=");
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_THAT(requests.at(0), EndsWith("\r\nProxy-Authorization: Basic c3RvcmU6cHc=\r\n\r\n"));
    EXPECT_THAT(requests.at(1), Not(HasSubstr("c3RvcmU6cHc=")));
    EXPECT_FALSE(log.has("c3RvcmU6cHc="));
}

TEST_F(TunnelTest, OneTunnelCarriesManyRequests) {
    serve_tunnels();
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(server.accepted, 1);
    EXPECT_EQ(open().stats().reused, 4u);
}

TEST_F(TunnelTest, AConsentMayComeInPiecesAfterInterimAnswersAndInOtherWords) {
    serve([this](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        for (const char c : "HTTP/1.1 100 Continue\r\n\r\n" + consent) {
            co_await peer.send(std::string(1, c));
            co_await boost::asio::post(boost::asio::use_awaitable);
        }
        co_await peer.request();
        co_await peer.answer("{}", "Connection: close\r\n");
    });
    for (const char* head :
         {"HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 200\r\n\r\n", "HTTP/1.1 204 Fine\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"})
        serve_tunnels(head);
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(exchange().status, 200u) << i;
        open().close_idle();
    }
    EXPECT_EQ(server.accepted, 6);
}

TEST_F(TunnelTest, AnyInterimAnswerBeforeTheConsentIsUnderstood) {
    for (const char* interim :
         {"HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100\r\n\r\n", "HTTP/1.0 100 Continue\r\n\r\n",
          "HTTP/1.1 102 Processing\r\nVia: 1.1 squid\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
          "HTTP/1.1 100 Continue\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\nHTTP/1.1 199 X\r\n\r\n",
          "HTTP/1.1 100 Continue\r\nProxy-Connection: close\r\nConnection: close\r\n\r\n",
          "HTTP/1.1 100 Continue\r\nTransfer-Encoding: chunked\r\n\r\n"})
        serve_tunnels(interim + consent);
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(exchange().status, 200u) << i << ' ' << open().trouble();
        open().close_idle();
    }
}

TEST_F(TunnelTest, ARefusalSendsNothingAndIsToldInWords) {
    const std::string name = "the proxy http://proxy.store:3128 ";
    const std::string body = "Content-Length: 9\r\n\r\n<html>no!";
    const std::vector<std::pair<std::string, std::string>> answers{
        {"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\n" + body,
         name + "wants credentials (407)"},
        {"HTTP/1.1 403 Filtered\r\n" + body, name + "refused to connect to provider.example:8080 (403)"},
        {"HTTP/1.0 502 Bad Gateway\r\n" + body, name + "could not connect to provider.example:8080 (502)"},
        {"HTTP/1.1 302 Found\r\nLocation: http://login.store/\r\n" + body,
         name + "answers a request to connect to provider.example:8080 with 302"},
        {"HTTP/1.1 101 Switching Protocols\r\n\r\n", name + "does not answer as a proxy does"},
        {"SSH-2.0-OpenSSH_9.2\r\n", name + "does not answer as a proxy does"},
        {"\r\nHTTP/1.1 200 OK\r\n\r\n", name + "does not answer as a proxy does"},
        {"HTTP/1.1 200 OK\n\n", name + "does not answer as a proxy does"},
        {"HTTP/1.1 200 OK\r\nno field\r\n\r\n", name + "does not answer as a proxy does"},
        {"HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x'), name + "does not answer as a proxy does"},
        {std::string(20'000, 'x'), name + "does not answer as a proxy does"},
        {consent + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", name + "sent more than its answer"},
    };
    for (const auto& [text, why] : answers)
        serve_refusal(text);
    for (const auto& [text, why] : answers) {
        expect_nothing_sent(exchange(), why);
        clock.advance(61s);  // this is the circuit's time
    }
    EXPECT_EQ(server.accepted, static_cast<int>(answers.size()));
    EXPECT_FALSE(log.has("no!"));
}

TEST_F(TunnelTest, AnAnswerThatIsCutAnywhereSendsNothing) {
    for (std::size_t size = 0; size < consent.size(); ++size)
        serve_refusal(consent.substr(0, size), true);
    for (std::size_t size = 0; size < consent.size(); ++size) {
        expect_nothing_sent(exchange(), "the proxy http://proxy.store:3128 closed the connection");
        clock.advance(61s);
    }
}

TEST_F(TunnelTest, AProxyThatResetsSendsNothing) {
    serve([](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        peer.reset();
    });
    expect_nothing_sent(exchange(), "the proxy http://proxy.store:3128 closed the connection");
}

TEST_F(TunnelTest, CredentialsThatTheProxyDoesNotAcceptAreToldAndNotShown) {
    serve_refusal("HTTP/1.1 407 Basic c3RvcmU6cHc=\r\n\r\n");
    serve_refusal("HTTP/1.0 401 Unauthorized\r\n\r\n");
    options.proxy->authorization = Secret("Basic c3RvcmU6cHc=");
    expect_nothing_sent(exchange(),
                        "the proxy http://proxy.store:3128 does not accept the credentials in "
                        "provider.proxy_credentials_file (407)");
    expect_nothing_sent(exchange(),
                        "the proxy http://proxy.store:3128 does not accept the credentials in "
                        "provider.proxy_credentials_file (401)");
}

TEST_F(TunnelTest, NewCredentialsAreShownOnTheNextConnection) {
    serve_refusal("HTTP/1.1 407 No\r\n\r\n");
    serve_tunnels();
    exchange();
    open().use_at_proxy(Secret("Basic bmV3OnB3"));
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_THAT(requests.at(1), HasSubstr("Proxy-Authorization: Basic bmV3OnB3\r\n"));
}

TEST_F(TunnelTest, AProxyThatHangsIsGivenUpWithinTheTimeToConnect) {
    serve([this](Peer& peer) -> awaitable<void> {
        requests.push_back(co_await peer.request());
        co_await peer.send("HTTP/1.1 200 Conn");
        requests.push_back(co_await peer.request());
    });
    const auto call = begin();
    run_until([&] { return !requests.empty(); });
    clock.settle();
    clock.jump(options.connect_timeout - 1ms);
    clock.settle();
    EXPECT_FALSE(call->reply);
    clock.jump(1ms);
    expect_nothing_sent(finish(call), "the proxy http://proxy.store:3128 did not answer in time");
}

TEST_F(TunnelTest, AProxyThatIsDownIsNamed) {
    const ClosedDoor door(io);
    endpoints = {door.acceptor.local_endpoint()};
    expect_nothing_sent(exchange(), "the proxy http://proxy.store:3128 at 127.0.0.1:" +
                                        std::to_string(endpoints.at(0).port()) + ": Connection refused");
}

TEST_F(TunnelTest, AProxyWithoutAnAddressIsNamed) {
    options.look_up = []() -> awaitable<Result<Addresses::Endpoints>> { co_return errc::not_found; };
    expect_nothing_sent(exchange(), "no address found for the proxy http://proxy.store:3128: not found");
}

TEST_F(TunnelTest, OnlyTheProxysAddressIsLookedUp) {
    serve_tunnels();
    options.look_up = {};
    options.proxy->host = "127.0.0.1";
    options.proxy->port = server.endpoint().port();
    options.origin.host = "no-such-name.invalid";
    EXPECT_EQ(exchange().status, 200u);
}

TEST_F(TunnelTest, WhatTheProxySaysIsToldRatherThanThatAnotherAddressOfItIsSilent) {
    const ClosedDoor door(io);
    endpoints = {server.endpoint(), door.acceptor.local_endpoint()};
    serve_refusal("HTTP/1.1 407 No\r\n\r\n");
    expect_nothing_sent(exchange(), "the proxy http://proxy.store:3128 wants credentials (407)");
}

TEST_F(TunnelTest, RefusalsOpenTheCircuit) {
    serve_refusal("HTTP/1.1 503 Busy\r\n\r\n");
    for (int i = 0; i < 5; ++i)
        exchange();
    EXPECT_EQ(open().stats().circuit, Circuit::State::open);
    expect_nothing_sent(exchange(),
                        "the proxy http://proxy.store:3128 could not connect to provider.example:8080 (503)");
    EXPECT_EQ(server.accepted, 5);
}

TEST_F(TunnelTest, ATunnelThatBreaksUnderARequestHasLostIt) {
    for (const bool reset : {false, true})
        serve([reset](Peer& peer) -> awaitable<void> {
            co_await peer.request();
            co_await peer.send(consent);
            co_await peer.request();
            reset ? peer.reset() : peer.close();
        });
    for (int i = 0; i < 2; ++i) {
        const auto reply = exchange();
        EXPECT_EQ(reply.kind, Kind::lost);
        EXPECT_EQ(reply.failure, errc::connection_lost);
    }
}

TEST_F(TunnelTest, ATunnelThatClosedWhileItWasIdleIsNotUsed) {
    serve([](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        co_await peer.send(consent);
        co_await peer.request();
        co_await peer.answer("{}");
    });
    serve_tunnels();
    exchange();
    clock.settle();
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(server.accepted, 2);
}

class SecureTunnelTest : public TunnelTest {
  protected:
    SecureTunnelTest() {
        options.origin = {true, "provider.example", 443};
        TlsClientOptions client;
        client.ca_file = temporary_file(authority.pem());
        options.tls = *TlsClient::make(client);
        tls.set_options(boost::asio::ssl::context::default_workarounds);
    }
    // Lets the server behind the proxy use TLS, with a certificate for these names.
    void serve_secure(const std::string& names) {
        const auto certificate = authority.issue(names);
        tls.use_certificate_chain(boost::asio::buffer(certificate.cert));
        tls.use_private_key(boost::asio::buffer(certificate.key), boost::asio::ssl::context::pem);
        serve([this](Peer& peer) -> awaitable<void> {
            requests.push_back(co_await peer.request());
            co_await peer.send(consent);
            co_await peer.secure(tls);
            requests.push_back(co_await peer.request());
            co_await peer.answer("{}", "Connection: close\r\n");
            co_await peer.closed();
        });
    }

    const Authority authority;
    boost::asio::ssl::context tls{boost::asio::ssl::context::tls_server};
};

TEST_F(SecureTunnelTest, TlsIsMadeWithTheOriginAndResumed) {
    serve_secure("DNS:provider.example");
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(open().stats().handshakes_full, 1u);
    EXPECT_EQ(open().stats().handshakes_resumed, 2u);
    EXPECT_THAT(requests.at(0), StartsWith("CONNECT provider.example:443 "));
    EXPECT_THAT(requests.at(1), HasSubstr("\r\nHost: provider.example\r\n"));
}

TEST_F(SecureTunnelTest, TheProxysOwnCertificateIsNotTheOrigins) {
    serve_secure("DNS:proxy.store,IP:127.0.0.1");
    const auto reply = exchange();
    expect_nothing_sent(reply, open().trouble());
    EXPECT_THAT(open().trouble(),
                StartsWith("provider.example through the proxy http://proxy.store:3128: certificate refused: "));
}

TEST_F(SecureTunnelTest, AnOriginThatSpeaksNoTlsIsSentNothingOfTheRequest) {
    std::string heard;
    serve([this, &heard](Peer& peer) -> awaitable<void> {
        requests.push_back(co_await peer.request());
        co_await peer.send(consent);
        co_await peer.receive();
        co_await peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
        heard = co_await peer.request();
    });
    const auto reply = exchange();
    EXPECT_EQ(reply.kind, Kind::nothing_sent);
    EXPECT_EQ(heard, "");
}

TEST_F(SecureTunnelTest, WhatTheProxySaysBetweenItsConsentAndTlsIsNotTakenForTheOrigins) {
    serve([this](Peer& peer) -> awaitable<void> {
        requests.push_back(co_await peer.request());
        co_await peer.send(consent);
        co_await peer.receive();  // TLS has begun
        co_await peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        co_await peer.closed();
    });
    const auto reply = exchange();
    EXPECT_EQ(reply.kind, Kind::nothing_sent);
    EXPECT_THAT(open().trouble(), HasSubstr("TLS handshake failed"));
}

// Ends the world while a connection through a proxy may be waiting for anything.
TEST(TunnelEnd, MayComeAtAnyMoment) {
    for (int limit = 0; limit < 60; ++limit) {
        SeededRandom random;
        MemoryLog log;
        boost::asio::io_context io;
        VirtualClock clock(io);
        ScriptedServer server(io);
        server.sessions.push_back([](Peer& peer) -> awaitable<void> {
            co_await peer.request();
            for (const char c : consent)
                co_await peer.send(std::string(1, c));
            co_await peer.request();
            co_await peer.answer("{}");
        });
        HttpsClientOptions options;
        options.origin = {false, "provider.example", 80};
        options.proxy = {.url = "http://p", .host = "127.0.0.1", .port = server.endpoint().port()};
        HttpsClient transport(io.get_executor(), options, clock, random, log);
        boost::asio::co_spawn(io, http::exchange(transport, post(), clock.now() + patience),
                              [](const std::exception_ptr&, const Reply&) {});
        for (int handlers = limit; handlers > 0 && io.poll_one() > 0; --handlers) {
        }
    }
}

}  // namespace
}  // namespace gateway::test
