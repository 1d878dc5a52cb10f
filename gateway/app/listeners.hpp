// Listens for terminals, for the admin and, only where they are configured, for callbacks and the console. Each
// listener uses the socket that the service manager passed under its name, or else the address that the configuration
// names.
#pragma once

#include "api/exposition.hpp"
#include "base/systemd.hpp"
#include "config/config.hpp"
#include "http/server/certificate_watch.hpp"
#include "http/server/server.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gateway {

class Listeners {
  public:
    // Says what each of them answers.
    struct Routers {
        http::Router terminals;
        http::Router callbacks;
        http::Router admin;
        http::Router console;
    };

    // Every reference must outlive the listeners.
    Listeners(boost::asio::any_io_executor executor, Clock& clock, Random& random, Log& log)
        : executor_(std::move(executor)), clock_(clock), random_(random), log_(log) {}

    // Takes the addresses, or the sockets that were passed, and accepts nothing yet. Throws, in words for the operator,
    // where an address is taken, a certificate cannot be used, or a socket was passed that no listener is to have.
    // Warns of a socket that was passed and listens elsewhere than the configuration says.
    void open(const ListenOptions& listen, Systemd& systemd, Routers routers);
    // Accepts connections from here on.
    void start();
    // Uses the certificates of this configuration for every connection from now on. Returns whether all of them could
    // be used; each listener logs what is wrong with its own, and goes on with the old ones then.
    bool reload(const ListenOptions& options);
    // Takes no more requests, and ends when every caller that waited has been answered, or at `until`.
    boost::asio::awaitable<void> drain(Instant until);

    // Returns where the console listens; nothing where there is none.
    std::optional<boost::asio::ip::tcp::endpoint> console() const;
    // Returns, in DER, the authority that the console shows behind its certificate; empty where there is none.
    std::string authority_of_console() const;
    // Returns the certificates that each of them shows, by the listener's name.
    http::ShownCertificates certificates() const;
    // Returns the callers of any of them that are refused again and again, or were within the last hour.
    std::vector<http::Hammering> hammering() const;
    const http::CertificateWatch& certificate_watch() const noexcept { return certificate_watch_; }
    // Writes for each listener its open connections, its answers, how long callers waited for these, and the end of its
    // certificates.
    void expose(Exposition& out) const;

  private:
    std::unique_ptr<http::Server> open_one(http::ServerOptions options, Systemd& systemd, http::Router router);
    // Returns the listeners with their names; null where there is none.
    std::array<std::pair<const char*, const http::Server*>, 4> all() const;
    void start_one(std::string_view name, http::Server* server);

    const boost::asio::any_io_executor executor_;
    Clock& clock_;
    Random& random_;
    Log& log_;
    std::unique_ptr<http::Server> terminals_;
    std::unique_ptr<http::Server> callbacks_;  // null where none is configured
    std::unique_ptr<http::Server> admin_;
    std::unique_ptr<http::Server> console_;  // null where none is configured
    http::CertificateWatch certificate_watch_{[this] { return certificates(); }, clock_, log_};
};

// Warns of addresses of listeners that this machine does not have: the file may be for another machine.
void look_at_addresses(ConfigReading& reading);

}  // namespace gateway
