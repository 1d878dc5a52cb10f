// Runs a server on a loopback socket and its clients in one thread, in virtual time. A client's call runs the server
// until it has what it asks for. Nothing here sleeps, and a wait that never ends is a failed check.
#pragma once

#include "base/check.hpp"
#include "http/server/problem.hpp"
#include "http/server/server.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::http {

namespace asio = boost::asio;

// The rig answers this request.
inline const std::string hello = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";

class Rig {
  public:
    Rig() {
        options.name = "test";
        options.endpoint = {asio::ip::make_address("127.0.0.1"), 0};
        add_routes();
    }
    ~Rig() {
        server.reset();
        settle();
    }

    void start() {
        server.emplace(io.get_executor(), options, std::move(router), clock, random, log);
        server->start();
        settle();
    }
    void settle() { clock.settle(); }
    // Runs the server until the condition holds. Real time only bounds how long a broken test takes.
    void until(const std::function<bool()>& condition) {
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!condition()) {
            CHECK(std::chrono::steady_clock::now() < patience);
            settle();
        }
    }
    // Waits until the server has set itself a deadline this far ahead, then lets it come.
    void let_expire(Duration deadline) {
        until([&] { return asio::use_service<test::VirtualTime>(io).next() == clock.now() + deadline; });
        clock.advance(deadline);
    }
    // Answers the requests that are held at GET /hold.
    void release() {
        held = 0;
        for (const auto& gate : gates)
            gate->notify();
        gates.clear();
        settle();
    }

    asio::io_context io;
    test::VirtualClock clock{io};
    test::SeededRandom random;
    test::MemoryLog log;
    ServerOptions options;
    Router router;  // start() moves it into the server
    std::optional<Server> server;
    std::vector<std::string> bodies;  // the bodies that POST /echo has seen
    std::size_t held = 0;
    std::vector<std::shared_ptr<Timer>> gates;

  private:
    static asio::awaitable<Response> now(Response response) { co_return response; }

    asio::awaitable<Response> hold() {
        const std::shared_ptr<Timer> gate = clock.make_timer();
        gates.push_back(gate);
        ++held;
        co_await gate->wait_until(never);
        Response response;
        response.body = R"("held")";
        co_return response;
    }

  protected:
    // Adds routes to `router`, which the server takes with it when it is started.
    void add_routes() {
        router.add(verb::get, "/hello", [](Request&) { return now({status::ok, "application/json", R"("hello")"}); });
        router.add(verb::get, "/hold", [this](Request&) { return hold(); });
        router.add(verb::get, "/items/{id}", [](Request& request) {
            return now({status::ok, "text/plain", std::string(request.parameter("id"))});
        });
        router.add(verb::post, "/echo", [this](Request& request) {
            bodies.push_back(request.body);
            return now({status::ok, "text/plain", request.body});
        });
        router.add(verb::get, "/empty", [](Request&) { return now({status::no_content, "text/plain", "ignored"}); });
        router.add(verb::get, "/large", [](Request&) {
            return now({status::ok, "text/plain", std::string(16U << 20U, 'x')});
        });
        router.add(verb::get, "/throw",
                   [](Request&) -> asio::awaitable<Response> { throw std::runtime_error("the handler broke"); });
        router.add(verb::get, "/drop", [](Request&) {
            Response response;
            response.drop = true;
            return now(response);
        });
    }
};

struct Answer {
    unsigned status = 0;
    std::string reason;
    boost::beast::http::fields fields;
    std::string body;

    std::string field(std::string_view name) const { return std::string(fields[name]); }
    boost::json::value json() const { return boost::json::parse(body); }
    std::string code() const { return std::string(json().at("code").as_string()); }
};

class RawClient {
  public:
    // `from` is an address of this machine; nothing: the system's choice.
    explicit RawClient(Rig& rig, const char* from = nullptr) : rig_(rig), socket_(io_) {
        if (from != nullptr) {
            socket_.open(asio::ip::tcp::v4());
            socket_.bind({asio::ip::make_address(from), 0});
        }
        socket_.connect(rig.server->endpoint());
        socket_.non_blocking(true);
        rig_.settle();
    }

    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            boost::system::error_code error;
            bytes.remove_prefix(socket_.write_some(asio::buffer(bytes.data(), bytes.size()), error));
            if (error && error != asio::error::would_block) return;  // the server may have closed already
            rig_.settle();
        }
    }

    // Returns the next answer; its status is 0 where the connection ends before one.
    Answer answer(bool to_head = false) {
        namespace beast_http = boost::beast::http;
        beast_http::response_parser<beast_http::string_body> parser;
        parser.body_limit(boost::none);
        parser.skip(to_head);
        rig_.until([&] {
            boost::system::error_code error;
            if (!received_.empty()) {
                received_.erase(0, parser.put(asio::buffer(received_), error));
                CHECK(!error || error == beast_http::error::need_more);
                if (parser.is_done()) return true;
            }
            read_some();
            return parser.is_done() || (ended_ && received_.empty());
        });
        if (!parser.is_header_done()) return {};
        auto message = parser.release();
        return {message.result_int(), std::string(message.reason()), message.base(), message.body()};
    }
    Answer ask(std::string_view request) {
        send(request);
        return answer();
    }
    // Returns everything that comes until the server closes.
    std::string rest() {
        rig_.until([&] {
            read_some();
            return ended_;
        });
        return std::exchange(received_, {});
    }
    bool ended() {
        read_some();
        return ended_;
    }
    // Returns what has come by now.
    const std::string& received() {
        rig_.settle();
        read_some();
        return received_;
    }
    void close_sending_half() { socket_.shutdown(asio::ip::tcp::socket::shutdown_send); }
    void close() {
        socket_.close();
        rig_.settle();
    }
    asio::ip::tcp::socket& socket() { return socket_; }

  private:
    void read_some() {
        std::array<char, 65536> room{};
        boost::system::error_code error;
        const auto bytes = socket_.read_some(asio::buffer(room), error);
        received_.append(room.data(), bytes);
        ended_ = ended_ || (error && error != asio::error::would_block);
        reset_ = reset_ || error == asio::error::connection_reset;
    }

    Rig& rig_;
    asio::io_context io_;
    asio::ip::tcp::socket socket_;
    std::string received_;
    bool ended_ = false;
    bool reset_ = false;
};

// Sends one request on a connection of its own, and returns the answer.
inline Answer ask(Rig& rig, std::string_view request) {
    return RawClient(rig).ask(request);
}

}  // namespace gateway::http
