#include "http/server/tls.hpp"

#include "base/wall_time.hpp"
#include "unit/http/server/rig.hpp"
#include "unit/support/certificates.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace gateway::http {
namespace {

template <class T, void (*release)(T*)>
struct Release {
    void operator()(T* object) const noexcept { release(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Release<X509, X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Release<SSL_CTX, SSL_CTX_free>>;
using Ssl = std::unique_ptr<SSL, Release<SSL, SSL_free>>;
using TlsSession = std::unique_ptr<SSL_SESSION, Release<SSL_SESSION, SSL_SESSION_free>>;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_to_write(const std::string& path) {
    return {std::fopen(path.c_str(), "w"), &std::fclose};
}

// Makes a key and a certificate for `name`, in two files. With a passphrase, the key is encrypted.
TlsFiles make_files(const std::filesystem::path& folder, const std::string& name, const char* passphrase = nullptr) {
    const Key key(EVP_EC_gen("P-256"));
    const Certificate certificate(X509_new());
    X509_set_version(certificate.get(), X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
    X509_set_pubkey(certificate.get(), key.get());
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    TlsFiles files{(folder / (name + ".pem")).string(), (folder / (name + ".key")).string()};
    PEM_write_X509(open_to_write(files.cert).get(), certificate.get());
    PEM_write_PKCS8PrivateKey(open_to_write(files.key).get(), key.get(),
                              passphrase == nullptr ? nullptr : EVP_aes_128_cbc(), passphrase,
                              passphrase == nullptr ? 0 : static_cast<int>(std::strlen(passphrase)), nullptr, nullptr);
    return files;
}

class TlsClient {
  public:
    explicit TlsClient(Rig& rig, int version = TLS1_3_VERSION, SSL_SESSION* resumed = nullptr,
                       const test::Certificate* own = nullptr)
        : rig_(rig), socket_(io_), context_(SSL_CTX_new(TLS_client_method())), ssl_(make_ssl(version)) {
        static constexpr std::array<unsigned char, 12> protocols{2,   'h', '2', 8,   'h', 't',
                                                                 't', 'p', '/', '1', '.', '1'};
        SSL_set_alpn_protos(ssl_.get(), protocols.data(), protocols.size());
        if (resumed != nullptr) SSL_set_session(ssl_.get(), resumed);
        if (own != nullptr) show(*own);
        socket_.connect(rig.server->endpoint());
        socket_.non_blocking(true);
        SSL_set_fd(ssl_.get(), socket_.native_handle());
        SSL_set_connect_state(ssl_.get());
    }

    bool shake_hands() {
        return repeat([this] { return SSL_do_handshake(ssl_.get()); });
    }
    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            std::size_t sent = 0;
            const auto write = [&] { return SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent); };
            ASSERT_TRUE(repeat(write));
            bytes.remove_prefix(sent);
        }
    }
    // Reads until the received text ends with `end`, or the server says that it sends no more.
    std::string read_until(std::string_view end) {
        std::string received;
        std::array<char, 16384> room{};
        std::size_t bytes = 0;
        while (end.empty() || !received.ends_with(end)) {
            if (!repeat([&] { return SSL_read_ex(ssl_.get(), room.data(), room.size(), &bytes); })) break;
            received.append(room.data(), bytes);
        }
        return received;
    }
    bool ended_properly() const { return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }
    std::string server_name() const {
        const Certificate certificate(SSL_get1_peer_certificate(ssl_.get()));
        std::array<char, 100> name{};
        X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name.data(), name.size());
        return name.data();
    }
    std::string protocol() const {
        const unsigned char* name = nullptr;
        unsigned size = 0;
        SSL_get0_alpn_selected(ssl_.get(), &name, &size);
        return {name, name + size};
    }
    SSL* ssl() const { return ssl_.get(); }
    asio::ip::tcp::socket& socket() { return socket_; }

  private:
    Ssl make_ssl(int version) {
        SSL_CTX_set_security_level(context_.get(), 0);  // so that old versions are at least offered
        SSL_CTX_set_min_proto_version(context_.get(), version);
        SSL_CTX_set_max_proto_version(context_.get(), version);
        return Ssl(SSL_new(context_.get()));
    }

    void show(const test::Certificate& own) {
        const auto cert = test::temporary_file(own.cert);
        const auto key = test::temporary_file(own.key);
        ASSERT_EQ(SSL_use_certificate_file(ssl_.get(), cert.c_str(), SSL_FILETYPE_PEM), 1);
        ASSERT_EQ(SSL_use_PrivateKey_file(ssl_.get(), key.c_str(), SSL_FILETYPE_PEM), 1);
    }

