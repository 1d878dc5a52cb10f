#include "http/server/server.hpp"

#include "base/check.hpp"
#include "http/server/listener.hpp"
#include "http/server/session.hpp"
#include "http/server/tls.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gateway::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// Beast's type of a field, which Request uses, holds no longer values.
constexpr std::size_t longest_header = 65535;
// This is the pause after a failure to accept, which usually means that the process has no file descriptor left.
constexpr Duration accept_pause{100};

// Points at an object in a coroutine's frame for as long as that frame lives.
template <class T>
class Borrowed {
  public:
    Borrowed(T*& place, T& object) : place_(place) {
        CHECK(place_ == nullptr);
        place_ = &object;
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    ~Borrowed() { place_ = nullptr; }

  private:
    T*& place_;
};

std::string to_text(const tcp::endpoint& endpoint) {
    const auto address = endpoint.address().to_string();
    return fmt::format(fmt::runtime(endpoint.address().is_v6() ? "[{}]:{}" : "{}:{}"), address, endpoint.port());
}

// Returns the protocol of a listening TCP socket, and nothing if it is something else.
std::optional<tcp> protocol_of(int descriptor) {
    const auto ask = [descriptor](int option) {
        int value = -1;
        socklen_t size = sizeof value;
        return ::getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
    };
    if (ask(SO_TYPE) != SOCK_STREAM || ask(SO_ACCEPTCONN) != 1) return std::nullopt;
    if (ask(SO_DOMAIN) == AF_INET) return tcp::v4();
    if (ask(SO_DOMAIN) == AF_INET6) return tcp::v6();
    return std::nullopt;
}

tcp::acceptor take_over(const asio::any_io_executor& executor, const ServerOptions& options) {
    const auto protocol = protocol_of(*options.descriptor);
    if (!protocol) {
        const auto words =
            "the {} listener was handed descriptor {}, which is no listening TCP socket: let its "
            "ListenStream= name a port";
        throw boost::system::system_error(make_error_code(errc::malformed),
                                          fmt::format(fmt::runtime(words), options.name, *options.descriptor));
    }
    return tcp::acceptor(executor, *protocol, *options.descriptor);
}

// Other programs may hold the socket too. It is taken out of the event loop before it is closed: for them it stays
// open, and the loop would go on hearing of callers.
void let_go(tcp::acceptor& acceptor) {
    boost::system::error_code error;
    if (!acceptor.is_open()) return;
    const int descriptor = acceptor.release(error);
    if (!error) ::close(descriptor);
}

tcp::acceptor listen(const asio::any_io_executor& executor, const ServerOptions& options) {
    if (options.descriptor) return take_over(executor, options);
    tcp::acceptor acceptor(executor);
    boost::system::error_code error;
    const auto attempt = [&error](auto&& step) {
        if (!error) step();
    };
    const auto& endpoint = options.endpoint;
    attempt([&] { acceptor.open(endpoint.protocol(), error); });
    attempt([&] { acceptor.set_option(tcp::acceptor::reuse_address(true), error); });
    // "[::]" also takes IPv4 callers, whatever the system's default is.
    if (endpoint.address().is_v6()) attempt([&] { acceptor.set_option(asio::ip::v6_only(false), error); });
    attempt([&] { acceptor.bind(endpoint, error); });
    attempt([&] { acceptor.listen(tcp::acceptor::max_listen_connections, error); });
    if (error)
        throw std::runtime_error(fmt::format(
            "the {} listener cannot listen on {}: {}{}", options.name, to_text(endpoint), error.message(),
            error == asio::error::address_in_use ? "; another program listens there, or another gateway" : ""));
    return acceptor;
}

void take_connection(const std::shared_ptr<Listener>& listener, tcp::socket socket, const tcp::endpoint& peer) {
    // An IPv4 caller of a "[::]" listener counts as an IPv4 caller.
    const auto address = plain_address(peer.address());
    const auto same = listener->callers.find(address);
    if (same != listener->callers.end() && listener->limits(address) &&
        same->second.connections >= listener->options.connections_per_address)
        return listener->note_full(same->second.connections, address.to_string());
    if (listener->session_count >= listener->options.connections)
        return listener->note_full(listener->session_count, {});
    listener->full = false;
    const auto executor = socket.get_executor();
    asio::co_spawn(executor, serve(listener, std::move(socket), address), asio::detached);
}

void log_accept_failure(Listener& listener, const boost::system::error_code& error) {
    listener.log.warn("http.accept", "the {listener} listener cannot take a connection: {detail}",
                      {{"listener", listener.options.name}, {"detail", error.message()}});
}

asio::awaitable<void> accept_connections(std::shared_ptr<Listener> listener, tcp::acceptor acceptor) {
    const Borrowed borrowed(listener->acceptor, acceptor);
    // A connection that was aborted before it could be taken is an error, too. Asio would wait for another one to come,
    // also where others wait to be taken already.
    boost::system::error_code never;
    acceptor.set_option(asio::socket_base::enable_connection_aborted(true), never);
    tcp::endpoint peer;
    bool failing = false;
    while (acceptor.is_open()) {
        boost::system::error_code error;
        auto socket = co_await acceptor.async_accept(peer, asio::redirect_error(asio::use_awaitable, error));
        if (!acceptor.is_open()) break;
        if (!error) {
            failing = false;
            take_connection(listener, std::move(socket), peer);
            continue;
        }
        if (!std::exchange(failing, true)) log_accept_failure(*listener, error);
        co_await listener->clock.sleep_for(accept_pause);
    }
}

}  // namespace

