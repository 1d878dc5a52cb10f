// Holds the addresses of one host. They are looked up when they are needed, once for all callers who ask meanwhile, and
// are kept for a while. The last good answer is used as long as no better one comes: a store's name server is often the
// first thing that fails.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/wait_queue.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gateway::http {

// Says where requests go: scheme, host and port of {base_url} or {auth_url}.
struct Origin {
    bool tls = true;
    std::string host;  // a name, or an address without brackets
    std::uint16_t port = 443;

    // Returns the text for a Host header: without the scheme's own port, and with an IPv6 address in brackets.
    std::string authority() const {
        const bool v6 = host.find(':') != std::string::npos;
        auto text = v6 ? "[" + host + "]" : host;
        if (port != (tls ? 443 : 80)) text += ":" + std::to_string(port);
        return text;
    }
    friend bool operator==(const Origin&, const Origin&) = default;
};

// This is an http or https address without user, query and fragment. It is empty if none is configured.
struct ServiceUrl : Origin {
    ServiceUrl() : Origin{.tls = false, .host = {}, .port = 0} {}

    std::string text;  // the text as written, without a slash at the end
    std::string path;  // "" or "/prefix", percent-encoded as written

    bool empty() const noexcept { return text.empty(); }
    friend bool operator==(const ServiceUrl&, const ServiceUrl&) = default;
};

class Addresses : public std::enable_shared_from_this<Addresses> {
  public:
    using Endpoint = boost::asio::ip::tcp::endpoint;
    using Endpoints = std::vector<Endpoint>;
    // Asks for a host's addresses. It may take as long as it likes.
    using LookUp = std::function<boost::asio::awaitable<Result<Endpoints>>()>;

    // `host` is a name or an address. An address is never looked up. `clock` must live until stop().
    Addresses(boost::asio::any_io_executor executor, const std::string& host, std::uint16_t port, Clock& clock,
              LookUp look_up);

    // Returns the addresses, at least one; the one that worked last comes first. Without an address it fails with the
    // look-up's error. It fails with errc::timed_out if none came before the deadline, and with errc::shutting_down
    // after stop().
    boost::asio::awaitable<Result<Endpoints>> get(Instant deadline);
    // Says that a connection to this endpoint worked.
    void prefer(const Endpoint& endpoint);
    void stop();

  private:
    static boost::asio::awaitable<void> refresh(std::shared_ptr<Addresses> self);
    Endpoints known() const;

    const boost::asio::any_io_executor executor_;
    Clock& clock_;
    const LookUp look_up_;
    Endpoints known_;  // the last good answer
    // The error of the last look-up that failed.
    boost::system::error_code failure_ = make_error_code(errc::unreachable);
    Endpoint preferred_;
    Instant fresh_until_ = Instant::min();
    bool asking_ = false;
    bool stopped_ = false;
    WaitQueue waiting_;  // the callers that wait for the look-up that is under way
};

// Returns a look-up by the system's resolver.
Addresses::LookUp system_look_up(boost::asio::any_io_executor executor, std::string host, std::uint16_t port);

}  // namespace gateway::http
