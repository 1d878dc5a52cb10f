// Keeps the access token in the journal across restarts, for the application that it was given to: after another
// address, other credentials or other scopes were configured it is not used, and another is asked for.
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
    // The owner of the tokens is the application that `owner` names. Every reference must outlive the store and its
    // coroutines.
    TokenStore(ProviderOptions owner, Journal& journal, Clock& clock, Log& log)
        : owner_(std::move(owner)), journal_(journal), clock_(clock), log_(log) {}

    // What is taken from here on was given to this owner: the application has another secret now.
    void reload(const ProviderOptions& owner) { owner_ = owner; }
    // The token of the run before, unless it was given to another owner; an error where the journal cannot be read.
    boost::asio::awaitable<Result<std::optional<Token>>> load();
    // Keeps it for the owner, with the secret by which it was got. A failure is logged, and costs no more than asking
    // for another token at the next start.
    boost::asio::awaitable<void> save(std::optional<Token> token);
    // The token that another gateway, which shares the journal, has obtained in the place of `held`; nothing where it
    // is this one's turn to ask. Waits while another one asks, and no longer than the turn of one that died lasts.
    boost::asio::awaitable<std::optional<Token>> of_another(Secret held);
    // Ends the turn once this gateway has asked and has saved what it got. A failure costs no more than that another
    // one waits until the turn ends by itself.
    boost::asio::awaitable<void> end_turn();

  private:
    // Says for whom this token was given: another owner, or another token, makes another text, from which none of them
    // can be guessed without knowing the token.
    std::optional<Token> if_ours(const KeptToken& kept) const;
    std::string fingerprint(const Secret& access, const Secret& refresh, const Secret& app_secret) const;

    ProviderOptions owner_;
    Journal& journal_;
    Clock& clock_;
    Log& log_;
};

}  // namespace gateway
