#include "http/server/server.hpp"

#include "unit/http/server/rig.hpp"

#include <sys/resource.h>
#include <unistd.h>

namespace gateway::http {
namespace {

const std::string slow = "GET /hold HTTP/1.1\r\nHost: x\r\n\r\n";

class ServerTest : public testing::Test, public Rig {
  protected:
    // the result of drained(), once that has ended
    std::optional<bool> drained;
    void wait_drained(Duration patience) {
        asio::co_spawn(io, server->drained(clock.now() + patience),
                       [this](const std::exception_ptr&, bool yes) { drained = yes; });
        settle();
    }
};

TEST_F(ServerTest, ListensFromTheStartButAcceptsWhenTold) {
    server.emplace(io.get_executor(), options, std::move(router), clock, random, log);
    EXPECT_NE(server->endpoint().port(), 0);
    RawClient early(*this);
    early.send(hello);
    EXPECT_EQ(early.received(), "");
    EXPECT_EQ(server->connections(), 0U);
    server->start();
    EXPECT_EQ(early.answer().status, 200U);
}

TEST_F(ServerTest, PortInUseIsSaidInWordsThatNameTheListener) {
    start();
    auto same = options;
    same.endpoint = server->endpoint();
    try {
        const Server second(io.get_executor(), same, Router(), clock, random, log);
        FAIL() << "two servers listen on one port";
    } catch (const std::exception& failure) {
        EXPECT_EQ(std::string(failure.what()),
                  "the test listener cannot listen on 127.0.0.1:" + std::to_string(same.endpoint.port()) +
                      ": Address already in use; another program listens there, or "
                      "another gateway");
    }
}

// This is a listening socket that somebody else made, and keeps.
class ForeignSocket {
  public:
    ForeignSocket() : acceptor_(io_, {asio::ip::make_address("127.0.0.1"), 0}) {}
    // Returns a descriptor that the server may close.
    int borrowed() { return ::dup(acceptor_.native_handle()); }
    asio::ip::tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }
    // Tells whether a caller waits to be accepted.
    bool has_caller() {
        acceptor_.non_blocking(true);
        boost::system::error_code none;
        asio::ip::tcp::socket caller(io_);
        acceptor_.accept(caller, none);
        return !none;
    }