    // Tells whether the call succeeded, with the server running in between.
    template <class Call>
    bool repeat(Call call) {
        int result = 0;
        rig_.until([&] {
            ERR_clear_error();
            result = call();
            const int error = SSL_get_error(ssl_.get(), result);
            return error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE;
        });
        return result == 1;
    }

    Rig& rig_;
    asio::io_context io_;
    asio::ip::tcp::socket socket_;
    Context context_;
    Ssl ssl_;
};

class TlsTest : public testing::Test, public Rig {
  protected:
    TlsTest() : folder(std::filesystem::path(testing::TempDir()) / "tls_test") {
        std::signal(SIGPIPE, SIG_IGN);  // the client's side writes with the library's own socket calls
        std::filesystem::create_directories(folder);
        options.tls = make_files(folder, "first");
    }
    ~TlsTest() override { std::filesystem::remove_all(folder); }

    std::string failure_of(const TlsFiles& files) {
        options.tls = files;
        try {
            const Server broken(io.get_executor(), options, Router(), clock, random, log);
        } catch (const boost::system::system_error& failure) {
            return failure.what();
        }
        return "none";
    }

    const std::filesystem::path folder;
};

TEST_F(TlsTest, VersionsFromOnePointTwoOnAreSpoken) {
    start();
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsClient client(*this, version);
        ASSERT_TRUE(client.shake_hands()) << version;
        EXPECT_EQ(client.protocol(), "http/1.1");
        for (int i = 0; i < 3; ++i) {
            client.send(hello);
            EXPECT_TRUE(client.read_until(R"("hello")").starts_with("HTTP/1.1 200 OK\r\n"));
        }
    }
    EXPECT_FALSE(TlsClient(*this, TLS1_1_VERSION).shake_hands());
}

