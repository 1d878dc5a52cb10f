#include "net/stream.hpp"

#include "unit/support/self_signed.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace gateway::test {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Outcome = Stream::Outcome;

struct FreeContext {
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

template <class Read>
auto from_pem(const std::string& text, Read read) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
                                                        &BIO_free);
    return read(bio.get(), nullptr, nullptr, nullptr);
}

Ssl server_side() {
    const auto pair = make_self_signed();
    const Context context(SSL_CTX_new(TLS_server_method()));
    const std::unique_ptr<X509, decltype(&X509_free)> cert(from_pem(pair.cert, PEM_read_bio_X509), &X509_free);
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(from_pem(pair.key, PEM_read_bio_PrivateKey),
                                                                  &EVP_PKEY_free);
    SSL_CTX_use_certificate(context.get(), cert.get());
    SSL_CTX_use_PrivateKey(context.get(), key.get());
    Ssl ssl(SSL_new(context.get()));
    SSL_set_accept_state(ssl.get());
    return ssl;
}

Ssl client_side() {
    const Context context(SSL_CTX_new(TLS_client_method()));
    Ssl ssl(SSL_new(context.get()));
    SSL_set_connect_state(ssl.get());
    return ssl;
}

// Has the two ends of a connection on this machine. What one end has sent is there for the other at once.
class StreamTest : public testing::Test {
  protected:
    StreamTest() {
        tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
        tcp::socket near_end(io);
        near_end.connect(acceptor.local_endpoint());
        near.emplace(std::move(near_end));
        far.emplace(acceptor.accept());
    }

    void secure() {
        near->secure(client_side());
        far->secure(server_side());
        bool near_done = false;
        bool far_done = false;
        for (int i = 0; i < 100 && !(near_done && far_done); ++i) {
            near_done = near_done || near->handshake().outcome == Outcome::done;
            far_done = far_done || far->handshake().outcome == Outcome::done;
        }
        ASSERT_TRUE(near_done && far_done) << Stream::tls_failure();
    }

    // Returns what can be read now.
    static std::string received(Stream& stream) {
        std::array<char, 4096> room{};
        const auto step = stream.read(room);
        return step.outcome == Outcome::done ? std::string(room.data(), step.bytes) : std::string();
    }
    static Outcome read_outcome(Stream& stream) {
        std::array<char, 16> room{};
        return stream.read(room).outcome;
    }
    // Tells whether a wait that begins now ends after `then` was called, and not before.
    bool wait_ends_by(Stream& stream, Outcome wanted, const std::function<void()>& then) {
        bool ended = false;
        asio::co_spawn(io, waiting(stream, wanted, ended), asio::detached);
        io.restart();
        io.poll();
        if (ended) return false;
        then();
        io.restart();
        io.run_one();
        io.poll();
        return ended;
    }
    static asio::awaitable<void> waiting(Stream& stream, Outcome wanted, bool& ended) {
        co_await stream.wait(wanted);
        ended = true;
    }

    asio::io_context io;
    std::optional<Stream> near;
    std::optional<Stream> far;
};

TEST_F(StreamTest, BytesGoBothWays) {
    EXPECT_EQ(near->write("ping").outcome, Outcome::done);
    EXPECT_EQ(received(*far), "ping");
    EXPECT_EQ(far->write("pong").outcome, Outcome::done);
    EXPECT_EQ(received(*near), "pong");
    EXPECT_FALSE(near->encrypted());
}

TEST_F(StreamTest, AReadWithNothingToReadWaitsForNothing) {
    EXPECT_EQ(read_outcome(*near), Outcome::wait_read);
}

TEST_F(StreamTest, AWaitEndsWhenThereIsSomethingToRead) {
    EXPECT_TRUE(wait_ends_by(*near, Outcome::wait_read, [&] { far->write("x"); }));
    EXPECT_EQ(received(*near), "x");
}

TEST_F(StreamTest, AWaitEndsByCancelAndByClose) {
    EXPECT_TRUE(wait_ends_by(*near, Outcome::wait_read, [&] { near->cancel(); }));
    EXPECT_TRUE(wait_ends_by(*near, Outcome::wait_read, [&] { near->close(); }));
}

TEST_F(StreamTest, AWriteThatFindsNoRoomSaysSoAndGoesOnLater) {
    const std::string much(1 << 20, 'x');
    auto step = near->write(much);
    std::uint64_t taken = 0;
    for (; step.outcome == Outcome::done; step = near->write(much))
        taken += step.bytes;
    EXPECT_EQ(step.outcome, Outcome::wait_write);
    EXPECT_EQ(near->sent(), taken);
    std::string room(1 << 20, '\0');
    std::uint64_t got = 0;
    for (auto read = far->read(room); read.outcome == Outcome::done; read = far->read(room))
        got += read.bytes;
    EXPECT_GT(got, 0u);
    EXPECT_EQ(near->write("y").outcome, Outcome::done);
}

TEST_F(StreamTest, TheEndOfThePeersBytesIsTold) {
    near->write("last");
    near->finish();
    EXPECT_EQ(received(*far), "last");
    EXPECT_EQ(read_outcome(*far), Outcome::ended);
    EXPECT_EQ(far->write("still").outcome, Outcome::done) << "the other way stays open";
    EXPECT_EQ(received(*near), "still");
}