  private:
    asio::io_context io_;
    asio::ip::tcp::acceptor acceptor_;
};

TEST_F(ServerTest, ListensOnASocketThatItIsHanded) {
    ForeignSocket socket;
    options.endpoint = {asio::ip::make_address("192.0.2.1"), 1};  // not this machine's: not looked at
    options.descriptor = socket.borrowed();
    start();
    EXPECT_EQ(server->endpoint(), socket.endpoint());
    EXPECT_EQ(ask(*this, hello).status, 200U);
}

TEST_F(ServerTest, CallersOfAHandedSocketWaitForTheNextServerAfterADrain) {
    ForeignSocket socket;
    options.descriptor = socket.borrowed();
    start();
    server->drain();
    settle();
    RawClient between(*this);
    between.send(hello);
    EXPECT_FALSE(between.ended()) << "neither refused nor hung up on";
    EXPECT_EQ(server->connections(), 0U);
    server.reset();
    settle();
    add_routes();
    options.descriptor = socket.borrowed();
    start();
    EXPECT_EQ(between.answer().status, 200U);
    EXPECT_FALSE(socket.has_caller());
}

TEST_F(ServerTest, ADrainLosesNobodyBetweenTheAcceptAndTheFirstRead) {
    for (int steps = 0; steps < 12; ++steps) {
        SCOPED_TRACE(steps);
        ForeignSocket socket;
        if (steps > 0) add_routes();
        options.descriptor = socket.borrowed();
        start();
        RawClient caller(*this);
        asio::write(caller.socket(), asio::buffer(hello));  // without letting the server run
        for (int step = 0; step < steps; ++step)
            io.poll_one();
        server->drain();
        settle();
        // Either this server has accepted the caller and answers, or the next one will.
        if (!socket.has_caller()) {
            EXPECT_EQ(caller.answer().status, 200U);
        }
        server.reset();
        settle();
    }
}

TEST_F(ServerTest, ADescriptorThatIsNoListeningTcpSocketIsRefusedInWords) {
    asio::ip::tcp::socket unbound(io, asio::ip::tcp::v4());
    asio::ip::udp::socket udp(io, asio::ip::udp::v4());
    for (const int descriptor :
         {::dup(unbound.native_handle()), ::dup(udp.native_handle()), ::dup(STDERR_FILENO), -1}) {
        options.descriptor = descriptor;
        try {
            const Server server_of_nothing(io.get_executor(), options, Router(), clock, random, log);
            FAIL() << "it listens on descriptor " << descriptor;
        } catch (const boost::system::system_error& failure) {
            EXPECT_NE(std::string(failure.what()).find("the test listener was handed descriptor"), std::string::npos);
        }
        ::close(descriptor);
    }
}

TEST_F(ServerTest, PortCanBeTakenAgainRightAfterAServerWithConnections) {
    start();
    RawClient client(*this);
    client.ask(hello);
    options.endpoint = server->endpoint();
    server.reset();
    settle();
    server.emplace(io.get_executor(), options, Router(), clock, random, log);
    EXPECT_EQ(server->endpoint(), options.endpoint);
}

TEST_F(ServerTest, WildcardOfVersionSixTakesCallersOfBothVersions) {
    options.endpoint = {asio::ip::make_address("::"), 0};
    try {
        start();
    } catch (const boost::system::system_error& failure) {
        GTEST_SKIP() << "no IPv6 here: " << failure.what();
    }
    asio::ip::tcp::socket socket(io);
    socket.connect({asio::ip::make_address("127.0.0.1"), server->endpoint().port()});
    asio::write(socket, asio::buffer(hello));
    until([&] { return log.has("remote=127.0.0.1"); });
}

TEST_F(ServerTest, AnswersAreCountedByTheirStatus) {
    start();
    RawClient client(*this);
    client.ask(hello);
    client.ask(hello);
    client.ask("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
    client.ask("rubbish\r\n\r\n");
    EXPECT_EQ(server->answers(), (Answers{{200, 2}, {400, 1}, {404, 1}}));
}

TEST_F(ServerTest, CallTimesAreKeptByTheRouteAndNeverByThePath) {
    start();
    RawClient client(*this);
    client.ask(hello);
    client.ask("GET /items/7 HTTP/1.1\r\nHost: x\r\n\r\n");
    client.ask("GET /items/8 HTTP/1.1\r\nHost: x\r\n\r\n");
    client.ask("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
    client.ask("rubbish\r\n\r\n");
    std::map<std::string_view, std::uint64_t> counts;
    for (const auto& [call, times] : server->call_times())
        counts[call] = times.count();
    EXPECT_EQ(counts, (std::map<std::string_view, std::uint64_t>{{"/hello", 1}, {"/items/{id}", 2}, {"other", 2}}));
}

TEST_F(ServerTest, ACallTakesFromTheCompleteHeadToTheAnswer) {
    start();
    RawClient client(*this);
    client.send("GET /hold HTTP/1.1\r\nHost:");
    settle();
    clock.advance(Duration(5000));
    client.send(" x\r\n\r\n");
    until([this] { return held == 1; });
    clock.advance(Duration(1234));
    release();
    client.answer();
    EXPECT_DOUBLE_EQ(server->call_times().at("/hold").sum_s(), 1.234);
    client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na");
    settle();
    clock.advance(Duration(2000));
    client.send("b");
    client.answer();
    EXPECT_DOUBLE_EQ(server->call_times().at("/echo").sum_s(), 2);
}

TEST_F(ServerTest, ACallWhoseAnswerNobodyGetsHasNoTime) {
    start();
    RawClient client(*this);
    client.send("GET /drop HTTP/1.1\r\nHost: x\r\n\r\n");
    until([this] { return log.count("http.request") == 1; });
    EXPECT_TRUE(server->call_times().empty());
}

TEST_F(ServerTest, DrainClosesTheIdleAndFinishesTheBusy) {
    start();
    RawClient idle(*this);
    idle.ask(hello);
    RawClient fresh(*this);
    RawClient busy(*this);
    busy.send(slow);
    until([this] { return held == 1; });
    EXPECT_EQ(server->busy(), 1U);
    server->drain();
    EXPECT_EQ(idle.rest(), "");
    EXPECT_EQ(server->busy(), 2U) << "one may have a request on its way";
    clock.advance(Duration(999));
    EXPECT_FALSE(fresh.ended());
    clock.advance(Duration(1));
    EXPECT_EQ(fresh.rest(), "");
    EXPECT_EQ(server->busy(), 1U);
    wait_drained(Duration(10'000));
    EXPECT_FALSE(drained);
    release();
    const auto answer = busy.answer();
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.field("Connection"), "close");
    EXPECT_EQ(busy.rest(), "");
    EXPECT_EQ(drained, true);
    EXPECT_EQ(server->busy(), 0U);
}

TEST_F(ServerTest, DrainAnswersTheFirstRequestOfACallerThatHadJustConnected) {
    start();
    RawClient client(*this);
    server->drain();
    wait_drained(Duration(10'000));
    clock.advance(Duration(999));
    EXPECT_FALSE(drained);
    const auto answer = client.ask(hello);
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.field("Connection"), "close");
    EXPECT_EQ(drained, true);
    client.send(hello);
    EXPECT_EQ(client.rest(), "") << "the first one only";
}

TEST_F(ServerTest, DrainGivesARequestThatBeginsInThatSecondItsUsualTime) {
    start();
    RawClient client(*this);
    server->drain();
    client.send(hello.substr(0, 10));
    clock.advance(Duration(5'000));
    client.send(hello.substr(10));
    EXPECT_EQ(client.answer().status, 200U);
}

TEST_F(ServerTest, DrainLetsARequestThatHasBegunComeToItsAnswer) {
    start();
    RawClient client(*this);
    client.send(hello.substr(0, 10));
    until([this] { return server->busy() == 1; });
    server->drain();
    settle();
    client.send(hello.substr(10));
    EXPECT_EQ(client.answer().field("Connection"), "close");
}

TEST_F(ServerTest, DrainAnswersARequestThatWasAlreadySent) {
    start();
    RawClient client(*this);
    client.ask(hello);
    asio::write(client.socket(), asio::buffer(hello));  // without letting the server run
    server->drain();
    EXPECT_EQ(client.answer().field("Connection"), "close");
    EXPECT_EQ(client.rest(), "");
}

TEST_F(ServerTest, DrainAcceptsNobodyAnyMore) {
    start();
    server->drain();
    settle();
    asio::ip::tcp::socket socket(io);
    boost::system::error_code error;
    socket.connect(server->endpoint(), error);
    EXPECT_EQ(error, asio::error::connection_refused);
    server->drain();
}

TEST_F(ServerTest, DrainBeforeTheStartIsTheEnd) {
    server.emplace(io.get_executor(), options, std::move(router), clock, random, log);
    server->drain();
    server->start();
    settle();
    asio::ip::tcp::socket socket(io);
    boost::system::error_code error;
    socket.connect(server->endpoint(), error);
    EXPECT_EQ(error, asio::error::connection_refused);
}

TEST_F(ServerTest, DrainedEndsWithItsPatience) {
    start();
    RawClient busy(*this);
    busy.send(slow);
    until([this] { return held == 1; });
    server->drain();
    wait_drained(Duration(500));
    clock.advance(Duration(499));
    EXPECT_FALSE(drained);
    clock.advance(Duration(1));
    EXPECT_EQ(drained, false);
}

TEST_F(ServerTest, DrainedEndsAtOnceWhenNobodyIsBusy) {
    start();
    server->drain();
    wait_drained(Duration(500));
    EXPECT_EQ(drained, true);
}

TEST_F(ServerTest, AcceptsAgainAfterThereWasNoFileDescriptorLeft) {
    server.emplace(io.get_executor(), options, std::move(router), clock, random, log);
    RawClient client(*this);
    rlimit usual{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
    const rlimit few{256, usual.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    std::vector<int> taken;
    for (int fd = dup(0); fd >= 0; fd = dup(0))
        taken.push_back(fd);
    server->start();
    settle();
    clock.advance(Duration(1'000));
    EXPECT_EQ(log.count("warn http.accept"), 1U) << "once, however long it lasts";
    EXPECT_EQ(server->connections(), 0U);
    for (const int fd : taken)
        close(fd);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
    clock.advance(Duration(100));
    EXPECT_EQ(client.ask(hello).status, 200U);
}

TEST_F(ServerTest, EndOfTheServerClosesEveryConnection) {
    start();
    RawClient idle(*this);
    RawClient busy(*this);
    busy.send(slow);
    RawClient partial(*this);
    partial.send("GET /he");
    until([this] { return held == 1 && server->busy() == 2; });
    server.reset();
    for (auto* client : {&idle, &busy, &partial})
        EXPECT_EQ(client->rest(), "");
    release();
}

// Cuts the world at its n-th step, and destroys it in the one order or the other.
void cut_after(std::size_t steps, bool server_first) {
    auto io = std::make_unique<asio::io_context>();
    auto clock = std::make_unique<test::VirtualClock>(*io);
    test::SeededRandom random;
    test::MemoryLog log;
    ServerOptions options;
    options.name = "cut";
    options.endpoint = {asio::ip::make_address("127.0.0.1"), 0};
    Router router;
    router.add(verb::post, "/wait", [&clock](Request& request) -> asio::awaitable<Response> {
        co_await clock->sleep_for(Duration(1'000));
        Response response;
        response.body = request.body;
        co_return response;
    });
    auto server = std::make_unique<Server>(io->get_executor(), options, std::move(router), *clock, random, log);
    server->start();
    std::vector<asio::ip::tcp::socket> clients;
    for (int i = 0; i < 3; ++i)
        clients.emplace_back(*io).connect(server->endpoint());
    const std::string post = "POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab";
    asio::write(clients.at(0), asio::buffer(post));
    asio::write(clients.at(1), asio::buffer(post.substr(0, 60)));
    for (std::size_t step = 0; step < steps; ++step) {
        io->restart();
        if (io->poll_one() == 0) clock->jump(Duration(500));
    }
    clients.clear();
    if (server_first) server.reset();
    io.reset();
    server.reset();
}

TEST(ServerCut, WorldMayEndAtAnyAwaitInEitherOrder) {
    for (std::size_t steps = 0; steps < 60; ++steps) {
        cut_after(steps, true);
        cut_after(steps, false);
    }
}

TEST_F(ServerTest, OneAddressDoesNotTakeTheConnectionsOfTheOthers) {
    options.connections_per_address = 2;
    options.connections = 10;
    start();
    RawClient first(*this);
    RawClient second(*this);
    first.send(hello);
    second.send(hello);
    EXPECT_EQ(first.answer().status, 200U);
    EXPECT_EQ(second.answer().status, 200U);
    {
        RawClient third(*this);
        third.send(hello);
        EXPECT_EQ(third.rest(), "");
    }
    EXPECT_TRUE(log.has("warn http.full listener=test connections=2 remote=127.0.0.1"));
    EXPECT_EQ(server->connections(), 2U);
    RawClient elsewhere(*this, "127.0.0.2");
    elsewhere.send(hello);
    EXPECT_EQ(elsewhere.answer().status, 200U);
    first.close();
    until([this] { return server->connections() == 2; });
    RawClient again(*this);
    again.send(hello);
    EXPECT_EQ(again.answer().status, 200U);
}

}  // namespace
}  // namespace gateway::http
