// Tests the network around the model: real sockets on the loopback interface, in virtual time.
#include "sandbox/service.hpp"

#include "unit/sandbox/caller.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <gtest/gtest.h>

#include <thread>

namespace gateway::sandbox {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

const tcp::endpoint any_loopback_port{asio::ip::address_v4::loopback(), 0};

class Rig {
  public:
    explicit Rig(Options options = {}) : caller(std::move(options)) {
        ServiceOptions service_options;
        service_options.endpoint = any_loopback_port;
        service = std::make_unique<Service>(io.get_executor(), service_options, caller.model, clock, caller.random,
                                            caller.log);
        service->start();
        caller.now = clock.wall();
        caller.token = caller.new_token();
    }

    // Lets everything run until `done`, while the rig's time stands still. A name is looked up on a thread of its own,
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
};

// This is a client in blocking style on a socket that never blocks.
class Client {
  public:
    explicit Client(Rig& rig) : rig_(rig), socket_(io_) {
        socket_.connect(rig.service->endpoint());
        socket_.non_blocking(true);
    }

    void send(const std::string& target, const json::object& body) {
        const auto text = json::serialize(body);
        std::string request = "POST " + target + " HTTP/1.1\r\nHost: sandbox\r\n";
        for (const auto& [name, value] : rig_.caller.headers())
            request += name + ": " + value + "\r\n";
        request += "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
        asio::write(socket_, asio::buffer(request));
    }
    // Tells whether a whole answer has come.
    bool answered() {
        read();
        return received_.find("\r\n\r\n") != std::string::npos && !received_.ends_with("\r\n\r\n");
    }
    bool closed() {
        read();
        return closed_;
    }
    const std::string& received() const { return received_; }
    void clear() { received_.clear(); }

  private:
    void read() {
        std::array<char, 4096> room{};
        error_code failed;
        const auto bytes = socket_.read_some(asio::buffer(room), failed);
        received_.append(room.data(), bytes);
        closed_ = closed_ || (failed && failed != asio::error::would_block);
    }

    Rig& rig_;
    asio::io_context io_;
    tcp::socket socket_;
    std::string received_;
    bool closed_ = false;
};

// Takes one callback on each connection, and answers it.
class Receiver {
  public:
    explicit Receiver(asio::io_context& io) : acceptor_(io, any_loopback_port) {
        asio::co_spawn(io, run(), asio::detached);
    }

    std::string url(const std::string& path) const {
        return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + path;
    }

    int status = 200;
    std::vector<boost::beast::http::request<boost::beast::http::string_body>> requests;

  private:
    asio::awaitable<void> run() {
        namespace beast_http = boost::beast::http;
        while (true) {
            auto socket = co_await acceptor_.async_accept(asio::use_awaitable);
            boost::beast::flat_buffer buffer;
            beast_http::request<beast_http::string_body> request;
            co_await beast_http::async_read(socket, buffer, request, asio::use_awaitable);
            requests.push_back(std::move(request));
            beast_http::response<beast_http::empty_body> response(static_cast<beast_http::status>(status), 11);
            response.prepare_payload();
            co_await beast_http::async_write(socket, response, asio::use_awaitable);
        }
    }

