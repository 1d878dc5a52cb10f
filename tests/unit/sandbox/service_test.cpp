// Tests the network around the model: real sockets on the loopback interface, in virtual time. The end-to-end tests
// prove the rest: lost and slow answers, headers, the control addresses, and how long connections are kept.
#include "sandbox/service.hpp"

#include "unit/sandbox/caller.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include <thread>

namespace gateway::sandbox {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

const tcp::endpoint any_loopback_port{asio::ip::address_v4::loopback(), 0};

class Wire : public testing::Test {
  protected:
    Wire() {
        ServiceOptions options;
        options.endpoint = any_loopback_port;
        service = std::make_unique<Service>(io.get_executor(), options, caller.model, clock, caller.random, caller.log);
        service->start();
        caller.now = clock.wall();
        caller.token = caller.new_token();
        client.connect(service->endpoint());
        client.non_blocking(true);
    }
    void send(const std::string& target, const json::object& body) {
        const auto text = json::serialize(body);
        std::string request = "POST " + target + " HTTP/1.1\r\nHost: sandbox\r\n";
        for (const auto& [name, value] : caller.headers())
            request += name + ": " + value + "\r\n";
        asio::write(client,
                    asio::buffer(request + "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text));
    }
    // Tells whether the connection was closed, and keeps what came before that.
    bool closed() {
        std::array<char, 4096> room{};
        boost::system::error_code failed;
        received.append(room.data(), client.read_some(asio::buffer(room), failed));
        return failed && failed != asio::error::would_block;
    }
    // Lets everything run until `done`, while the test's time stands still. A name is looked up on a thread of its own,
    // which may be slow on a busy machine. Real time only bounds how long a broken test takes.
    template <class Done>
    bool until(Done done) {
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!done() && std::chrono::steady_clock::now() < patience) {
            clock.settle();
            std::this_thread::yield();
        }
        return done();
    }

    asio::io_context io;
    test::VirtualClock clock{io};
    Caller caller;
    std::unique_ptr<Service> service;
    asio::io_context blocking;
    tcp::socket client{blocking};
    std::string received;
};

TEST_F(Wire, AHeldRequestArrivesByItselfAlsoWhenTheWallClockIsSetBack) {
    send("/venda/tv/solicitar", caller.order(Family::tv, "A", 28));
    ASSERT_TRUE(until([&] { return closed(); }));
    EXPECT_EQ(received, "") << "its connection is closed without a byte";
    clock.shift_wall(-1h);
    clock.advance(30s - 1ms);
    EXPECT_EQ(caller.status("A"), Status::none);
    clock.advance(1ms);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
}

TEST_F(Wire, ASlowAnswerComesWhenItsTimeIsOver) {
    send("/venda/tv/solicitar", caller.order(Family::tv, "A", 4));
    ASSERT_TRUE(until([&] { return caller.status("A") == Status::autorizada; }));
    clock.advance(2999ms);
    EXPECT_FALSE(closed());
    EXPECT_EQ(received, "");
    clock.advance(1ms);
    EXPECT_TRUE(until([&] { return !closed() && received.find("AUTORIZADA") != std::string::npos; }));
}

TEST_F(Wire, ACallbackThatIsNotTakenComesAgain) {
    // The port is bound, but nobody listens: nobody else can have it, and every connection is refused.
    tcp::acceptor silent(io, tcp::v4());
    silent.bind(any_loopback_port);
    auto body = caller.order(Family::esim, "A", 40);
    body["the service"] = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port()) + "/sale";
    send("/venda/esim/solicitar", body);
    ASSERT_TRUE(until([&] { return caller.status("A") == Status::autorizada; }));
    for (const std::uint64_t lost : {1U, 2U}) {
        clock.advance(1s);
        EXPECT_TRUE(until([&] { return caller.model.metrics().count(Step::callback, Family::esim).lost == lost; }));
    }
    EXPECT_TRUE(caller.log.has("sandbox.callback_failed"));
    EXPECT_EQ(caller.model.callbacks().all().size(), 1U);
}

}  // namespace
}  // namespace gateway::sandbox