TEST_F(TlsTest, BodiesLargerThanOneRecordGoBothWays) {
    start();
    TlsClient client(*this);
    const std::string body(60'000, 'b');
    ASSERT_TRUE(client.shake_hands());
    client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n" + body);
    EXPECT_EQ(client.read_until(body).size() > body.size(), true);
    client.send("GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_GT(client.read_until("").size(), 16U << 20U);
    EXPECT_TRUE(client.ended_properly());
}

TEST_F(TlsTest, RequestsInOneRecordAreAllAnswered) {
    start();
    TlsClient client(*this);
    ASSERT_TRUE(client.shake_hands());
    client.send(hello + hello + hello);
    std::size_t answers = 0;
    for (; answers < 3; ++answers)
        EXPECT_NE(client.read_until(R"("hello")"), "");
    EXPECT_EQ(answers, 3U);
}

TEST_F(TlsTest, SessionIsResumedFromATicket) {
    start();
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsClient first(*this, version);
        ASSERT_TRUE(first.shake_hands());
        first.send(hello);
        first.read_until(R"("hello")");  // with version 1.3 the ticket comes before the answer
        const TlsSession ticket(SSL_get1_session(first.ssl()));
        TlsClient second(*this, version, ticket.get());
        ASSERT_TRUE(second.shake_hands());
        EXPECT_TRUE(SSL_session_reused(second.ssl())) << version;
    }
}

TEST_F(TlsTest, EndIsSaidBeforeTheConnectionIsClosed) {
    start();
    TlsClient client(*this);
    ASSERT_TRUE(client.shake_hands());
    client.send(hello);
    client.read_until(R"("hello")");
    server->drain();
    EXPECT_EQ(client.read_until(""), "");
    EXPECT_TRUE(client.ended_properly());
}

TEST_F(TlsTest, HalfClosedCallerStillGetsItsAnswer) {
    start();
    TlsClient client(*this);
    ASSERT_TRUE(client.shake_hands());
    client.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n");
    SSL_shutdown(client.ssl());
    until([this] { return held == 1; });
    release();
    EXPECT_TRUE(client.read_until("").ends_with(R"("held")"));
}

TEST_F(TlsTest, PlainRequestIsRefusedInClearAndLoggedAsSuch) {
    start();
    RawClient client(*this);
    const auto answer =
        client.ask("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n" + std::string(30'000, 'x'));
    EXPECT_EQ(answer.status, 400U);
    EXPECT_EQ(answer.code(), "bad_request");
    EXPECT_EQ(answer.field("Connection"), "close");
    EXPECT_EQ(answer.json().at("detail").as_string().find("this port speaks TLS"), 0U);
    client.close();
    until([this] { return server->connections() == 0; });
    EXPECT_TRUE(bodies.empty());
    EXPECT_EQ(log.count("info http.refused listener=test"), 1U);
    EXPECT_TRUE(log.has("this port speaks TLS"));
}

TEST_F(TlsTest, WhatIsNeitherTlsNorARequestIsClosedAndLogged) {
    start();
    RawClient client(*this);
    client.send(std::string(100, '\x01'));
    client.rest();
    EXPECT_EQ(log.count("info http.refused listener=test"), 1U);
    EXPECT_EQ(server->connections(), 0U);
}

TEST_F(TlsTest, HandshakeIsNotWaitedForForEver) {
    start();
    RawClient client(*this);
    client.send("\x16\x03");
    let_expire(options.header_time);
    EXPECT_EQ(client.rest(), "");
    EXPECT_EQ(server->connections(), 0U);
}

TEST_F(TlsTest, HandshakeThatIsUnderWayHasASecondWhileDraining) {
    start();
    RawClient slow(*this);
    slow.send("\x16\x03");
    TlsClient quick(*this);
    settle();
    server->drain();
    ASSERT_TRUE(quick.shake_hands());
    quick.send(hello);
    EXPECT_TRUE(quick.read_until("").ends_with(R"("hello")"));
    clock.advance(Duration(999));
    EXPECT_FALSE(slow.ended());
    clock.advance(Duration(1));
    EXPECT_EQ(slow.rest(), "");
}

TEST_F(TlsTest, ReloadedCertificateIsForNewConnections) {
    start();
    TlsClient before(*this);
    ASSERT_TRUE(before.shake_hands());
    EXPECT_EQ(before.server_name(), "first");
    EXPECT_TRUE(server->reload_tls(make_files(folder, "second")).has_value());
    TlsClient after(*this);
    ASSERT_TRUE(after.shake_hands());
    EXPECT_EQ(after.server_name(), "second");
    before.send(hello);
    EXPECT_NE(before.read_until(R"("hello")"), "");
}

TEST_F(TlsTest, AuthorityBehindTheCertificateIsKnownAndFollowsAReload) {
    const test::Authority authority;
    const auto issued = authority.issue("DNS:localhost");
    const TlsFiles alone{test::temporary_file(issued.cert), test::temporary_file(issued.key)};
    const TlsFiles with_authority{test::temporary_file(issued.cert + authority.pem()), alone.key};
    options.tls = with_authority;
    start();
    EXPECT_NE(server->certificate()->authority, "");
    EXPECT_TRUE(server->reload_tls(alone).has_value());
    EXPECT_EQ(server->certificate()->authority, "");
    EXPECT_TRUE(server->reload_tls(with_authority).has_value());
    EXPECT_NE(server->certificate()->authority, "");
}

// This is a client that checks certificates, and has no reason to trust this one.
class DistrustfulClient : public TlsClient {
  public:
    DistrustfulClient(Rig& rig, int version) : TlsClient(rig, version) {
        SSL_set_verify(ssl(), SSL_VERIFY_PEER, nullptr);
    }
};

TEST_F(TlsTest, CallersThatRefuseTheCertificateAreToldOnceAndCountedFromThenOn) {
    start();
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION, TLS1_3_VERSION})
        EXPECT_FALSE(DistrustfulClient(*this, version).shake_hands()) << version;
    until([this] { return server->connections() == 0; });
    EXPECT_EQ(log.count("http.refused"), 0U) << "a till that tries again and again is no line each time";
    ASSERT_EQ(log.count("warn http.certificate_refused listener=test"), 1U);
    EXPECT_TRUE(log.has("first.pem"));
    ASSERT_TRUE(server->certificate());
    EXPECT_EQ(server->certificate()->file, options.tls->cert);
    EXPECT_EQ(server->certificate()->refused, 3U);
    EXPECT_EQ(server->certificate()->refused_by, "127.0.0.1");
    EXPECT_EQ(server->certificate()->refused_at->wall(), clock.wall());
    const auto first = server->certificate()->refused_since->wall();
    clock.advance(std::chrono::minutes(59));
    EXPECT_FALSE(DistrustfulClient(*this, TLS1_3_VERSION).shake_hands());
    until([this] { return server->certificate()->refused == 4; });
    EXPECT_EQ(server->certificate()->refused_since->wall(), first) << "callers go on";
    clock.advance(std::chrono::minutes(60));
    EXPECT_FALSE(DistrustfulClient(*this, TLS1_3_VERSION).shake_hands());
    until([this] { return server->certificate()->refused == 5; });
    EXPECT_EQ(server->certificate()->refused_since->wall(), clock.wall()) << "and have begun anew";
    EXPECT_NE(server->certificate()->refused_why.find("unknown_ca"), std::string::npos);
}

TEST_F(TlsTest, RefusalsAreOfTheCertificateThatIsShown) {
    start();
    EXPECT_FALSE(DistrustfulClient(*this, TLS1_3_VERSION).shake_hands());
    until([this] { return server->connections() == 0; });
    EXPECT_TRUE(server->reload_tls(*options.tls).has_value());
    EXPECT_EQ(server->certificate()->refused, 1U) << "it is the same one";
    EXPECT_TRUE(server->reload_tls(make_files(folder, "second")).has_value());
    EXPECT_EQ(server->certificate()->refused, 0U);
    EXPECT_FALSE(DistrustfulClient(*this, TLS1_3_VERSION).shake_hands());
    until([this] { return server->connections() == 0; });
    EXPECT_EQ(log.count("warn http.certificate_refused"), 2U);
    EXPECT_EQ(server->certificate_refusals(), 2U);
}

TEST_F(TlsTest, FailedReloadKeepsTheOldCertificateAndSaysWhy) {
    start();
    const auto broken = (folder / "broken.pem").string();
    std::ofstream(broken) << "no certificate";
    EXPECT_EQ(server->reload_tls({"/nowhere/cert.pem", "/nowhere/key.pem"}).error(), errc::not_found);
    EXPECT_TRUE(log.has("error http.tls listener=test detail=\"/nowhere/cert.pem does not exist\""));
    EXPECT_EQ(server->reload_tls({broken, options.tls->key}).error(), errc::malformed);
    EXPECT_TRUE(log.has("broken.pem is no certificate in PEM"));
    EXPECT_EQ(server->reload_tls({options.tls->cert, make_files(folder, "other").key}).error(), errc::malformed);
    TlsClient client(*this);
    ASSERT_TRUE(client.shake_hands());
    EXPECT_EQ(client.server_name(), "first");
}

TEST_F(TlsTest, APlainListenerSaysSoToACallerThatSpeaksTls) {
    options.tls.reset();
    start();
    TlsClient client(*this);
    EXPECT_FALSE(client.shake_hands());
    RawClient raw(*this);
    const auto answer = raw.ask(std::string("\x16\x03\x01\x00\xf4\x01", 6) + std::string(200, '\x7f'));
    EXPECT_EQ(answer.status, 400U);
    EXPECT_EQ(answer.code(), "bad_request");
    EXPECT_EQ(answer.json().at("detail").as_string().find("this port speaks plain HTTP"), 0U);
    EXPECT_EQ(raw.rest(), "");
    EXPECT_TRUE(log.has("info http.refused"));
    EXPECT_TRUE(log.has("this port speaks plain HTTP"));
}

TEST_F(TlsTest, PlainListenerCannotBeMadeAnEncryptedOne) {
    const auto files = *std::exchange(options.tls, std::nullopt);
    start();
    EXPECT_EQ(server->reload_tls(files).error(), errc::malformed);
    EXPECT_EQ(ask(*this, hello).status, 200U);
}

TEST_F(TlsTest, BrokenFilesAreSaidInWordsThatNameTheListenerAndTheFile) {
    const auto good = *options.tls;
    EXPECT_NE(failure_of({"/nowhere.pem", good.key}).find("the test listener: /nowhere.pem does not exist"),
              std::string::npos);
    EXPECT_NE(failure_of({good.cert, good.cert}).find("first.pem is no key in PEM"), std::string::npos);
    EXPECT_NE(failure_of({good.cert, make_files(folder, "other").key}).find("other.key"), std::string::npos);
    EXPECT_NE(failure_of(make_files(folder, "locked", "passphrase")).find("locked.key is no key in PEM"),
              std::string::npos);
    EXPECT_EQ(failure_of(good), "none");
}

// This is a listener that asks for certificates, and answers with the names in them.
class ClientCertificateTest : public TlsTest {
  protected:
    ClientCertificateTest() {
        options.tls->client_ca = test::temporary_file(authority.pem());
        router.add(verb::get, "/who", [this](Request& request) -> asio::awaitable<Response> {
            Response response;
            for (const auto& name : request.certified.names)
                response.body += name + " ";
            response.body += "end";
            seen_end = request.certified.ends_at;
            co_return response;
        });
    }

    // Returns who the listener takes the caller for; nothing where it does not let the caller in.
    std::optional<std::string> who(const test::Certificate* own, int version = TLS1_3_VERSION,
                                   SSL_SESSION* resumed = nullptr) {
        TlsClient client(*this, version, resumed, own);
        // With version 1.3, the client is done before the server has checked its certificate.
        if (!client.shake_hands()) return std::nullopt;
        client.send("GET /who HTTP/1.1\r\nHost: x\r\n\r\n");
        const auto answer = client.read_until("end");
        session.reset(SSL_get1_session(client.ssl()));
        const auto body = answer.find("\r\n\r\n");
        if (body == std::string::npos) return std::nullopt;
        return answer.substr(body + 4);
    }

    test::Authority authority;
    TlsSession session;
    std::optional<WallTime> seen_end;  // the end of the certificate that was shown last
};

TEST_F(ClientCertificateTest, NamesInTheCertificateAreTold) {
    start();
    const auto one = authority.issue("DNS:caixa-01,DNS:caixa-01.store.example,IP:10.0.0.1");
    const auto by_common_name = authority.issue("");
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        EXPECT_EQ(who(&one, version), "caixa-01 caixa-01.store.example end");
        EXPECT_EQ(who(&one, version, session.get()), "caixa-01 caixa-01.store.example end") << "resumed";
        EXPECT_EQ(who(&by_common_name, version), "Test end");
    }
}

