// The one access token of the gateway. At most one token request is in flight; every caller who needs a token
// meanwhile waits for that one. Renewed before it runs out: refresh first, client credentials as the fall-back
// ("Authentication"). Failures back off with jitter and are told by trouble(). A token that the provider has refused is
// never given again, unless the token service itself gives it anew; how fast others are asked for in its place is
// limited.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "base/secret.hpp"
#include "http/client/client.hpp"
#include "provider/provider_options.hpp"
#include "provider/reachability.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gateway {

struct Token {
    Secret access;   // empty: it was rejected, and only the other one is left
    Secret refresh;  // empty: none
    WallTime obtained_at{};
    WallTime expires_at{};  // of the access token
    Secret app_secret{};    // by which it was got, at first where it was refreshed since
};

// Where a token is kept across restarts; the journal, as the application wires it. Failures are the store's to log.
using SaveToken = std::function<boost::asio::awaitable<void>(const std::optional<Token>&)>;

// Of several gateways, for which the same token serves, one at a time asks for another.
struct TokenTurns {
    // Called before every request for a token, with the one that is held (empty: none): gives the token that another
    // gateway has got meanwhile; nothing where it is this one's turn to ask. Waits while another one asks, and not much
    // longer than that may take.
    std::function<boost::asio::awaitable<std::optional<Token>>(Secret)> of_another;
    // Called once the request has ended and what it brought is kept. If it brought nothing, another gateway asks at
    // once, which may have what the service wants. It is not called where the service asks for patience: it asks that
    // of all.
    std::function<boost::asio::awaitable<void>()> end;
};

// Hears every answer that is one of the provider's own interface, or of its token service: a success that is what was
// asked for. What another web server says in the provider's place is none.
using HearAnswer = std::function<void(const Reply&)>;

class TokenKeeper {
  public:
    // `kept` is the token of the last run, if there was one. Every reference must outlive the keeper.
    TokenKeeper(boost::asio::any_io_executor executor, ProviderOptions options, http::Client& client, Clock& clock,
                Random& random, Log& log, std::optional<Token> kept, SaveToken save, TokenTurns turns = {},
                HearAnswer hear = nullptr);
    TokenKeeper(const TokenKeeper&) = delete;
    TokenKeeper& operator=(const TokenKeeper&) = delete;
    ~TokenKeeper();

    // Begins to keep a token at hand: gets the first one and renews it ahead of time. get() begins it too.
    void start();

    // A token that lasts long enough for a sale, or, where it cannot be renewed, the one that is still valid. Waits for
    // it until the deadline, but not longer than waiting makes sense: for the first try as long as connecting may take;
    // after one that failed for two seconds, which is for a service that stumbles, and not at all where the next one
    // cannot be expected to end by then. A try that the caller waited for and that failed for a reason that trying
    // again soon will not mend ends the wait at once. Then errc::no_token.
    boost::asio::awaitable<Result<Secret>> get(Instant deadline);
    // The provider answered 401 to this token: it is dropped, here and in what is kept across restarts.
    void reject(const Secret& access);
    // Takes over the application's secret. Where it is another one now, a token is asked for with it at once, so that a
    // wrong one is known while the token of before still lasts, which goes on until then. That one stays the old
    // secret's, where it is refreshed and where it is kept too, and nothing that comes by it says that the new one is
    // good.
    void reload(const ProviderOptions& options);
    // Whether it was rejected after get() had given it.
    bool rejected(const Secret& access) const;

    // In words, why there is no usable token; nothing while there is one.
    std::optional<std::string> trouble() const;
    // Whether there ever was a usable one.
    bool had_token() const noexcept;
    // Whether the token service gives tokens, as the requests for them show.
    const Reachability& reachability() const noexcept;
    // A sale was not made for want of a token.
    void sale_refused();
    // Until when the present token lasts; nothing while there is none.
    std::optional<WallTime> expires_at() const;
    // When the last one ran out or was rejected; nothing while there is one, and where there never was.
    std::optional<WallTime> ended_at() const;

  private:
    struct Core;
    std::shared_ptr<Core> core_;
};

}  // namespace gateway
