#include "sandbox/callback_sender.hpp"

#include "base/check.hpp"
#include "http/client/answer_reader.hpp"
#include "http/client/pool.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <fmt/format.h>
#include <openssl/x509v3.h>

#include <array>

namespace gateway::sandbox {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using http::Connection;

// A receiver's answer to a callback says everything with its status.
constexpr std::size_t most_answer = 65536;

struct Place {
    bool secure = false;
    std::string host;  // as a certificate names it
    std::string port;
    std::string authority;
    std::string target;
};

std::optional<Place> parse_place(const std::string& text) {
    const auto url = boost::urls::parse_uri(text);
    if (!url || url->host().empty()) return std::nullopt;
    Place place;
    place.secure = url->scheme() == "https";
    if (!place.secure && url->scheme() != "http") return std::nullopt;
    place.host = url->host_address();
    place.port = url->has_port() ? std::string(url->port()) : place.secure ? "443" : "80";
    place.authority = std::string(url->encoded_host_and_port());
    place.target = std::string(url->encoded_target());
    if (place.target.empty() || place.target.front() != '/') place.target.insert(0, "/");
    return place;
}

std::string post_text(const Place& place, std::string_view body) {
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json\r\n"
        "Connection: close\r\nContent-Length: {}\r\n\r\n{}",
        place.target, place.authority, body.size(), body);
}

asio::awaitable<bool> connect(Connection& connection, const asio::ip::tcp::resolver::results_type& addresses) {
    for (const auto& address : addresses) {
        connection.stream.close();
        if (connection.timed_out() || connection.stream.open(address)) continue;
        if (const auto [failed] = co_await connection.stream.connect(address); !failed) co_return true;
    }
    co_return false;
}

asio::awaitable<bool> shake_hands(Connection& connection) {
    auto step = connection.stream.handshake();
    for (; waits(step.outcome); step = connection.stream.handshake())
        co_await connection.stream.wait(step.outcome);
    co_return step.outcome == Stream::Outcome::done;
}

asio::awaitable<bool> write(Connection& connection, std::string_view rest) {
    while (!rest.empty()) {
        const auto step = connection.stream.write(rest);
        if (waits(step.outcome))
            co_await connection.stream.wait(step.outcome);
        else if (step.outcome == Stream::Outcome::done)
            rest.remove_prefix(step.bytes);
        else
            co_return false;
    }
    co_return true;
}

asio::awaitable<Result<int>> read_status(Connection& connection) {
    using State = http::AnswerReader::State;
    http::AnswerReader reader({.body = most_answer});
    std::array<char, 4096> room{};
    for (auto state = State::more; state != State::complete;) {
        if (state == State::failed) co_return make_error_code(errc::connection_lost);
        const auto step = connection.stream.read(room);
        if (waits(step.outcome))
            co_await connection.stream.wait(step.outcome);
        else if (step.outcome == Stream::Outcome::done)
            state = reader.feed({room.data(), step.bytes});
        else
            state = step.outcome == Stream::Outcome::ended ? reader.end() : State::failed;
    }
    co_return static_cast<int>(reader.take({}).status);
}

}  // namespace

CallbackSender::CallbackSender(asio::any_io_executor executor, CallbackSenderOptions options, Clock& clock)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      clock_(clock),
      deadlines_(std::make_shared<Deadlines>(executor_, clock_)),
      tls_(asio::ssl::context::tls_client) {
    if (options_.ca_file.empty()) {
        tls_.set_default_verify_paths();
    } else {
        tls_.load_verify_file(options_.ca_file);
    }
    tls_.set_verify_mode(options_.verify ? asio::ssl::verify_peer : asio::ssl::verify_none);
}

CallbackSender::~CallbackSender() {
    deadlines_->stop();
}

Ssl CallbackSender::open_tls(const std::string& host) {
    Ssl tls(SSL_new(tls_.native_handle()));
    CHECK(tls);
    SSL_set_connect_state(tls.get());
    error_code is_name;
    asio::ip::make_address(host, is_name);
    auto* expected = SSL_get0_param(tls.get());
    if (is_name) {
        CHECK(X509_VERIFY_PARAM_set1_host(expected, host.data(), host.size()) == 1);
        CHECK(SSL_set_tlsext_host_name(tls.get(), host.c_str()) == 1);
    } else {
        CHECK(X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1);
    }
    return tls;
}

asio::awaitable<Result<int>> CallbackSender::post(std::string url, std::string body) {
    const auto place = parse_place(url);
    if (!place) co_return make_error_code(errc::malformed);
    const auto deadlines = deadlines_;  // outlives the connection, wherever the sandbox ends
    Connection connection(executor_, *deadlines);
    connection.set_deadline(clock_.now() + options_.time);
    asio::ip::tcp::resolver resolver(executor_);
    const auto [failed, addresses] =
        co_await resolver.async_resolve(place->host, place->port, asio::as_tuple(asio::deferred));
    if (failed || !co_await connect(connection, addresses)) co_return make_error_code(errc::unreachable);
    if (place->secure) {
        connection.stream.secure(open_tls(place->host));
        if (!co_await shake_hands(connection)) co_return make_error_code(errc::unreachable);
    }
    const auto text = post_text(*place, body);
    if (!co_await write(connection, text)) co_return make_error_code(errc::connection_lost);
    co_return co_await read_status(connection);
}

}  // namespace gateway::sandbox