Server::Server(asio::any_io_executor executor, ServerOptions options, Router router, Clock& clock, Random& random,
               Log& log)
    : executor_(std::move(executor)),
      listener_(std::make_shared<Listener>(executor_, std::move(options), std::move(router), clock, random, log)) {
    const auto& wanted = listener_->options;
    CHECK(wanted.header_limit <= longest_header && wanted.connections > 0);
    if (wanted.tls) {
        auto context = make_tls_context(*wanted.tls);
        if (!context)
            throw boost::system::system_error(make_error_code(context.error().code),
                                              fmt::format("the {} listener: {}", wanted.name, context.error().words));
        listener_->tls.emplace(std::move(*context));
        listener_->certificate = shown_by(*listener_->tls, wanted.tls->cert, listener_->clock);
    }
    acceptor_.emplace(listen(executor_, wanted));
    endpoint_ = acceptor_->local_endpoint();
}

Server::~Server() {
    listener_->stopped = true;
    if (listener_->acceptor != nullptr) let_go(*listener_->acceptor);
    listener_->deadlines->stop();
    for (auto& session : listener_->sessions)
        session.stop();
}

tcp::endpoint Server::endpoint() const {
    return endpoint_;
}

std::size_t Server::connections() const {
    return listener_->session_count;
}

std::size_t Server::busy() const {
    return listener_->busy_count;
}

const Answers& Server::answers() const {
    return listener_->answers;
}

const CallTimes& Server::call_times() const {
    return listener_->call_times;
}

const std::optional<ShownCertificate>& Server::certificate() const {
    return listener_->certificate;
}

std::uint64_t Server::certificate_refusals() const {
    return listener_->certificate_refusals;
}

std::vector<Hammering> Server::hammering() const {
    return listener_->refused_calls.hammering();
}

void Server::start() {
    if (!acceptor_) return;
    asio::co_spawn(executor_, accept_connections(listener_, std::move(*acceptor_)), rethrow);
    acceptor_.reset();
}

void Server::drain() {
    if (!listener_->drained_since) listener_->drained_since = listener_->clock.now();
    acceptor_.reset();
    if (listener_->acceptor != nullptr) let_go(*listener_->acceptor);
    for (auto& session : listener_->sessions)
        session.drain();
}

asio::awaitable<bool> Server::drained(Instant until) {
    const auto listener = listener_;
    const auto timer = listener->clock.make_timer();
    const Borrowed borrowed(listener->all_done, *timer);
    while (listener->busy_count > 0 && listener->clock.now() < until)
        co_await timer->wait_until(until);
    co_return listener->busy_count == 0;
}

Result<void> Server::reload_tls(const TlsFiles& files) {
    const auto refuse = [this](errc code, std::string_view words) -> Result<void> {
        listener_->log.error("http.tls", "the {listener} listener keeps the certificate that it has: {detail}",
                             {{"listener", listener_->options.name}, {"detail", words}});
        return make_error_code(code);
    };
    if (!listener_->tls) return refuse(errc::malformed, "the listener was started without TLS");
    auto context = make_tls_context(files);
    if (!context) return refuse(context.error().code, context.error().words);
    auto shown = shown_by(*context, files.cert, listener_->clock);
    // If the certificate is the same one, the callers that do not accept it have been reported already.
    if (shown && shows_the_same(*listener_->tls, *context)) {
        auto known = std::move(*listener_->certificate);
        known.file = std::move(shown->file);
        known.authority = std::move(shown->authority);
        shown = std::move(known);
    }
    listener_->certificate = std::move(shown);
    *listener_->tls = std::move(*context);
    return {};
}

}  // namespace gateway::http
