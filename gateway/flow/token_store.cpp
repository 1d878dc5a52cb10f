#include "flow/token_store.hpp"

#include "base/digest.hpp"

namespace gateway {

boost::asio::awaitable<Result<std::optional<Token>>> TokenStore::load() {
    const auto loaded = co_await journal_.load_token();
    if (loaded.has_error()) co_return loaded.error();
    const auto& kept = *loaded;
    if (!kept) co_return std::optional<Token>();
    if (kept->owner != fingerprint(kept->access, kept->refresh)) {
        log_.info("token.not_used", "the token that was kept is not used: {detail}",
                  {{"detail", "it was given for another address, other credentials or scopes"}});
        co_return std::optional<Token>();
    }
    co_return Token{.access = kept->access,
                    .refresh = kept->refresh,
                    .obtained_at = kept->obtained_at,
                    .expires_at = kept->expires_at};
}

boost::asio::awaitable<void> TokenStore::save(std::optional<Token> token) {
    std::optional<KeptToken> kept;
    if (token)
        kept = KeptToken{.access = token->access,
                         .refresh = token->refresh,
                         .obtained_at = token->obtained_at,
                         .expires_at = token->expires_at,
                         .owner = fingerprint(token->access, token->refresh)};
    const auto saved = co_await journal_.save_token(kept);
    if (saved.has_error())
        log_.warn("token.not_kept", "the token could not be kept for the next start: {detail}",
                  {{"detail", saved.error().message()}});
}

std::string TokenStore::fingerprint(const Secret& access, const Secret& refresh) const {
    std::vector<std::string> parts{access.reveal(), refresh.reveal(), owner_.auth_url, owner_.app_key,
                                   owner_.app_secret.reveal()};
    parts.insert(parts.end(), owner_.scopes.begin(), owner_.scopes.end());
    std::string text;
    for (const auto& part : parts)  // with their lengths, so that none runs into the next
        text.append(std::to_string(part.size())).append(":").append(part);
    return sha256_hex(text);
}

}  // namespace gateway
