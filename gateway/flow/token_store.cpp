#include "flow/token_store.hpp"

#include "base/digest.hpp"
#include "journal/chain.hpp"

namespace gateway {
namespace {

// A turn has the same length in the journal. It is longer than a request for a token may take.
constexpr Duration longest_turn{30'000};
// This is the pause between two looks whether the gateway that has the turn has got a token.
constexpr Duration look_again{250};

}  // namespace

boost::asio::awaitable<Result<std::optional<Token>>> TokenStore::load() {
    const auto loaded = co_await journal_.load_token();
    if (loaded.has_error()) co_return loaded.error();
    const auto& kept = *loaded;
    if (!kept) co_return std::optional<Token>();
    auto token = if_ours(*kept);
    if (!token)
        log_.info("token.not_used", "the token that was kept is not used: {detail}",
                  {{"detail", "it was given for another address, other credentials or scopes"}});
    co_return token;
}

std::optional<Token> TokenStore::if_ours(const KeptToken& kept) const {
    if (kept.owner != fingerprint(kept.access, kept.refresh, owner_.app_secret)) return std::nullopt;
    return Token{.access = kept.access,
                 .refresh = kept.refresh,
                 .obtained_at = kept.obtained_at,
                 .expires_at = kept.expires_at,
                 .app_secret = owner_.app_secret};
}

boost::asio::awaitable<std::optional<Token>> TokenStore::of_another(Secret held) {
    auto* const chain = journal_.chain();
    const auto until = clock_.now() + longest_turn;
    while (chain != nullptr && clock_.now() < until) {
        const auto turn = co_await chain->claim_token();
        if (turn.has_error() || turn->is_ours) co_return std::nullopt;  // without the journal each asks for itself
        if (turn->fresh) {
            auto token = if_ours(*turn->fresh);
            if (token && !token->access.empty() && token->access != held) co_return token;
        } else {
            co_await clock_.sleep_for(look_again);
        }
    }
    co_return std::nullopt;
}

boost::asio::awaitable<void> TokenStore::end_turn() {
    if (auto* const chain = journal_.chain()) (void)co_await chain->end_token_turn();
}

boost::asio::awaitable<void> TokenStore::save(std::optional<Token> token) {
    std::optional<KeptToken> kept;
    if (token)
        kept = KeptToken{.access = token->access,
                         .refresh = token->refresh,
                         .obtained_at = token->obtained_at,
                         .expires_at = token->expires_at,
                         .owner = fingerprint(token->access, token->refresh, token->app_secret)};
    const auto saved = co_await journal_.save_token(kept);
    if (saved.has_error())
        log_.warn("token.not_kept", "the token may not be kept for the next start: {detail}",
                  {{"detail", journal_.stats().in_words(saved.error())}});
}

std::string TokenStore::fingerprint(const Secret& access, const Secret& refresh, const Secret& app_secret) const {
    std::vector<std::string> parts{access.reveal(), refresh.reveal(), owner_.auth_url.text, owner_.app_key,
                                   app_secret.reveal()};
    parts.insert(parts.end(), owner_.scopes.begin(), owner_.scopes.end());
    std::string text;
    for (const auto& part : parts)  // the lengths keep two parts from running into each other
        text.append(std::to_string(part.size())).append(":").append(part);
    return sha256_hex(text);
}

}  // namespace gateway
