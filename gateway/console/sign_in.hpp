// Signs people in at the console, and decides what those who are signed in may do.
//
// A browser shows a cookie. A call that reads needs the cookie of a session. A call that writes needs that of a session
// with the role settle. Because a browser sends the cookie with the requests of any page, it also needs an Origin that
// is the console's own.
#pragma once

#include "api/brute_force_throttle.hpp"
#include "api/letterhead.hpp"
#include "base/calendar.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "console/sessions.hpp"
#include "http/server/router.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/json/object.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// This is what the pages are told about the store.
struct StoreFacts {
    std::string version{};         // the gateway's version
    std::string timezone{};        // its tz name
    TimeZone zone{};               // the rule of that zone
    std::string help{};            // whom a person can call; empty: not given
    Duration open_sales_end{0};    // after this time the provider cancels an open sale by itself; 0: it is not known to
    std::string provider_phone{};  // empty: not given
    Letterhead letterhead{};
    std::string colour{};  // as "#rrggbb"; empty: not given

    // Returns what those who have signed in are told.
    boost::json::object json(WallTime now) const;
    // Returns what everybody is told, so that the page for signing in looks like the store's: nothing else.
    boost::json::object looks() const;
};

struct SignInOptions {
    bool tls = false;  // the listener uses TLS
    std::vector<Operator> operators{};
    StoreFacts store{};
};

// This is what a caller signs in with.
struct Credentials {
    std::string name;
    Secret password;
    Secret link;  // instead of name and password
};

class SignIn {
  public:
    using Endpoint = boost::asio::ip::tcp::endpoint;
    // Returns whether the password belongs to the hash, and does not block the event loop meanwhile.
    using Check = std::function<boost::asio::awaitable<bool>(PasswordHash hash, Secret password)>;

    // Writes changes of the sessions into the journal. The changes live until it is done.
    using Keep = std::function<boost::asio::awaitable<Result<void>>(const SessionChanges& changes)>;

    // At most this many passwords are checked or wait for it at once. Each takes a tenth of a second, one after the
    // other.
    static constexpr std::size_t most_checks = 8;

    // Returns where the console listens; nothing: there is no console.
    using Listening = std::function<std::optional<Endpoint>()>;

    // Every reference must outlive this object and its coroutines.
    SignIn(boost::asio::any_io_executor executor, SignInOptions options, Check check, Listening listening, Keep keep,
           Clock& clock, Random& random, Log& log);

    // Goes on with the sessions that the journal has from an earlier run. Where it cannot be read, people sign in anew,
    // and the log says so.
    void take(Result<std::vector<KeptSession>> of_earlier);
    boost::asio::awaitable<http::Response> begin(http::Request& request);
    boost::asio::awaitable<http::Response> who(http::Request& request);
    boost::asio::awaitable<http::Response> end(http::Request& request);
    // Says to everybody whose console this is.
    boost::asio::awaitable<http::Response> looks(http::Request& request);
    // Makes a link, for a command on the box. It is a call of the admin listener.
    boost::asio::awaitable<http::Response> link(http::Request& request);
    // Lets only those calls through that the person may make. Handlers find the person's name as the principal.
    boost::asio::awaitable<http::Response> guard(http::Request& request, const http::Handler& next);

    // Returns the secret that the request shows, for still_in(); empty: it shows none.
    std::string_view shown(const http::Request& request) const;
    // Tells whether the session has not ended, and does not put off its end.
    bool still_in(std::string_view shown) { return sessions_.find(shown, false) != nullptr; }

    // Replaces the operators. A person who is not among the new ones, or has another password or role, is signed out.
    void reload(std::vector<Operator> operators);

  private:
    boost::asio::awaitable<http::Response> by_link(const http::Request& request, std::string_view link);
    boost::asio::awaitable<http::Response> by_password(const http::Request& request, Credentials given);
    boost::asio::awaitable<http::Response> refuse_late(const http::Request& request, std::string_view why,
                                                       std::string detail);

    // Writes into the journal what has changed, and returns whether that is done. The log says when it no longer is.
    boost::asio::awaitable<bool> keep_changes();
    // Does so while nobody waits for it.
    void keep_meanwhile();

    // Returns the console's address for a browser on this machine; empty where there is no console.
    std::string address() const;
    bool is_own_page(const http::Request& request) const;
    boost::asio::awaitable<http::Response> welcome(const http::Request& request, Secret shown);
    boost::json::object session_json(const Session& session) const;
    std::string cookie(const http::Request& request, std::string_view value) const;
    std::string cookie_name(const http::Request& request) const;

    const boost::asio::any_io_executor executor_;
    const bool tls_;
    std::vector<Operator> operators_;
    const Check check_;
    const StoreFacts store_;
    const Listening listening_;
    const Keep keep_;
    // This is the hash of no password. It is checked for an unknown name, so that this takes as long as for a known
    // one.
    const PasswordHash nobody_;
    Sessions sessions_;
    bool keeps_ = true;  // the journal had the last changes
    BruteForceThrottle throttle_;
    const std::shared_ptr<std::size_t> checks_ = std::make_shared<std::size_t>(0);
    Clock& clock_;
    Log& log_;
};

}  // namespace gateway
