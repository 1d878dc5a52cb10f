// Lets terminals in by the key that they send. Where the listener asks for certificates, the certificate that is shown
// must also name the terminal that has this key. Slows down a caller who guesses.
#pragma once

#include "api/brute_force_throttle.hpp"
#include "api/exposition.hpp"
#include "api/terminal_calls.hpp"
#include "api/terminals.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "http/server/router.hpp"

#include <cstdint>

namespace gateway {

struct AuthenticatorOptions {
    bool certificates = false;  // the listener asks for them
};

class Authenticator {
  public:
    // Every reference must outlive this object.
    Authenticator(const AuthenticatorOptions& options, const Terminals& terminals, Clock& clock, Log& log)
        : options_(options), terminals_(terminals), clock_(clock), log_(log) {}

    // Passes a terminal's request on to `next`, with the terminal as its principal; answers everybody else itself.
    boost::asio::awaitable<http::Response> authenticate(http::Request& request, const http::Handler& next);

    // Tells whether authenticate() would find a terminal's key in the request. Unlike authenticate(), it notes and logs
    // nothing, and delays no answer.
    bool knows(const http::Request& request) const;

    const SeenCalls& seen() const noexcept { return seen_; }

    // Writes how many calls had a key that let nobody in.
    void expose(Exposition& out) const;

  private:
    boost::asio::awaitable<http::Response> reject(const http::Request& request, std::string_view why,
                                                  std::string detail);

    const AuthenticatorOptions options_;
    const Terminals& terminals_;
    BruteForceThrottle throttle_;
    SeenCalls seen_;
    Clock& clock_;
    Log& log_;
};

}  // namespace gateway