TEST_F(StreamTest, AConnectionThatWasResetIsLost) {
    far->write("unread");
    near->close();  // bytes were not read, so this is a reset
    EXPECT_EQ(read_outcome(*far), Outcome::failed);
}

TEST_F(StreamTest, QuietIsAConnectionThatThePeerNeitherClosedNorSentTo) {
    EXPECT_TRUE(near->quiet());
    far->write("x");
    EXPECT_FALSE(near->quiet());
    EXPECT_EQ(received(*near), "x") << "looking takes nothing away";
    EXPECT_TRUE(near->quiet());
    far->finish();
    EXPECT_FALSE(near->quiet());
}

TEST_F(StreamTest, AConnectionWhoseEndCameWithItsLastBytesIsNotQuiet) {
    far->write("last");
    far->finish();
    EXPECT_EQ(received(*near), "last");
    EXPECT_FALSE(near->quiet()) << "the end is still to be read";
}

TEST_F(StreamTest, WhatIsDiscardedIsGone) {
    far->write("rubbish");
    std::array<char, 64> room{};
    EXPECT_EQ(near->discard(room).bytes, 7u);
    EXPECT_EQ(read_outcome(*near), Outcome::wait_read);
}

TEST_F(StreamTest, ConnectsToAListenerAndNotToNobody) {
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    const auto listening = acceptor.local_endpoint();
    const auto connected = [&](const tcp::endpoint& peer) {
        Stream stream{io.get_executor()};
        EXPECT_FALSE(stream.open(peer));
        boost::system::error_code result = asio::error::would_block;
        const auto connecting = [](Stream& to_connect, tcp::endpoint where,
                                   boost::system::error_code& error) -> asio::awaitable<void> {
            const auto outcome = co_await to_connect.connect(where);
            error = std::get<0>(outcome);
        };
        asio::co_spawn(io, connecting(stream, peer, result), asio::detached);
        io.restart();
        while (result == asio::error::would_block)
            io.run_one();
        return !result;
    };
    EXPECT_TRUE(connected(listening));
    acceptor.close();
    EXPECT_FALSE(connected(listening));
}

TEST_F(StreamTest, EncryptedBytesGoBothWays) {
    secure();
    EXPECT_TRUE(near->encrypted());
    near->write("ping");
    EXPECT_EQ(received(*far), "ping");
    far->write("pong");
    EXPECT_EQ(received(*near), "pong");
    EXPECT_GT(near->sent(), 4u) << "what TLS itself takes counts";
}

TEST_F(StreamTest, NothingOfAnEncryptedTextIsReadable) {
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    near->secure(client_side());
    near->handshake();
    const auto hello = received(*far);  // it was not told that this is TLS
    EXPECT_GT(hello.size(), 50u);
    EXPECT_EQ(hello.front(), '\x16');
}

TEST_F(StreamTest, BytesThatWaitInsideTheTlsLibraryAreAnnounced) {
    secure();
    near->write("more than one byte");
    std::array<char, 1> room{};
    EXPECT_EQ(far->read(room).bytes, 1u);
    EXPECT_TRUE(far->pending());
    EXPECT_EQ(received(*far), "ore than one byte");
    EXPECT_FALSE(far->pending());
}

TEST_F(StreamTest, TheEndOfAnEncryptedConnectionIsTold) {
    secure();
    received(*near);  // these are the server's session tickets
    near->write("last");
    near->finish();
    EXPECT_EQ(received(*far), "last");
    EXPECT_EQ(read_outcome(*far), Outcome::ended);
}

TEST_F(StreamTest, AnEncryptedConnectionIsQuietBesideTlssOwnMessages) {
    secure();
    EXPECT_TRUE(near->quiet()) << "session tickets are nobody's bytes";
    far->write("x");
    EXPECT_FALSE(near->quiet());
    EXPECT_EQ(received(*near), "x");
    far->finish();
    EXPECT_FALSE(near->quiet());
}

TEST_F(StreamTest, ARecordThatCameWithAnotherIsStillThere) {
    secure();
    received(*near);  // these are the server's session tickets
    far->write("one");
    far->write("two");
    EXPECT_EQ(received(*near), "one");
    EXPECT_TRUE(near->pending()) << "inside the TLS library: nothing will announce it";
    EXPECT_FALSE(near->quiet());
    EXPECT_EQ(received(*near), "two");
    EXPECT_FALSE(near->pending());
    EXPECT_TRUE(near->quiet());
}

TEST_F(StreamTest, AnEncryptedConnectionThatIsCutShortIsNotEnded) {
    secure();
    received(*near);
    near->close();  // it says nothing in TLS
    EXPECT_EQ(read_outcome(*far), Outcome::failed) << "somebody may have cut it";
}

TEST_F(StreamTest, RubbishInsteadOfAHandshakeFailsAndSaysWhy) {
    far->secure(server_side());
    near->write("GET / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(far->handshake().outcome, Outcome::failed);
    EXPECT_NE(Stream::tls_failure(), "");
    EXPECT_EQ(read_outcome(*far), Outcome::failed);
    EXPECT_EQ(far->write("x").outcome, Outcome::failed);
    EXPECT_FALSE(far->quiet());
}

}  // namespace
}  // namespace gateway::test
