#include "sandbox/callback_sender.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace gateway::sandbox {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

// The status of a receiver's answer to a callback says everything.
constexpr std::size_t most_answer = 65536;
constexpr auto quietly = asio::as_tuple(asio::deferred);

using Request = http::request<http::string_body>;

Request request_of(const boost::urls::url_view& url, std::string body) {
    std::string target(url.encoded_target());
    if (target.empty() || target.front() != '/') target.insert(0, "/");
    Request request(http::verb::post, target, 11, std::move(body));
    request.set(http::field::host, std::string(url.encoded_host_and_port()));
    request.set(http::field::content_type, "application/json");
    request.set(http::field::accept, "application/json");
    request.set(http::field::connection, "close");
    request.prepare_payload();
    return request;
}

// This is the name that a certificate must be for, and that a receiver with several names is told beforehand. An
// address is no name.
void expect(asio::ssl::stream<tcp::socket>& stream, const std::string& host) {
    stream.set_verify_callback(asio::ssl::host_name_verification(host));
    boost::system::error_code is_name;
    asio::ip::make_address(host, is_name);
    if (is_name) SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
}

template <class Stream>
asio::awaitable<Result<int>> exchange(Stream& stream, const Request& request) {
    const auto [unsent, sent] = co_await http::async_write(stream, request, quietly);
    if (unsent) co_return make_error_code(errc::connection_lost);
    boost::beast::flat_buffer buffer;
    http::response_parser<http::string_body> answer;
    answer.body_limit(most_answer);
    const auto [unheard, heard] = co_await http::async_read(stream, buffer, answer, quietly);
    if (unheard) co_return make_error_code(errc::connection_lost);
    co_return answer.get().result_int();
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

asio::awaitable<Result<int>> CallbackSender::post(std::string url, std::string body) {
    const auto place = boost::urls::parse_uri(url);
    const bool secure = place && place->scheme() == "https";
    if (!place || place->host().empty() || (!secure && place->scheme() != "http"))
        co_return make_error_code(errc::malformed);
    const auto request = request_of(*place, std::move(body));
    const auto host = place->host_address();
    const auto port = place->has_port() ? std::string(place->port()) : secure ? "443" : "80";

    const auto deadlines = deadlines_;  // it outlives the connection, wherever the sandbox ends
    asio::ssl::stream<tcp::socket> stream(executor_, tls_);
    bool late = false;
    const auto give_up = [&] {
        late = true;
        boost::system::error_code closed;
        stream.next_layer().close(closed);
    };
    Deadline deadline(*deadlines, give_up);
    deadline.set(clock_.now() + options_.time);
    tcp::resolver resolver(executor_);
    const auto [unknown, addresses] = co_await resolver.async_resolve(host, port, quietly);
    if (unknown || late) co_return make_error_code(errc::unreachable);
    const auto [unreachable, address] = co_await asio::async_connect(stream.next_layer(), addresses, quietly);
    if (unreachable) co_return make_error_code(errc::unreachable);
    if (!secure) co_return co_await exchange(stream.next_layer(), request);
    expect(stream, host);
    const auto [untrusted] = co_await stream.async_handshake(asio::ssl::stream_base::client, quietly);
    if (untrusted) co_return make_error_code(errc::unreachable);
    co_return co_await exchange(stream, request);
}

}  // namespace gateway::sandbox
