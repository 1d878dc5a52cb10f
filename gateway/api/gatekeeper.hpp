// Lets terminals in: by the key they send and, where the listener asks for certificates, by the one they show, which
// must name the terminal whose key it is. Slows down whoever guesses.
#pragma once

#include "api/terminals.hpp"
#include "api/wrong_keys.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "http/server/router.hpp"

namespace gateway {

struct GatekeeperOptions {
    bool certificates = false;  // the listener asks for them
};

class Gatekeeper {
  public:
    // Every reference must outlive it.
    Gatekeeper(const GatekeeperOptions& options, const Terminals& terminals, Clock& clock, Log& log)
        : options_(options), terminals_(terminals), clock_(clock), log_(log) {}

    // Passes a terminal's request on to `next`, with the terminal as its principal; answers everybody else itself.
    boost::asio::awaitable<http::Response> let_in(http::Request& request, const http::Handler& next);

  private:
    boost::asio::awaitable<http::Response> turn_away(const http::Request& request, std::string_view why,
                                                     std::string detail);

    const GatekeeperOptions options_;
    const Terminals& terminals_;
    WrongKeys wrong_keys_;
    Clock& clock_;
    Log& log_;
};

}  // namespace gateway
