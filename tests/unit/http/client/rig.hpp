// Runs the transport against a server on the loopback, in one io_context, with real sockets and a clock that only the
// tests move.
#pragma once

#include "http/client/https_client.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/scripted_server.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::test {

using namespace http;

constexpr Duration patience{15'000};

inline ClientRequest post(std::string body = R"({"valor":"1099"})") {
    ClientRequest request;
    request.post = true;
    request.target = "/venda/tv/solicitar";
    request.label = "tv solicitar";
    request.content_type = "application/json";
    request.authorization = Secret("Bearer t0ken");
    request.body = Secret(std::move(body));
    return request;
}

// This is an exchange that is under way.
struct Call {
    std::optional<Reply> reply;
};

class HttpsClientTest : public testing::Test {
  protected:
    HttpsClientTest() {
        options.origin = {false, "provider.example", 0};
        options.look_up = [this] { return look_up(); };
    }
    // Ends first, because the time must not depend on whether anything is left to do.
    ~HttpsClientTest() override { transport.reset(); }

    boost::asio::awaitable<Result<Addresses::Endpoints>> look_up() {
        auto all = endpoints;
        if (all.empty()) all = {server.endpoint()};
        co_return all;
    }

    HttpsClient& open() {
        if (!transport) transport = std::make_unique<HttpsClient>(io.get_executor(), options, clock, random, log);
        return *transport;
    }

    std::shared_ptr<Call> begin(ClientRequest request = post(), Duration wait = patience) {
        auto call = std::make_shared<Call>();
        boost::asio::co_spawn(io, http::exchange(open(), std::move(request), clock.now() + wait),
                              [call](const std::exception_ptr& failure, Reply reply) {
                                  if (failure) std::rethrow_exception(failure);
                                  call->reply = std::move(reply);
                              });
        return call;
    }

    // Lets the network work until `done`. The ten seconds are for a test that would otherwise hang.
    template <class Done>
    void run_until(Done done) {
        io.restart();
        while (!done())
            if (io.run_one_for(std::chrono::seconds(10)) == 0) {
                ADD_FAILURE() << "nothing happens any more";
                return;
            }
    }
    Reply finish(const std::shared_ptr<Call>& call) {
        run_until([&] { return call->reply.has_value(); });
        return call->reply.value_or(Reply());
    }
    Reply exchange(ClientRequest request = post(), Duration wait = patience) {
        return finish(begin(std::move(request), wait));
    }
    // Says what the server does on its next connections.
    void serve(ScriptedServer::Session session) { server.sessions.push_back(std::move(session)); }
    void serve_answers() {
        serve([this](Peer& peer) -> boost::asio::awaitable<void> {
            for (;;) {
                requests.push_back(co_await peer.request());
                co_await peer.answer("{}");
            }
        });
    }
    // Answers one request with these bytes, and closes the connection.
    void serve_text(std::string text) {
        serve([text = std::move(text)](Peer& peer) -> boost::asio::awaitable<void> {
            co_await peer.request();
            co_await peer.send(text);
        });
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    MemoryLog log;
    ScriptedServer server{io};
    std::vector<std::string> requests;
    Addresses::Endpoints endpoints;  // empty: the server's own
    HttpsClientOptions options;
    std::unique_ptr<HttpsClient> transport;
};

// This is an address that refuses connections until somebody listens there.
struct ClosedDoor {
    explicit ClosedDoor(boost::asio::io_context& io) : acceptor(io) {
        acceptor.open(boost::asio::ip::tcp::v4());
        acceptor.bind({boost::asio::ip::address_v4::loopback(), 0});
    }
    boost::asio::ip::tcp::acceptor acceptor;
};

// This is an address that swallows connections, because its queue is full.
struct BlackHole : ClosedDoor {
    explicit BlackHole(boost::asio::io_context& io) : ClosedDoor(io) {
        acceptor.listen(0);
        for (int i = 0; i < 4; ++i) {
            auto& filler = fillers.emplace_back(io);
            filler.open(boost::asio::ip::tcp::v4());
            filler.native_non_blocking(true);
            const auto endpoint = acceptor.local_endpoint();
            ::connect(filler.native_handle(), endpoint.data(), static_cast<socklen_t>(endpoint.size()));
        }
    }
    std::vector<boost::asio::ip::tcp::socket> fillers;
};

}  // namespace gateway::test