TEST_F(ClientCertificateTest, TheEndOfTheCertificateIsTold) {
    start();
    const auto one = authority.issue("DNS:caixa-01", "20990228235958Z");
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        for (const bool resumed : {false, true}) {
            seen_end.reset();
            EXPECT_EQ(who(&one, version, resumed ? session.get() : nullptr), "caixa-01 end");
            ASSERT_TRUE(seen_end);
            EXPECT_EQ(to_rfc3339(*seen_end), "2099-02-28T23:59:58.000Z") << (resumed ? "resumed" : "");
        }
    }
}

TEST_F(ClientCertificateTest, NobodyElseComesIn) {
    start();
    const auto of_another = test::Authority("Somebody Else").issue("DNS:caixa-01");
    const auto expired = authority.issue("DNS:caixa-01", "20010101000000Z");
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        EXPECT_EQ(who(nullptr, version), std::nullopt);
        EXPECT_EQ(who(&of_another, version), std::nullopt);
        EXPECT_EQ(who(&expired, version), std::nullopt);
    }
}

TEST_F(ClientCertificateTest, AuthoritiesAreReloaded) {
    start();
    const test::Authority next("Next");
    const auto of_next = next.issue("DNS:caixa-01");
    const auto of_first = authority.issue("DNS:caixa-01");
    EXPECT_EQ(who(&of_next), std::nullopt);
    EXPECT_EQ(who(&of_first), "caixa-01 end");
    auto files = *options.tls;
    files.client_ca = test::temporary_file(next.pem());
    EXPECT_TRUE(server->reload_tls(files).has_value());
    EXPECT_EQ(who(&of_next), "caixa-01 end");
    EXPECT_EQ(who(&of_first), std::nullopt);
    files.client_ca = test::temporary_file("rubbish");
    EXPECT_EQ(server->reload_tls(files).error(), errc::malformed);
    EXPECT_EQ(who(&of_next), "caixa-01 end");
}

TEST_F(ClientCertificateTest, WithoutAuthoritiesNobodyIsAsked) {
    options.tls->client_ca.clear();
    start();
    const auto own = authority.issue("DNS:caixa-01");
    EXPECT_EQ(who(&own), "end");
    EXPECT_EQ(who(nullptr), "end");
    EXPECT_FALSE(seen_end);
}

TEST_F(TlsTest, WorldMayEndAtAnyAwaitOfAHandshake) {
    const auto files = *options.tls;
    for (std::size_t steps = 0; steps < 25; ++steps) {
        Rig rig;
        rig.options.tls = files;
        rig.start();
        TlsClient client(rig);
        for (std::size_t step = 0; step < steps; ++step) {
            ERR_clear_error();
            if (SSL_do_handshake(client.ssl()) == 1)
                SSL_write(client.ssl(), hello.data(), static_cast<int>(hello.size()));
            rig.io.restart();
            rig.io.poll_one();
        }
    }
}

}  // namespace
}  // namespace gateway::http
