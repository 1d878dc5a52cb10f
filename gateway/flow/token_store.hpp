// Keeps the access token in the journal across restarts, together with the application that it was given to. When
// another address, other credentials or other scopes were configured meanwhile, it is not used, and a new one is
// requested.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "journal/journal.hpp"
#include "provider/token_keeper.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace gateway {

class TokenStore {
  public:
    // `owner` names the application that owns the tokens. Every reference must outlive the store and its coroutines.
    TokenStore(ProviderOptions owner, Journal& journal, Clock& clock, Log& log)
        : owner_(std::move(owner)), journal_(journal), clock_(clock), log_(log) {}

    // Makes `owner` the owner from now on: the application has another secret.
    void reload(const ProviderOptions& owner) { owner_ = owner; }
    // Returns the token of the last run, unless it was given to another owner. Fails where the journal cannot be read.
    boost::asio::awaitable<Result<std::optional<Token>>> load();
    // Keeps the token for the owner, with the secret by which it was obtained. A failure is logged; all that it costs
    // is another request for a token at the next start.
    boost::asio::awaitable<void> save(std::optional<Token> token);
    // Returns the token that another gateway on the shared journal has obtained in the place of `held`; nothing where
    // it is this gateway's turn to ask. Waits while another one asks, but at most as long as the turn of a gateway that
    // died.
    boost::asio::awaitable<std::optional<Token>> of_another(Secret held);
    // Ends the turn after this gateway has asked for a token and saved it. After a failure, another gateway waits until
    // the turn ends by itself.
    boost::asio::awaitable<void> end_turn();

  private:
    // A token is ours where its fingerprint is that of its owner. Another owner, or another token, has another
    // fingerprint. Nobody can guess any of them from it without knowing the token.
    std::optional<Token> if_ours(const KeptToken& kept) const;
    std::string fingerprint(const Secret& access, const Secret& refresh, const Secret& app_secret) const;

    ProviderOptions owner_;
    Journal& journal_;
    Clock& clock_;
    Log& log_;
};

}  // namespace gateway
