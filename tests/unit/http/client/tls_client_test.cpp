#include "http/client/tls_client.hpp"

#include "base/digest.hpp"
#include "base/wall_time.hpp"
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

// Returns the digest that `openssl x509 -pubkey | openssl pkey -pubin -outform DER | openssl dgst -sha256` prints.
std::string key_digest(const std::string& pem) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                        &BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> cert(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr),
                                                           &X509_free);
    std::string der(static_cast<std::size_t>(i2d_X509_PUBKEY(X509_get_X509_PUBKEY(cert.get()), nullptr)), 0);
    auto* out = reinterpret_cast<unsigned char*>(der.data());
    i2d_X509_PUBKEY(X509_get_X509_PUBKEY(cert.get()), &out);
    return sha256_hex(der);
}

class TlsClientTest : public HttpsClientTest {
  protected:
    TlsClientTest() {
        options.origin.tls = true;
        client.ca_file = temporary_file(authority.pem());
        use(authority.issue("DNS:provider.example"));
    }

    void use(const Certificate& certificate) {
        tls.use_certificate_chain(boost::asio::buffer(certificate.cert));
        tls.use_private_key(boost::asio::buffer(certificate.key), boost::asio::ssl::context::pem);
    }
    HttpsClient& open() {
        if (!options.tls) options.tls = *TlsClient::make(client);
        return HttpsClientTest::open();
    }
    awaitable<Result<Addresses::Endpoints>> secure_address() { co_return Addresses::Endpoints{secure.endpoint()}; }
    Reply exchange() {
        options.look_up = [this] { return secure_address(); };
        open();
        return HttpsClientTest::exchange();
    }
    void serve(ScriptedServer::Session session) { secure.sessions.push_back(std::move(session)); }
    // Serves one request on each connection.
    void serve_one_each() {
        serve([this](Peer& peer) -> awaitable<void> {
            shown.push_back(name_of_peer(peer));
            requests.push_back(co_await peer.request());
            co_await peer.answer("{}", "Connection: close\r\n");
            co_await peer.closed();
        });
    }
    // Returns the name in the certificate that the gateway shows; empty where it shows none.
    static std::string name_of_peer(Peer& peer) {
        const auto* certificate = SSL_get0_peer_certificate(peer.tls());
        if (certificate == nullptr) return "";
        auto* names =
            static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
        const auto* name = sk_GENERAL_NAME_value(names, 0)->d.dNSName;
        std::string text(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name)),
                         static_cast<std::size_t>(ASN1_STRING_length(name)));
        GENERAL_NAMES_free(names);
        return text;
    }
    void ask_for_certificates() {
        tls.add_certificate_authority(boost::asio::buffer(authority.pem()));
        tls.set_verify_mode(boost::asio::ssl::verify_peer | boost::asio::ssl::verify_fail_if_no_peer_cert);
    }
    void show(const Certificate& own) {
        client.client_cert = temporary_file(own.cert);
        client.client_key = temporary_file(own.key);
    }
    void expect_refused(const std::string& why) {
        serve_one_each();
        const auto reply = exchange();
        EXPECT_EQ(reply.kind, Kind::nothing_sent);
        EXPECT_EQ(reply.failure, errc::unreachable);
        EXPECT_EQ(requests.size(), 0u) << "not a byte of it";
        EXPECT_THAT(open().trouble(), HasSubstr(why));
    }

    Authority authority;
    boost::asio::ssl::context tls{boost::asio::ssl::context::tls_server};
    ScriptedServer secure{io, &tls};
    TlsClientOptions client;
    std::vector<std::string> shown;
};

TEST_F(TlsClientTest, CarriesARequestAndItsAnswer) {
    serve([this](Peer& peer) -> awaitable<void> {
        EXPECT_STREQ(SSL_get_servername(peer.tls(), TLSEXT_NAMETYPE_host_name), "provider.example");
        for (;;) {
            requests.push_back(co_await peer.request());
            co_await peer.answer("{}");
        }
    });
    EXPECT_EQ(exchange().body, "{}");
    EXPECT_EQ(exchange().body, "{}");
    EXPECT_EQ(requests.size(), 2u);
    EXPECT_EQ(secure.accepted, 1) << "the session tickets that came after the handshake are nothing to worry about";
    EXPECT_EQ(open().stats().handshakes_full, 1u);
}

TEST_F(TlsClientTest, LargeRequestsAndAnswersGetThroughInPieces) {
    const std::string large(8'000'000, 'x');
    options.limits.body = large.size();
    serve([&](Peer& peer) -> awaitable<void> {
        const auto request = co_await peer.request();
        EXPECT_TRUE(request.ends_with("\r\n\r\n" + large));
        co_await peer.answer(large);
    });
    options.look_up = [this] { return secure_address(); };
    open();
    EXPECT_EQ(HttpsClientTest::exchange(post(large)).body, large);
}

