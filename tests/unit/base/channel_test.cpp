// Plain channels; encrypted ones are tested with the server they are for, in tls_test.cpp.
#include "base/channel.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

namespace gateway {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Outcome = Channel::Outcome;

class ChannelTest : public testing::Test {
  protected:
    ChannelTest() : peer(io), channel(accepted()) {}

    tcp::socket accepted() {
        tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0});
        peer.connect(acceptor.local_endpoint());
        return acceptor.accept();
    }
    // Runs until the channel says that it is ready.
    void wait(Outcome wanted) {
        bool ready = false;
        asio::co_spawn(io, channel.wait(wanted),
                       [&ready](const std::exception_ptr&, std::tuple<boost::system::error_code>) { ready = true; });
        io.restart();
        io.run_for(std::chrono::seconds(20));
        EXPECT_TRUE(ready);
    }
    std::string text(const Channel::Step& step) const { return {room.data(), step.bytes}; }

    asio::io_context io;
    tcp::socket peer;
    Channel channel;
    std::array<char, 64> room{};
};

TEST_F(ChannelTest, ReadOfNothingAsksToWait) {
    EXPECT_EQ(channel.read(room).outcome, Outcome::wait_read);
    EXPECT_FALSE(channel.encrypted());
    EXPECT_FALSE(channel.pending());
}

TEST_F(ChannelTest, WaitEndsWhenThereIsSomethingToRead) {
    asio::write(peer, asio::buffer("hello", 5));
    wait(Outcome::wait_read);
    const auto step = channel.read(room);
    EXPECT_EQ(step.outcome, Outcome::done);
    EXPECT_EQ(text(step), "hello");
}

TEST_F(ChannelTest, BytesThatWereNotReadAreAnnouncedAgain) {
    asio::write(peer, asio::buffer("hello", 5));
    wait(Outcome::wait_read);
    EXPECT_EQ(text(channel.read(std::span(room).first(2))), "he");
    wait(Outcome::wait_read);
    EXPECT_EQ(text(channel.read(room)), "llo");
}

TEST_F(ChannelTest, EndOfThePeersSendingIsNoFailure) {
    peer.shutdown(tcp::socket::shutdown_send);
    wait(Outcome::wait_read);
    EXPECT_EQ(channel.read(room).outcome, Outcome::ended);
    EXPECT_EQ(channel.write("bye").outcome, Outcome::done);
}

TEST_F(ChannelTest, ResetIsAFailure) {
    peer.set_option(tcp::socket::linger(true, 0));
    peer.close();
    wait(Outcome::wait_read);
    EXPECT_EQ(channel.read(room).outcome, Outcome::failed);
    EXPECT_EQ(channel.write("x").outcome, Outcome::failed) << "and raises no signal";
}

TEST_F(ChannelTest, WriteThatThePeerDoesNotTakeAsksToWaitAndGoesOnLater) {
    const std::string piece(1U << 20U, 'x');
    std::size_t sent = 0;
    auto step = channel.write(piece);
    for (; step.outcome == Outcome::done; step = channel.write(piece))
        sent += step.bytes;
    EXPECT_EQ(step.outcome, Outcome::wait_write);
    std::vector<char> taken(sent);
    asio::read(peer, asio::buffer(taken));
    wait(Outcome::wait_write);
    EXPECT_EQ(channel.write(piece).outcome, Outcome::done);
}

TEST_F(ChannelTest, FinishEndsTheSendingHalfOnly) {
    channel.finish();
    boost::system::error_code error;
    peer.read_some(asio::buffer(room), error);
    EXPECT_EQ(error, asio::error::eof);
    asio::write(peer, asio::buffer("late", 4));
    wait(Outcome::wait_read);
    EXPECT_EQ(text(channel.discard(room)), "late");
}

TEST_F(ChannelTest, CancelAndCloseEndAWait) {
    for (const auto end : {&Channel::cancel, &Channel::close}) {
        bool ended = false;
        asio::co_spawn(io, channel.wait(Outcome::wait_read),
                       [&ended](const std::exception_ptr&, std::tuple<boost::system::error_code>) { ended = true; });
        io.restart();
        io.poll();
        EXPECT_FALSE(ended);
        (channel.*end)();
        io.restart();
        io.poll();
        EXPECT_TRUE(ended);
    }
    EXPECT_EQ(channel.read(room).outcome, Outcome::failed);
}

}  // namespace
}  // namespace gateway
