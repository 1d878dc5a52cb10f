#include "http/client/tunnel.hpp"

#include "http/client/answer_reader.hpp"
#include "http/client/pool.hpp"

#include <fmt/format.h>

#include <array>

namespace gateway::http {
namespace {

// The head of the answer may have so many bytes. Proxies send a few hundred.
constexpr std::size_t head_limit = 16 * 1024;

// The port is always there, unlike in a Host field (RFC 9112, section 3.2.3).
std::string address_of(const Origin& origin) {
    return fmt::format(fmt::runtime(origin.host.find(':') == std::string::npos ? "{}:{}" : "[{}]:{}"), origin.host,
                       origin.port);
}

Secret connect_request(const Proxy& proxy, const std::string& address) {
    auto text = "CONNECT " + address + " HTTP/1.1\r\nHost: " + address + "\r\n";
    if (!proxy.authorization.empty()) text += "Proxy-Authorization: " + proxy.authorization.reveal() + "\r\n";
    return Secret(text + "\r\n");
}

// The proxy's own words are not repeated: they come from a stranger, and may contain the credentials.
std::string in_words(unsigned status, const Proxy& proxy, const std::string& address) {
    const auto name = "the proxy " + proxy.url;
    const bool unauthorised = status == 407 || status == 401;  // tinyproxy answers 401 to wrong credentials
    if (unauthorised && proxy.authorization.empty()) return fmt::format("{} wants credentials ({})", name, status);
    if (unauthorised)
        return fmt::format("{} does not accept the credentials in provider.proxy_credentials_file ({})", name, status);
    if (status >= 500) return fmt::format("{} could not connect to {} ({})", name, address, status);
    if (status >= 400) return fmt::format("{} refused to connect to {} ({})", name, address, status);
    return fmt::format("{} answers a request to connect to {} with {}", name, address, status);
}

// Returns whether all of it was sent.
boost::asio::awaitable<bool> send(Connection& connection, std::string_view text) {
    while (!text.empty()) {
        const auto step = connection.stream.write(text);
        if (waits(step.outcome)) co_await connection.stream.wait(step.outcome);
        if (connection.timed_out() || step.outcome == Stream::Outcome::failed) co_return false;
        text.remove_prefix(step.bytes);
    }
    co_return true;
}

boost::asio::awaitable<AnswerReader::State> receive(Connection& connection, AnswerReader& reader) {
    auto state = AnswerReader::State::more;
    while (state == AnswerReader::State::more) {
        co_await connection.stream.wait(Stream::Outcome::wait_read);
        if (connection.timed_out()) break;
        std::array<char, 1024> room;
        const auto step = connection.stream.read(room);
        if (step.outcome == Stream::Outcome::done) state = reader.feed({room.data(), step.bytes});
        if (step.outcome == Stream::Outcome::ended) state = reader.end();
        if (step.outcome == Stream::Outcome::failed) break;
    }
    co_return state;
}

}  // namespace

boost::asio::awaitable<Tunnel> open_tunnel(Connection& connection, const Proxy& proxy, const Origin& origin) {
    Tunnel tunnel;
    const auto address = address_of(origin);
    const auto request = connect_request(proxy, address);
    AnswerReader reader({.header = head_limit, .body = 0}, AnswerReader::Body::none);
    auto state = AnswerReader::State::more;
    if (co_await send(connection, request.reveal())) state = co_await receive(connection, reader);
    const auto name = "the proxy " + proxy.url;
    if (state == AnswerReader::State::more || reader.failure() == errc::connection_lost) {
        tunnel.why = name + (connection.timed_out() ? " did not answer in time" : " closed the connection");
    } else if (state == AnswerReader::State::failed) {
        tunnel.why = name + " does not answer as a proxy does";
    } else {
        const auto surplus = reader.has_surplus();
        const auto status = reader.take(WallTime()).status;
        tunnel.answered = true;
        tunnel.stands = status >= 200 && status < 300 && !surplus;
        if (!tunnel.stands)
            tunnel.why =
                surplus && status < 300 ? name + " sent more than its answer" : in_words(status, proxy, address);
    }
    co_return tunnel;
}

}  // namespace gateway::http
