#include "app/listeners.hpp"

#include "api/statements.hpp"
#include "base/told.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

namespace gateway {
namespace {

// Tells whether a socket that systemd opened is where the configuration has the listener. Any address is any address,
// of either family, because systemd's "8080" is [::]:8080 and takes callers of both; and port 0 means any free port.
bool is_where(const Endpoint& bound, const Endpoint& configured) {
    const bool any = bound.address().is_unspecified() && configured.address().is_unspecified();
    const bool same_port = configured.port() == 0 || bound.port() == configured.port();
    return same_port && (any || bound.address() == configured.address());
}

// Any free port will do to find out.
bool is_of_this_machine(const Endpoint& endpoint) {
    boost::asio::io_context context;
    boost::asio::ip::tcp::acceptor trial(context);
    boost::system::error_code failed;
    (void)trial.open(endpoint.protocol(), failed);
    if (failed) return failed != boost::asio::error::address_family_not_supported;
    auto anywhere = endpoint;
    anywhere.port(0);
    (void)trial.bind(anywhere, failed);
    return failed != boost::system::errc::address_not_available;
}

}  // namespace

void look_at_addresses(ConfigReading& reading) {
    const auto& listen = reading.seen().listen;
    const auto look = [&](const std::string& key, const std::optional<Endpoint>& endpoint) {
        if (!endpoint || reading.has_error(key) || is_of_this_machine(*endpoint)) return;
        reading.warnings.push_back(
            {key, line_of(reading.lines, key),
             fmt::format(told("this machine has no address {} now, so no gateway starts on it: write one that it has, "
                              "which ip address lists, or 0.0.0.0 for all of them"),
                         endpoint->address().to_string())});
    };
    look("listen.terminals", listen.terminals);
    look("listen.callbacks", listen.callbacks);
    look("listen.admin", listen.admin);
    look("listen.console", listen.console);
}

void Listeners::open(const ListenOptions& listen, Systemd& systemd, Routers routers) {
    const auto options = [&](std::string name, const Endpoint& endpoint, std::optional<http::TlsFiles> tls) {
        http::ServerOptions made;
        made.name = std::move(name);
        made.endpoint = endpoint;
        made.tls = std::move(tls);
        made.connections_per_address = listen.connections_per_address;
        return made;
    };
    const auto behind_proxies = [&](http::ServerOptions made) {
        for (const auto& text : listen.trusted_proxies)
            (void)made.trusted_proxies.add(text);  // the configuration has been checked for this
        made.proxy_protocol = listen.proxy_protocol;
        return made;
    };
    auto terminals = behind_proxies(options("terminals", listen.terminals, listen.tls_of_terminals()));
    // The limit is for this listener only, because the provider's callbacks and an operator's notes are as long as they
    // are.
    terminals.body_limit = listen.body;
    terminals.body_limit_key = "limits.body";
    terminals_ = open_one(std::move(terminals), systemd, std::move(routers.terminals));
    if (listen.callbacks)
        callbacks_ = open_one(behind_proxies(options("callbacks", *listen.callbacks, listen.tls_of_callbacks())),
                              systemd, std::move(routers.callbacks));
    auto admin = options("admin", listen.admin, std::nullopt);
    admin.bytes_per_address = admin.bytes = StatementsApi::room;
    admin_ = open_one(std::move(admin), systemd, std::move(routers.admin));
    if (listen.console) {
        // Statements come to the console, too, as files that a person drops on a page.
        auto console = options("console", *listen.console, listen.tls_of_console());
        console.people = true;
        console.bytes_per_address = console.bytes = StatementsApi::room;
        const bool in_clear = !console.tls.has_value();
        console_ = open_one(std::move(console), systemd, std::move(routers.console));
        // The address in the configuration was checked; a socket that was passed may have another one.
        if (in_clear && !console_->endpoint().address().is_loopback())
            throw std::runtime_error(
                std::string(told("the socket that was passed for the console can be reached from other machines: set "
                                 "listen.console_tls.cert and key, or those of listen.tls, or "
                                 "ListenStream=127.0.0.1:9091 with systemctl edit sales-gateway-console.socket")));
    }
    // A socket that stays open without a listener would let callers in whom nothing ever answers.
    for (const auto& name : systemd.sockets())
        throw std::runtime_error(fmt::format(
            told(
                "a socket named \"{}\" was passed, and no listener is to have it: FileDescriptorName= must be "
                "terminals, admin, or, where listen.callbacks or listen.console is set, callbacks or console, each for "
                "one ListenStream="),
            name));
}

std::unique_ptr<http::Server> Listeners::open_one(http::ServerOptions options, Systemd& systemd, http::Router router) {
    options.descriptor = systemd.take_socket(options.name);
    const bool passed = options.descriptor.has_value();
    const auto name = options.name;
    const auto configured = options.endpoint;
    auto server =
        std::make_unique<http::Server>(executor_, std::move(options), std::move(router), clock_, random_, log_);
    const auto bound = server->endpoint();
    if (passed && !is_where(bound, configured))
        log_.warn("listener.elsewhere",
                  "the {listener} listener is at {address}:{port}, and not at {configured}: {detail}",
                  {{"listener", name},
                   {"address", bound.address().to_string()},
                   {"port", bound.port()},
                   {"configured", fmt::format("{}:{}", configured.address().to_string(), configured.port())},
                   {"detail", fmt::format("systemd holds the listener's port, and listen.{0} is not looked at: change "
                                          "ListenStream= with systemctl edit sales-gateway-{0}.socket",
                                          name)}});
    return server;
}

void Listeners::start() {
    start_one("terminals", terminals_.get());
    start_one("callbacks", callbacks_.get());
    start_one("admin", admin_.get());
    start_one("console", console_.get());
    boost::asio::co_spawn(executor_, certificate_watch_.keep_looking(), boost::asio::detached);
}

// The log says where it listens, because port 0 takes a free one.
void Listeners::start_one(std::string_view name, http::Server* server) {
    if (server == nullptr) return;
    server->start();
    const auto endpoint = server->endpoint();
    log_.info("listening", "the {listener} listener takes calls at {address}, port {port}",
              {{"listener", name}, {"address", endpoint.address().to_string()}, {"port", endpoint.port()}});
}

bool Listeners::reload(const ListenOptions& options) {
    bool all = true;
    const auto tell = [&](http::Server* server, const std::optional<http::TlsFiles>& files) {
        if (files && server != nullptr) all = server->reload_tls(*files).has_value() && all;
    };
    tell(terminals_.get(), options.tls_of_terminals());
    tell(callbacks_.get(), options.tls_of_callbacks());
    tell(console_.get(), options.tls_of_console());
    certificate_watch_.look();
    return all;
}

boost::asio::awaitable<void> Listeners::drain(Instant until) {
    terminals_->drain();
    if (callbacks_) callbacks_->drain();
    admin_->drain();
    if (console_) console_->drain();
    co_await terminals_->drained(until);
    if (callbacks_) co_await callbacks_->drained(until);
    co_await admin_->drained(until);
    if (console_) co_await console_->drained(until);
}

void Listeners::expose(Exposition& out) const {
    const auto listeners = all();
    out.metric("gateway_http_connections", "gauge", "Open connections, by listener.");
    for (const auto& [name, server] : listeners)
        if (server != nullptr) out.sample(static_cast<double>(server->connections()), {{"listener", name}});
    out.metric("gateway_http_answers_total", "counter", "Answers, by listener and status.");
    for (const auto& [name, server] : listeners) {
        if (server == nullptr) continue;
        for (const auto& [status, count] : server->answers())
            out.sample(static_cast<double>(count), {{"listener", name}, {"status", fmt::format_int(status).c_str()}});
    }
    out.metric("gateway_http_request_seconds", "histogram",
               "From the complete head of a request until its answer was handed to the connection, by listener and "
               "call; other is what no call was found for, or was refused before.");
    for (const auto& [name, server] : listeners) {
        if (server == nullptr) continue;
        for (const auto& [call, times] : server->call_times())
            out.samples(times, {{"listener", name}, {"call", call}});
    }
    out.metric("gateway_certificate_expires_at_seconds", "gauge",
               "When the certificate ends that the callers of a listener are shown, in seconds since 1970.");
    const auto shown = certificates();
    for (const auto& [name, certificate] : shown)
        out.sample(certificate.validity.ends_at, {{"listener", name}});
    out.metric(
        "gateway_certificate_remaining_seconds", "gauge",
        "How long the certificate in this file, which a listener shows, is good for; below 0 where it has ended.");
    for (const auto& [name, certificate] : shown)
        out.sample(std::chrono::duration<double>(certificate.validity.ends_at - clock_.wall()).count(),
                   {{"listener", name}, {"file", certificate.file}});
    out.metric("gateway_certificate_refusals_total", "counter",
               "Handshakes that callers of a listener ended because they do not accept its certificate.");
    for (const auto& [name, server] : listeners)
        if (server != nullptr && server->certificate())
            out.sample(static_cast<double>(server->certificate_refusals()), {{"listener", name}});
}

std::optional<boost::asio::ip::tcp::endpoint> Listeners::console() const {
    return console_ ? std::optional(console_->endpoint()) : std::nullopt;
}

std::string Listeners::authority_of_console() const {
    return console_ && console_->certificate() ? console_->certificate()->authority : std::string();
}

std::vector<http::Hammering> Listeners::hammering() const {
    std::vector<http::Hammering> found;
    for (const auto& [name, server] : all())
        if (server != nullptr)
            for (auto& caller : server->hammering())
                found.push_back(std::move(caller));
    return found;
}

http::ShownCertificates Listeners::certificates() const {
    http::ShownCertificates shown;
    for (const auto& [name, server] : all())
        if (server != nullptr && server->certificate()) shown.emplace_back(name, *server->certificate());
    return shown;
}

std::array<std::pair<const char*, const http::Server*>, 4> Listeners::all() const {
    return {{{"terminals", terminals_.get()},
             {"callbacks", callbacks_.get()},
             {"admin", admin_.get()},
             {"console", console_.get()}}};
}

}  // namespace gateway