    tcp::acceptor acceptor_;
};

TEST(Service, AnswersWhatTheModelAnswers) {
    Rig rig;
    Client client(rig);
    client.send("/venda/tv/solicitar", rig.caller.order(Family::tv, "A"));
    ASSERT_TRUE(rig.until([&] { return client.answered(); }));
    EXPECT_TRUE(client.received().starts_with("HTTP/1.1 200 "));
    EXPECT_NE(client.received().find("Content-Type: application/json\r\n"), std::string::npos);
    EXPECT_NE(client.received().find("AUTORIZADA"), std::string::npos);
    EXPECT_EQ(rig.caller.status("A"), Status::autorizada);
}

TEST(Service, ALostAnswerIsAConnectionClosedWithoutAByte) {
    Rig rig;
    Client client(rig);
    client.send("/venda/tv/solicitar", rig.caller.order(Family::tv, "A", 2));
    ASSERT_TRUE(rig.until([&] { return client.closed(); }));
    EXPECT_EQ(client.received(), "");
    EXPECT_EQ(rig.caller.status("A"), Status::autorizada);
}

TEST(Service, ASlowAnswerComesWhenItsTimeIsOver) {
    Rig rig;
    Client client(rig);
    client.send("/venda/tv/solicitar", rig.caller.order(Family::tv, "A", 4));
    ASSERT_TRUE(rig.until([&] { return rig.caller.status("A") == Status::autorizada; }));
    rig.clock.advance(2999ms);
    EXPECT_FALSE(client.answered());
    rig.clock.advance(1ms);
    EXPECT_TRUE(rig.until([&] { return client.answered(); }));
}

TEST(Service, AnErrorsStatusAndHeadersAreCarried) {
    Rig rig;
    Client client(rig);
    client.send("/venda/tv/solicitar", rig.caller.order(Family::tv, "A", 9));
    ASSERT_TRUE(rig.until([&] { return client.answered(); }));
    EXPECT_TRUE(client.received().starts_with("HTTP/1.1 429 "));
    EXPECT_NE(client.received().find("Retry-After: 2\r\n"), std::string::npos);
}

TEST(Service, AnUnknownAddressIsTheModelsToRefuse) {
    Rig rig;
    Client client(rig);
    client.send("/nowhere", {});
    ASSERT_TRUE(rig.until([&] { return client.answered(); }));
    EXPECT_TRUE(client.received().starts_with("HTTP/1.1 404 "));
    EXPECT_EQ(rig.caller.model.metrics().departures(), 1U);
}

TEST(Service, TheControlAddressesAreServed) {
    Rig rig;
    Client client(rig);
    client.send("/sandbox/tokens/expire", {});
    ASSERT_TRUE(rig.until([&] { return client.answered(); }));
    EXPECT_EQ(rig.caller.model.tokens().valid(rig.caller.now), 0U);
    EXPECT_EQ(rig.caller.model.metrics().departures(), 0U);
}

TEST(Service, AHeldRequestArrivesByItself) {
    Rig rig;
    Client client(rig);
    client.send("/venda/tv/solicitar", rig.caller.order(Family::tv, "A", 28));
    ASSERT_TRUE(rig.until([&] { return client.closed(); }));
    rig.clock.advance(30s - 1ms);
    EXPECT_EQ(rig.caller.status("A"), Status::none);
    rig.clock.advance(1ms);
    EXPECT_EQ(rig.caller.status("A"), Status::autorizada);
}

TEST(Service, TheModelsTimeDoesNotFollowTheWallClockBack) {
    Rig rig;
    Client client(rig);
    client.send("/venda/tv/solicitar", rig.caller.order(Family::tv, "A", 28));
    ASSERT_TRUE(rig.until([&] { return client.closed(); }));
    rig.clock.shift_wall(-1h);
    rig.clock.advance(30s);
    EXPECT_EQ(rig.caller.status("A"), Status::autorizada);
}

json::object esim_order(const Rig& rig, const Receiver& receiver) {
    auto body = rig.caller.order(Family::esim, "A", 40);
    body["the service"] = receiver.url("/sale");
    return body;
}

TEST(Service, ACallbackIsCarriedToItsAddress) {
    Rig rig;
    Receiver receiver(rig.io);
    Client client(rig);
    client.send("/venda/esim/solicitar", esim_order(rig, receiver));
    ASSERT_TRUE(rig.until([&] { return client.answered(); }));
    EXPECT_TRUE(receiver.requests.empty());
    rig.clock.advance(1s);
    ASSERT_TRUE(rig.until([&] { return rig.caller.model.callbacks().all().empty(); }));
    ASSERT_EQ(receiver.requests.size(), 1U);
    EXPECT_EQ(receiver.requests.at(0).target(), "/sale");
    EXPECT_EQ(receiver.requests.at(0)["Content-Type"], "application/json");
    EXPECT_EQ(parse_object(receiver.requests.at(0).body()).at("situacaoTransacao").as_string(), "EFETIVADA");
    EXPECT_EQ(rig.caller.entry("A").history.back().answered, 200);
}

TEST(Service, ACallbackThatIsRefusedComesAgain) {
    Rig rig;
    Receiver receiver(rig.io);
    receiver.status = 503;
    Client client(rig);
    client.send("/venda/esim/solicitar", esim_order(rig, receiver));
    ASSERT_TRUE(rig.until([&] { return client.answered(); }));
    rig.clock.advance(1s);
    const auto& count = rig.caller.model.metrics().count(Step::callback, Family::esim);
    ASSERT_TRUE(rig.until([&] { return count.refused == 1; }));
    receiver.status = 200;
    rig.clock.advance(1s);
    EXPECT_TRUE(rig.until([&] { return rig.caller.model.callbacks().all().empty(); }));
    EXPECT_EQ(receiver.requests.size(), 2U);
}

TEST(Service, AnAddressThatCannotBeReachedIsTriedAgain) {
    Rig rig;
    Client client(rig);
    // The port is bound, but nobody listens: nobody else can have it, and every connection is refused.
    tcp::acceptor silent(rig.io, tcp::v4());
    silent.bind(any_loopback_port);
    auto body = rig.caller.order(Family::esim, "A", 40);
    body["the service"] = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port()) + "/sale";
    client.send("/venda/esim/solicitar", body);
    ASSERT_TRUE(rig.until([&] { return client.answered(); }));
    rig.clock.advance(1s);
    EXPECT_TRUE(rig.until([&] { return rig.caller.model.metrics().count(Step::callback, Family::esim).lost == 1; }));
    EXPECT_TRUE(rig.caller.log.has("sandbox.callback_failed"));
    EXPECT_EQ(rig.caller.model.callbacks().all().size(), 1U);
}

TEST(Service, AConnectionServesSoManyRequestsAndEndsBehindTheLastAnswer) {
    for (const std::size_t most : {1U, 10U, 100U}) {
        Options options;
        options.keep_alive_requests = most;
        Rig rig(options);
        Client client(rig);
        for (std::size_t i = 1; i <= most; ++i) {
            EXPECT_FALSE(client.closed()) << i;
            client.clear();
            client.send("/venda/tv/solicitar", rig.caller.order(Family::tv, "A" + std::to_string(i)));
            ASSERT_TRUE(rig.until([&] { return client.answered(); })) << i;
            EXPECT_TRUE(client.received().starts_with("HTTP/1.1 200 "));
            EXPECT_EQ(client.received().find("Connection: close\r\n") != std::string::npos, i == most) << i;
        }
        EXPECT_TRUE(rig.until([&] { return client.closed(); }));
    }
}

TEST(Service, AnIdleConnectionEndsWhenThePersonalitySaysSo) {
    for (const auto idle : {1s, 5s, 75s}) {
        Options options;
        options.keep_alive_idle = idle;
        Rig rig(options);
        Client client(rig);
        client.send("/venda/tv/solicitar", rig.caller.order(Family::tv, "A"));
        ASSERT_TRUE(rig.until([&] { return client.answered(); }));
        rig.clock.advance(idle - 1ms);
        rig.clock.settle();
        EXPECT_FALSE(client.closed());
        rig.clock.advance(2ms);
        EXPECT_TRUE(rig.until([&] { return client.closed(); }));
    }
}

}  // namespace
}  // namespace gateway::sandbox
