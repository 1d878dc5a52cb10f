#include "sandbox/callback_sender.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace gateway::sandbox {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;
using PostRequest = beast::http::request<beast::http::string_body>;

// A receiver's answer to a callback says everything with its status.
constexpr std::uint64_t most_answer = 65536;

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

PostRequest make_request(const Place& place, std::string body) {
    PostRequest request(beast::http::verb::post, place.target, 11);
    request.set(beast::http::field::host, place.authority);
    request.set(beast::http::field::content_type, "application/json");
    request.set(beast::http::field::accept, "application/json");
    request.set(beast::http::field::connection, "close");
    request.body() = std::move(body);
    request.prepare_payload();
    return request;
}

template <class Stream>
asio::awaitable<Result<int>> exchange(Stream& stream, const PostRequest& request) {
    error_code failed;
    co_await beast::http::async_write(stream, request, asio::redirect_error(asio::use_awaitable, failed));
    if (failed) co_return make_error_code(errc::connection_lost);
    beast::flat_buffer buffer;
    beast::http::response_parser<beast::http::string_body> parser;
    parser.body_limit(most_answer);
    co_await beast::http::async_read(stream, buffer, parser, asio::redirect_error(asio::use_awaitable, failed));
    if (failed) co_return make_error_code(errc::connection_lost);
    co_return static_cast<int>(parser.get().result_int());
}

}  // namespace

CallbackSender::CallbackSender(asio::any_io_executor executor, CallbackSenderOptions options)
    : executor_(std::move(executor)), options_(std::move(options)), tls_(asio::ssl::context::tls_client) {
    if (options_.ca_file.empty()) {
        tls_.set_default_verify_paths();
    } else {
        tls_.load_verify_file(options_.ca_file);
    }
    tls_.set_verify_mode(options_.verify ? asio::ssl::verify_peer : asio::ssl::verify_none);
}

asio::awaitable<Result<int>> CallbackSender::post(std::string url, std::string body) {
    const auto place = parse_place(url);
    if (!place) co_return make_error_code(errc::malformed);
    error_code failed;
    asio::ip::tcp::resolver resolver(executor_);
    const auto addresses =
        co_await resolver.async_resolve(place->host, place->port, asio::redirect_error(asio::use_awaitable, failed));
    if (failed) co_return make_error_code(errc::unreachable);
    beast::ssl_stream<beast::tcp_stream> stream(executor_, tls_);
    auto& tcp = stream.next_layer();
    tcp.expires_after(options_.time);
    co_await tcp.async_connect(addresses, asio::redirect_error(asio::use_awaitable, failed));
    if (failed) co_return make_error_code(errc::unreachable);
    const auto request = make_request(*place, std::move(body));
    if (!place->secure) {
        const auto answered = co_await exchange(tcp, request);
        co_return answered;
    }
    if (options_.verify) stream.set_verify_callback(asio::ssl::host_name_verification(place->host));
    SSL_set_tlsext_host_name(stream.native_handle(), place->host.c_str());
    co_await stream.async_handshake(asio::ssl::stream_base::client, asio::redirect_error(asio::use_awaitable, failed));
    if (failed) co_return make_error_code(errc::unreachable);
    const auto answered = co_await exchange(stream, request);
    co_return answered;
}

}  // namespace gateway::sandbox
