// The door of the console: who comes in, with what, and what those who are in may do.
//
// A browser shows a cookie. Reading needs one of a session, and writing one whose role is settle and, because a browser
// sends the cookie along for any page, an Origin that is the console's own.
#pragma once

#include "api/brute_force_throttle.hpp"
#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "console/sessions.hpp"
#include "http/server/router.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/json/object.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// What the pages are told of the store.
struct StoreFacts {
    std::string version{};       // the gateway's
    std::string timezone{};      // by its name
    TimeZone zone{};             // the same, looked up
    std::string help{};          // whom to call; empty: not told
    Duration open_sales_end{0};  // after which the provider cancels an open sale by itself; 0: not known that it does

    boost::json::object json(WallTime now) const;
};

struct SignInOptions {
    bool tls = false;  // the listener speaks it
    std::vector<Operator> operators{};
    StoreFacts store{};
};

// What a caller signs in with.
struct Credentials {
    std::string name;
    Secret password;
    Secret link;  // instead of both
};

class SignIn {
  public:
    using Endpoint = boost::asio::ip::tcp::endpoint;
    // Whether the password is that of the hash, found out without holding up the event loop.
    using Check = std::function<boost::asio::awaitable<bool>(PasswordHash hash, Secret password)>;

    // Passwords that are looked at, or wait for it, at once: each takes a tenth of a second, one after the other.
    static constexpr std::size_t most_checks = 8;

    // Says where the console listens; nothing: there is none.
    using Listening = std::function<std::optional<Endpoint>()>;

    // Every reference must outlive it and its coroutines.
    SignIn(SignInOptions options, Check check, Listening listening, Clock& clock, Random& random, Log& log);

    boost::asio::awaitable<http::Response> begin(http::Request& request);
    boost::asio::awaitable<http::Response> who(http::Request& request);
    boost::asio::awaitable<http::Response> end(http::Request& request);
    // Makes a link for the command on the box: the admin listener's.
    boost::asio::awaitable<http::Response> link(http::Request& request);
    // The filter of all other calls. Handlers find the person's name as the principal.
    boost::asio::awaitable<http::Response> guard(http::Request& request, const http::Handler& next);

    // What the request shows, or empty: for still_in().
    std::string_view shown(const http::Request& request) const;
    // Whether its session has not ended; does not put off its end.
    bool still_in(std::string_view shown) { return sessions_.find(shown, false) != nullptr; }

    // In place of those that there were. Who is not among them any more, or has another password or role, is signed
    // out.
    void reload(std::vector<Operator> operators);

  private:
    boost::asio::awaitable<http::Response> by_link(const http::Request& request, std::string_view link);
    boost::asio::awaitable<http::Response> by_password(const http::Request& request, Credentials given);
    boost::asio::awaitable<http::Response> refuse_late(const http::Request& request, std::string_view why,
                                                       std::string detail);

    // Where a browser on this machine finds it; empty where there is none.
    std::string address() const;
    bool is_own_page(const http::Request& request) const;
    http::Response welcome(const http::Request& request, const Secret& shown);
    boost::json::object session_json(const Session& session) const;
    std::string cookie(const http::Request& request, std::string_view value) const;
    std::string cookie_name(const http::Request& request) const;

    const bool tls_;
    std::vector<Operator> operators_;
    const Check check_;
    const StoreFacts store_;
    const Listening listening_;
    // Of no password: what an unknown name is compared with, so that it takes as long.
    const PasswordHash nobody_;
    Sessions sessions_;
    BruteForceThrottle throttle_;
    const std::shared_ptr<std::size_t> checks_ = std::make_shared<std::size_t>(0);
    Clock& clock_;
    Log& log_;
};

}  // namespace gateway
