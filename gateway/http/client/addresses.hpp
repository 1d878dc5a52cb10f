// The addresses of one host. They are looked up when they are needed, once for all who ask meanwhile, and kept for a
// while. The last good answer is used for as long as no better one can be had: a store's name server is often the first
// thing that fails.
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

// Where requests go: scheme, host and port of {base_url} or {auth_url}.
struct Origin {
    bool tls = true;
    std::string host;  // a name, or an address without brackets
    std::uint16_t port = 443;

    // As it stands in a Host header: the scheme's own port left out, an IPv6 address in brackets.
    std::string authority() const {
        const bool v6 = host.find(':') != std::string::npos;
        auto text = v6 ? "[" + host + "]" : host;
        if (port != (tls ? 443 : 80)) text += ":" + std::to_string(port);
        return text;
    }
    friend bool operator==(const Origin&, const Origin&) = default;
};

// An http or https address without user, query and fragment; empty where none is configured.
struct ServiceUrl : Origin {
    ServiceUrl() : Origin{.tls = false, .host = {}, .port = 0} {}

    std::string text;  // as written, without a slash at the end
    std::string path;  // "" or "/prefix", percent-encoded as written

    bool empty() const noexcept { return text.empty(); }
    friend bool operator==(const ServiceUrl&, const ServiceUrl&) = default;
};

class Addresses : public std::enable_shared_from_this<Addresses> {
  public:
    using Endpoint = boost::asio::ip::tcp::endpoint;
    using Endpoints = std::vector<Endpoint>;
    // Asks for a host's addresses; may take as long as it likes.
    using LookUp = std::function<boost::asio::awaitable<Result<Endpoints>>()>;

    // `host` is a name or an address; an address is never looked up. `clock` must live until stop().
    Addresses(boost::asio::any_io_executor executor, const std::string& host, std::uint16_t port, Clock& clock,
              LookUp look_up);

    // Never empty; the one that worked last comes first. What the look-up said where there are none, errc::timed_out
    // where none came before the deadline, errc::shutting_down after stop().
    boost::asio::awaitable<Result<Endpoints>> get(Instant deadline);
    // This one worked.
    void prefer(const Endpoint& endpoint);
    void stop();

  private:
    static boost::asio::awaitable<void> refresh(std::shared_ptr<Addresses> self);
    Endpoints known() const;

    const boost::asio::any_io_executor executor_;
    Clock& clock_;
    const LookUp look_up_;
    Endpoints known_;                                                         // the last good answer
    boost::system::error_code failure_ = make_error_code(errc::unreachable);  // of the last answer that was none
    Endpoint preferred_;
    Instant fresh_until_ = Instant::min();
    bool asking_ = false;
    bool stopped_ = false;
    WaitQueue waiting_;  // for the look-up that is under way
};

// The system's way to look a name up.
Addresses::LookUp system_look_up(boost::asio::any_io_executor executor, std::string host, std::uint16_t port);

}  // namespace gateway::http
