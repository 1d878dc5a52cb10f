// Keeps the one access token of the gateway. At most one request for a token is under way, and every caller who needs a
// token meanwhile waits for it. The token is renewed before it runs out: by a refresh first, and by client credentials
// as the fall-back ("Authentication"). After failures the keeper backs off with jitter, and trouble() tells of them. A
// token that the provider has refused is never given again, unless the token service itself gives it again. How fast
// the keeper asks for others in its place is limited.
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
    Secret access;   // empty if it was rejected, and only the refresh token is left
    Secret refresh;  // empty if there is none
    WallTime obtained_at{};
    WallTime expires_at{};  // the end of the access token
    // This secret got the token, or got the first token that this one was refreshed from.
    Secret app_secret{};
};

// Keeps a token across restarts; the application puts it into the journal. The store logs its own failures.
using SaveToken = std::function<boost::asio::awaitable<void>(const std::optional<Token>&)>;

// Several gateways use the same token, and one at a time asks for another.
struct TokenTurns {
    // This is called before every request for a token, with the token that is held (empty if there is none). It returns
    // the token that another gateway has got meanwhile, or nothing if it is this gateway's turn to ask. It waits while
    // another gateway asks, and not much longer than that may take.
    std::function<boost::asio::awaitable<std::optional<Token>>(Secret)> of_another;
    // This is called once the request has ended and what it brought is kept. If it brought nothing, another gateway
    // asks at once, because it may have what the service wants. It is not called if the service asks for patience,
    // because the service asks that of all gateways.
    std::function<boost::asio::awaitable<void>()> end;
};

// Hears every answer that comes from the provider's own interface or from its token service: a success that is what was
// asked for. What another web server says in the provider's place is not passed on.
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

    // Begins to keep a token at hand: gets the first one and renews it ahead of time. get() begins it, too.
    void start();

    // Returns a token that lasts long enough for a sale, or, if it cannot be renewed, the one that is still valid.
    // Waits for it at most until the deadline, and only while waiting makes sense. For the first try it waits as long
    // as connecting may take. After a failed try it waits two seconds, which helps if the service is only disturbed for
    // a moment, and not at all if the next try is not expected to end by then. If the caller waited for a try that
    // failed for a reason that another try will not mend soon, the wait ends at once. Without a token it fails with
    // errc::no_token.
    boost::asio::awaitable<Result<Secret>> get(Instant deadline);
    // The provider answered 401 to this token: it is dropped here and in what is kept across restarts.
    void reject(const Secret& access);
    // Takes over the application's secret. If it has changed, a token is asked for with it at once, so that a wrong
    // secret is noticed while the old token still lasts, which is used until then. The old token stays the old
    // secret's, also when it is refreshed and when it is kept. Nothing that it brings proves that the new secret is
    // right.
    void reload(const ProviderOptions& options);
    // Tells whether the provider rejected this token after get() had returned it.
    bool rejected(const Secret& access) const;

    // Says in words why there is no usable token. Returns nothing while there is one.
    std::optional<std::string> trouble() const;
    // Tells whether there was ever a usable token.
    bool had_token() const noexcept;
    // Tells whether the token service gives tokens, as the requests for them show.
    const Reachability& reachability() const noexcept;
    // Says that a sale was not made for want of a token.
    void sale_refused();
    // Returns the end of the present token, and nothing while there is none.
    std::optional<WallTime> expires_at() const;
    // Returns the moment when the last token ran out or was rejected. Returns nothing while there is a token, and if
    // there never was one.
    std::optional<WallTime> ended_at() const;

  private:
    struct Core;
    std::shared_ptr<Core> core_;
};

}  // namespace gateway
