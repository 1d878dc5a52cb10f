#include "net/ready_socket.hpp"

#include "unit/support/connected.hpp"

#include <fcntl.h>

namespace gateway::test {
namespace {

namespace asio = boost::asio;
using Way = ReadySocket::Way;

class ReadySocketTest : public testing::Test {
  protected:
    // Everything that can happen now.
    void settle() {
        io.restart();
        io.poll();
    }
    // Whether a wait that begins now ends, with nothing more than what was done before.
    bool ready(Way way) {
        const Waiting waiting(near(), way);
        EXPECT_EQ(waiting.told(), 0) << "never before wait() has returned";
        settle();
        if (waiting.told() == 1) return !waiting.result();
        near().cancel();
        settle();
        return false;
    }
    // Writes until there is no room.
    void fill() {
        const std::string much(1 << 20, 'x');
        while (near().send(much) > 0)
            continue;
        EXPECT_TRUE(ReadySocket::would_block());
    }
    ReadySocket& near() { return *ends.near; }

    asio::io_context io;
    Connected ends{io};
};

TEST_F(ReadySocketTest, AWaitEndsWithWhatComesLater) {
    const Waiting waiting(near(), Way::read);
    settle();
    EXPECT_EQ(waiting.told(), 0);
    ends.send("x");
    settle();
    EXPECT_EQ(waiting.told(), 1);
    EXPECT_FALSE(waiting.result());
    EXPECT_EQ(ends.received(), "x");
}

TEST_F(ReadySocketTest, AWaitForWhatIsThereAlreadyEnds) {
    ends.send("x");
    EXPECT_TRUE(ready(Way::read));
    EXPECT_TRUE(ready(Way::read)) << "again, for nobody has read it";
}

TEST_F(ReadySocketTest, WhatWasReadIsWaitedForNoLonger) {
    ends.send("one");
    EXPECT_TRUE(ready(Way::read));
    EXPECT_EQ(ends.received(), "one");
    EXPECT_FALSE(ready(Way::read));
    ends.send("two");
    EXPECT_TRUE(ready(Way::read));
    EXPECT_EQ(ends.received(), "two");
}

TEST_F(ReadySocketTest, BytesLeftBehindEndTheNextWait) {
    ends.send("many bytes");
    EXPECT_TRUE(ready(Way::read));
    EXPECT_EQ(ends.received(4), "many");
    EXPECT_TRUE(ready(Way::read));
    EXPECT_EQ(ends.received(6), " bytes");
    EXPECT_FALSE(ready(Way::read)) << "read in pieces that were full, to the last byte";
    ends.send("x");
    EXPECT_TRUE(ready(Way::read));
}

TEST_F(ReadySocketTest, ALookTakesNothingAway) {
    ends.send("x");
    EXPECT_TRUE(ready(Way::read));
    std::array<char, 4> room{};
    EXPECT_EQ(near().receive(room, MSG_PEEK), 1);
    EXPECT_TRUE(ready(Way::read));
    EXPECT_EQ(ends.received(), "x");
}

TEST_F(ReadySocketTest, AnEndThatWasAnnouncedWithTheLastBytesIsNotLost) {
    ends.send("last");
    ends.far.shutdown(asio::socket_base::shutdown_send);
    EXPECT_TRUE(ready(Way::read));
    EXPECT_EQ(ends.received(), "last");
    EXPECT_TRUE(ready(Way::read));
    std::array<char, 4> room{};
    EXPECT_EQ(near().receive(room), 0);
    EXPECT_EQ(near().send("still"), 5) << "the other way stays open";
}

TEST_F(ReadySocketTest, AnEndThatComesAfterTheLastBytesIsAnnouncedToo) {
    ends.send("last");
    EXPECT_TRUE(ready(Way::read));
    EXPECT_EQ(ends.received(), "last");
    EXPECT_FALSE(ready(Way::read));
    ends.far.shutdown(asio::socket_base::shutdown_send);
    EXPECT_TRUE(ready(Way::read));
}

TEST_F(ReadySocketTest, AResetIsForTheReadToFind) {
    EXPECT_FALSE(ready(Way::read));
    ends.far.set_option(asio::socket_base::linger(true, 0));
    ends.far.close();
    EXPECT_TRUE(ready(Way::read));
    EXPECT_TRUE(ready(Way::write));
    std::array<char, 4> room{};
    EXPECT_EQ(near().receive(room), -1);
    EXPECT_EQ(ReadySocket::last_error(), asio::error::connection_reset);
}

TEST_F(ReadySocketTest, BytesBehindAnUrgentOneAreRead) {
    ends.send("before");
    ends.far.send(asio::buffer("!", 1), asio::socket_base::message_out_of_band);
    ends.send("behind");
    EXPECT_TRUE(ready(Way::read));
    EXPECT_EQ(ends.received(), "before") << "a read ends at the urgent byte, however much follows";
    EXPECT_TRUE(ready(Way::read));
    EXPECT_EQ(ends.received(), "behind");
    EXPECT_EQ(ends.received(), "");
    EXPECT_FALSE(ready(Way::read));
}

TEST_F(ReadySocketTest, AWaitToWriteEndsWhenThereIsRoom) {
    EXPECT_TRUE(ready(Way::write));
    fill();
    EXPECT_FALSE(ready(Way::write));
    const Waiting waiting(near(), Way::write);
    std::string room(1 << 20, '\0');
    boost::system::error_code error;
    while (waiting.told() == 0 && !error) {
        ends.far.read_some(asio::buffer(room), error);
        settle();
    }
    EXPECT_EQ(waiting.told(), 1);
    EXPECT_EQ(near().send("y"), 1);
}

TEST_F(ReadySocketTest, BytesToReadEndNoWaitToWrite) {
    fill();
    const Waiting waiting(near(), Way::write);
    ends.send("x");
    settle();
    EXPECT_EQ(waiting.told(), 0);
    near().cancel();
    settle();
    EXPECT_TRUE(ready(Way::read)) << "they were announced meanwhile, and that is remembered";
}

TEST_F(ReadySocketTest, ACancelledWaitSaysSo) {
    const Waiting waiting(near(), Way::read);
    near().cancel();
    EXPECT_EQ(waiting.told(), 0) << "later, as everything";
    settle();
    EXPECT_EQ(waiting.told(), 1);
    EXPECT_EQ(waiting.result(), asio::error::operation_aborted);
    ends.send("x");
    EXPECT_TRUE(ready(Way::read)) << "the next one is another";
}

TEST_F(ReadySocketTest, ACancelWithoutAWaitMeansNothing) {
    near().cancel();
    settle();
    ends.send("x");
    EXPECT_TRUE(ready(Way::read));
}

TEST_F(ReadySocketTest, CloseEndsTheWaitAndEveryLaterOne) {
    const Waiting waiting(near(), Way::read);
    near().close();
    settle();
    EXPECT_EQ(waiting.told(), 1);
    EXPECT_EQ(waiting.result(), asio::error::operation_aborted);
    const Waiting later(near(), Way::read);
    settle();
    EXPECT_EQ(later.result(), asio::error::bad_descriptor);
    std::array<char, 4> room{};
    EXPECT_EQ(near().receive(room), -1);
    EXPECT_FALSE(ReadySocket::would_block());
    EXPECT_EQ(near().send("x"), -1);
    near().close();
}

TEST_F(ReadySocketTest, ASocketThatIsDestroyedEndsItsWait) {
    const Waiting waiting(near(), Way::read);
    ends.near.reset();
    settle();
    EXPECT_EQ(waiting.told(), 1);
    EXPECT_EQ(waiting.result(), asio::error::operation_aborted);
}

TEST_F(ReadySocketTest, WhatTheSystemCannotWatchIsRefusedAndClosed) {
    const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ReadySocket socket(io.get_executor());
    EXPECT_TRUE(socket.adopt(descriptor));
    EXPECT_LT(socket.descriptor(), 0);
    EXPECT_EQ(::fcntl(descriptor, F_GETFD), -1);
}

}  // namespace
}  // namespace gateway::test
