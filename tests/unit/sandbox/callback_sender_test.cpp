// Tests callbacks on real sockets of the loopback interface, with a receiver of the test's own.
#include "sandbox/callback_sender.hpp"

#include "http/server/server.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/self_signed.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace gateway::sandbox {
namespace {

namespace asio = boost::asio;

class CallbackSender : public testing::Test {
  protected:
    // Listens on `host`, with the test's certificate where `secure` is set, and keeps what comes.
    void receive(const char* host = "127.0.0.1", bool secure = false) {
        http::ServerOptions options;
        options.name = "receiver";
        options.endpoint = {asio::ip::make_address(host), 0};
        if (secure) options.tls = http::TlsFiles{folder.write("cert.pem", tls.cert), folder.write("key.pem", tls.key)};
        http::Router router;
        router.set_filter([this](http::Request& request, const http::Handler&) { return answer(request); });
        server = std::make_unique<http::Server>(io.get_executor(), options, std::move(router), clock, random, log);
        server->start();
    }
    std::string url(const std::string& scheme, const std::string& host, const std::string& rest) const {
        return scheme + "://" + host + ":" + std::to_string(server->endpoint().port()) + rest;
    }
    Result<int> post(const std::string& to, CallbackSenderOptions options = {}) {
        sandbox::CallbackSender sender(io.get_executor(), std::move(options), clock);
        std::optional<Result<int>> result;
        asio::co_spawn(io, sender.post(to, R"({"uuid":"1"})"),
                       [&](const std::exception_ptr& failure, Result<int> answered) {
                           if (failure) std::rethrow_exception(failure);
                           result.emplace(answered);
                       });
        io.restart();
        while (!result)
            io.run_one();
        return *result;
    }

    asio::io_context io;
    test::VirtualClock clock{io};
    test::SeededRandom random;
    test::MemoryLog log;
    test::TemporaryFolder folder;
    test::SelfSigned tls = test::make_self_signed();
    http::Response response;
    Duration answers_after{0};
    std::vector<http::Request> requests;
    std::unique_ptr<http::Server> server;

  private:
    asio::awaitable<http::Response> answer(const http::Request& request) {
        requests.push_back(request);
        clock.jump(answers_after);
        co_return response;
    }
};

TEST_F(CallbackSender, CarriesTheBodyAndBringsBackTheStatus) {
    receive("::1");
    response.status = http::status::accepted;
    const auto answered = post(url("http", "[::1]", "/callbacks/esim/x/sale?a=%20b"));
    ASSERT_TRUE(answered) << answered.error().message();
    EXPECT_EQ(*answered, 202);
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests.at(0).method, http::verb::post);
    EXPECT_EQ(requests.at(0).target, "/callbacks/esim/x/sale?a=%20b");
    EXPECT_EQ(requests.at(0).body, R"({"uuid":"1"})");
    EXPECT_EQ(requests.at(0).header("Content-Type"), "application/json");
    EXPECT_EQ(requests.at(0).header("Host"), "[::1]:" + std::to_string(server->endpoint().port()));
    ASSERT_TRUE(post(url("http", "[::1]", "")));
    EXPECT_EQ(requests.at(1).target, "/");
}

TEST_F(CallbackSender, WhatIsNoHttpAddressIsMalformed) {
    for (const auto* text : {"", "nonsense", "/path", "ftp://127.0.0.1/x", "http://", "http:///x", "http://a b/"})
        EXPECT_EQ(post(text).error(), make_error_code(errc::malformed)) << text;
}

TEST_F(CallbackSender, NobodyListeningIsUnreachable) {
    // The port is bound, but nobody listens: nobody else can have it, and every connection is refused.
    asio::ip::tcp::acceptor silent(io, asio::ip::tcp::v4());
    silent.bind({asio::ip::address_v4::loopback(), 0});
    const auto to = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port()) + "/x";
    EXPECT_EQ(post(to).error(), make_error_code(errc::unreachable));
}

TEST_F(CallbackSender, NoAnswerIsALostConnection) {
    receive();
    response.drop = true;
    EXPECT_EQ(post(url("http", "127.0.0.1", "/x")).error(), make_error_code(errc::connection_lost));
    EXPECT_EQ(requests.size(), 1U);
}

TEST_F(CallbackSender, AnAnswerThatComesTooLateIsALostConnection) {
    receive();
    const auto to = url("http", "127.0.0.1", "/x");
    answers_after = std::chrono::seconds(10) - std::chrono::milliseconds(1);
    const auto in_time = post(to);
    ASSERT_TRUE(in_time) << in_time.error().message();
    EXPECT_EQ(*in_time, 200);
    answers_after = std::chrono::seconds(10);
    EXPECT_EQ(post(to).error(), make_error_code(errc::connection_lost));
    EXPECT_EQ(requests.size(), 2U);
}

TEST_F(CallbackSender, AnHttpsReceiverNeedsACertificateThatIsTrusted) {
    receive("127.0.0.1", true);
    const auto to = url("https", "127.0.0.1", "/x");
    EXPECT_EQ(post(to).error(), make_error_code(errc::unreachable));
    EXPECT_TRUE(requests.empty());
    const auto trusted = post(to, {.ca_file = folder.path("cert.pem")});
    ASSERT_TRUE(trusted) << trusted.error().message();
    EXPECT_EQ(*trusted, 200);
}

TEST_F(CallbackSender, ACertificateOfAnotherHostIsBelievedOnlyWhereNoneIsLookedAt) {
    receive("127.0.0.2", true);
    const auto to = url("https", "127.0.0.2", "/x");
    EXPECT_EQ(post(to, {.ca_file = folder.path("cert.pem")}).error(), make_error_code(errc::unreachable));
    EXPECT_TRUE(requests.empty());
    const auto answered = post(to, {.verify = false});
    ASSERT_TRUE(answered) << answered.error().message();
    EXPECT_EQ(*answered, 200);
}

TEST_F(CallbackSender, ACaFileThatIsNotThereIsSaidAtTheStart) {
    EXPECT_THROW(sandbox::CallbackSender(io.get_executor(), {.ca_file = folder.path("nothing.pem")}, clock),
                 boost::system::system_error);
}

}  // namespace
}  // namespace gateway::sandbox