TEST_F(TlsClientTest, SessionsAreResumed) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        SSL_CTX_set_max_proto_version(tls.native_handle(), version);
        serve_one_each();
        transport.reset();
        for (int i = 0; i < 4; ++i)
            EXPECT_EQ(exchange().status, 200u);
        EXPECT_EQ(open().stats().handshakes_full, 1u);
        EXPECT_EQ(open().stats().handshakes_resumed, 3u);
    }
}

TEST_F(TlsClientTest, ASessionThatTheServerForgotIsNoObstacle) {
    serve_one_each();
    EXPECT_EQ(exchange().status, 200u);
    std::array<unsigned char, 80> other_keys{1, 2, 3};
    SSL_CTX_set_tlsext_ticket_keys(tls.native_handle(), other_keys.data(), other_keys.size());
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(open().stats().handshakes_full, 2u);
}

TEST_F(TlsClientTest, ACertificateThatHasExpiredIsRefused) {
    use(authority.issue("DNS:provider.example", "20010101000000Z"));
    expect_refused("certificate has expired");
}

TEST_F(TlsClientTest, ARefusalNamesTheHostAndWhenTheCertificateEndedOrBegins) {
    const auto end = *from_rfc3339("2001-01-01T00:00:00Z");
    use(authority.issue("DNS:provider.example", "20010101000000Z"));
    expect_refused("certificate refused: provider.example shows one that ended on " + to_local_text(end));
    const auto begin = *from_rfc3339("2998-01-01T00:00:00Z");
    use(authority.issue("DNS:provider.example", "29990101000000Z", "29980101000000Z"));
    transport.reset();
    expect_refused("certificate refused: provider.example shows one that begins only on " + to_local_text(begin));
}

TEST_F(TlsClientTest, WhereAnAuthorityHasEndedThatIsTheOneNamed) {
    const Authority ended("Old Authority", "20010101000000Z");
    client.ca_file = temporary_file(ended.pem());
    use(ended.issue("DNS:provider.example"));
    expect_refused(
        "certificate refused: provider.example shows one of an authority, \"Old Authority\", that ended on " +
        to_local_text(*from_rfc3339("2001-01-01T00:00:00Z")));
}

TEST_F(TlsClientTest, ACertificateForAnotherNameIsRefused) {
    use(authority.issue("DNS:elsewhere.example"));
    expect_refused("hostname mismatch");
}

TEST_F(TlsClientTest, ACertificateOfAnUnknownAuthorityIsRefused) {
    use(Authority("Somebody Else").issue("DNS:provider.example"));
    expect_refused("certificate refused");
}

TEST_F(TlsClientTest, ACertificateThatSignsItselfIsRefused) {
    const Authority itself("provider.example");
    use({.cert = itself.pem(), .key = itself.key_pem()});
    expect_refused("self-signed certificate");
}

TEST_F(TlsClientTest, ACertificateForAnIpAddressIsCheckedToo) {
    options.origin.host = "127.0.0.1";
    options.origin.port = secure.endpoint().port();
    expect_refused("IP address mismatch");
    use(authority.issue("IP:127.0.0.1"));
    EXPECT_EQ(exchange().status, 200u);
}

TEST_F(TlsClientTest, WithoutACaFileTheSystemsAuthoritiesCount) {
    client.ca_file.clear();
    expect_refused("certificate refused");
}

TEST_F(TlsClientTest, WithPinnedKeysOneOfTheChainMustBeAmongThem) {
    serve_one_each();
    const auto own = authority.issue("DNS:provider.example");
    use(own);
    const auto pinned = [&](std::vector<std::string> digests) {
        client.pinned_keys = std::move(digests);
        options.tls.reset();
        transport.reset();
        return exchange().kind;
    };
    const std::string another(64, 'a');
    EXPECT_EQ(pinned({another}), Kind::nothing_sent);
    EXPECT_THAT(open().trouble(), HasSubstr("no key in its chain is one of provider.pinned_key"));
    EXPECT_EQ(pinned({another, key_digest(own.cert)}), Kind::answered);
    EXPECT_EQ(pinned({key_digest(authority.pem())}), Kind::answered) << "the authority's own key";
    use(authority.issue("DNS:provider.example"));
    EXPECT_EQ(pinned({key_digest(own.cert)}), Kind::nothing_sent) << "another key of the same authority";
}

TEST_F(TlsClientTest, APinnedKeyDoesNotReplaceTheRestOfTheVerification) {
    const auto elsewhere = authority.issue("DNS:elsewhere.example");
    use(elsewhere);
    client.pinned_keys = {key_digest(elsewhere.cert)};
    expect_refused("hostname mismatch");
}

TEST_F(TlsClientTest, OldVersionsAreRefused) {
    SSL_CTX_set_security_level(tls.native_handle(), 0);
    SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_1_VERSION);
    SSL_CTX_set_max_proto_version(tls.native_handle(), TLS1_1_VERSION);
    expect_refused("TLS handshake failed");
}

TEST_F(TlsClientTest, AServerThatSpeaksNoTlsSendsNothing) {
    server.sessions.push_back([](Peer& peer) -> awaitable<void> {
        co_await peer.receive();
        co_await peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    open();
    const auto reply = HttpsClientTest::exchange();
    EXPECT_EQ(reply.kind, Kind::nothing_sent);
    EXPECT_THAT(open().trouble(), HasSubstr("TLS handshake failed"));
}

TEST_F(TlsClientTest, AHandshakeThatTakesTooLongSendsNothing) {
    server.sessions.push_back([this](Peer& peer) -> awaitable<void> {
        co_await peer.receive();
        clock.jump(options.connect_timeout);
        co_await peer.closed();
    });
    open();
    const auto reply = HttpsClientTest::exchange();
    EXPECT_EQ(reply.kind, Kind::nothing_sent);
    EXPECT_THAT(open().trouble(), HasSubstr("no TLS handshake in time"));
}

TEST_F(TlsClientTest, ShowsItsCertificateToAServerThatAsks) {
    show(authority.issue("DNS:store.example"));
    ask_for_certificates();
    serve_one_each();
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_THAT(shown, ElementsAre("store.example"));
}

TEST_F(TlsClientTest, ARenewedCertificateIsShownOnEveryNewConnection) {
    show(authority.issue("DNS:first.example", "20310101000000Z"));
    ask_for_certificates();
    serve([this](Peer& peer) -> awaitable<void> {
        shown.push_back(name_of_peer(peer));
        for (;;) {
            requests.push_back(co_await peer.request());
            co_await peer.answer("{}");
        }
    });
    EXPECT_EQ(exchange().status, 200u);
    const auto first_ends = open().stats().certificate_expires_at;
    show(authority.issue("DNS:second.example", "20310102000000Z"));
    open().use(*TlsClient::make(client));
    EXPECT_EQ(*open().stats().certificate_expires_at, *first_ends + 24h);
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_THAT(shown, ElementsAre("first.example", "second.example"));
    EXPECT_EQ(open().stats().handshakes_full, 2u) << "a session of before is not resumed";
    EXPECT_EQ(open().stats().open, 1u);
}

TEST_F(TlsClientTest, WhomToBelieveIsAskedAnewAfterAChange) {
    serve_one_each();
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(open().stats().handshakes_resumed, 1u);
    client.pinned_keys = {std::string(64, 'a')};
    open().use(*TlsClient::make(client));
    EXPECT_EQ(exchange().kind, Kind::nothing_sent) << "a resumed session would show no certificate";
}

TEST_F(TlsClientTest, AConnectionInUseDuringAChangeCarriesItsRequestAndNoOther) {
    serve([this](Peer& peer) -> awaitable<void> {
        for (;;) {
            requests.push_back(co_await peer.request());
            open().use(*TlsClient::make(client));
            co_await peer.answer("{}");
        }
    });
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(exchange().status, 200u);
    EXPECT_EQ(secure.accepted, 2);
}

TEST_F(TlsClientTest, AnEndWithoutGoodbyeIsNoEnd) {
    const std::string answer = "HTTP/1.1 200 OK\r\n\r\n{}";  // the answer ends with the connection
    serve([answer](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        co_await peer.send(answer);
        peer.close();
    });
    serve([answer](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        co_await peer.send(answer);
        co_await peer.shut_down();
    });
    const auto cut = exchange();
    EXPECT_EQ(cut.kind, Kind::lost);
    EXPECT_EQ(cut.failure, errc::connection_lost);
    EXPECT_EQ(exchange().body, "{}");
}

TEST_F(TlsClientTest, AConnectionThatThePeerClosedMeanwhileIsNotUsed) {
    serve([](Peer& peer) -> awaitable<void> {
        co_await peer.request();
        co_await peer.answer("{}");
    });
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(exchange().status, 200u);
        run_until([&] { return secure.finished == i + 1; });
    }
    EXPECT_EQ(secure.accepted, 3);
}

TEST(TlsClientFiles, SaysWhichFileIsWrong) {
    const Authority authority;
    const auto one = authority.issue("DNS:a");
    const auto other = authority.issue("DNS:b");
    const auto complaint = [](const TlsClientOptions& options) {
        const auto made = TlsClient::make(options);
        return made.has_error() ? made.error() : std::string();
    };
    const auto cert = temporary_file(one.cert);
    const auto key = temporary_file(one.key);
    const auto wrong_key = temporary_file(other.key);
    const auto rubbish = temporary_file("rubbish");
    EXPECT_EQ(complaint({"", cert, key}), "");
    EXPECT_THAT(complaint({rubbish, "", ""}), HasSubstr("ca_file " + rubbish));
    EXPECT_THAT(complaint({"/nowhere/ca.pem", "", ""}), HasSubstr("/nowhere/ca.pem"));
    EXPECT_THAT(complaint({"", rubbish, key}), HasSubstr("client_cert " + rubbish));
    EXPECT_THAT(complaint({"", cert, rubbish}), HasSubstr("client_key " + rubbish));
    EXPECT_THAT(complaint({"", cert, wrong_key}), HasSubstr("client_key " + wrong_key));
}

}  // namespace
}  // namespace gateway::test
