#include "journal/token.hpp"

#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"

namespace gateway {
namespace {

// No token lives longer than this, and the steady clock does not reach much further.
constexpr Duration longest_life = std::chrono::years(100);

}  // namespace

std::optional<KeptToken> read_token(const Row& row, FieldCipher& cipher) {
    std::string access;
    std::string refresh;
    const auto obtained_at = rows::readable_time(row, 2);
    const auto expires_at = rows::readable_time(row, 3);
    const bool readable = obtained_at && expires_at && *expires_at - *obtained_at <= longest_life &&
                          cipher.decrypt(encrypted::token_access, row, 0, access) &&
                          cipher.decrypt(encrypted::token_refresh, row, 1, refresh);
    if (!readable) return std::nullopt;
    return KeptToken{.access = Secret(std::move(access)),
                     .refresh = Secret(std::move(refresh)),
                     .obtained_at = *obtained_at,
                     .expires_at = *expires_at,
                     .owner = std::string(row.text(4))};
}

namespace token {

Job<std::optional<KeptToken>> load(Tx& tx) {
    const auto found = co_await tx.ask(sql::load_token);
    if (found.empty()) co_return std::nullopt;
    auto token = read_token(found.front(), tx.cipher);
    if (!token) tx.unreadable.add_other("token");
    co_return token;
}

Job<void> save(Tx& tx, const std::optional<KeptToken>& token) {
    if (!token) {
        tx.run(sql::remove_token);
        co_return;
    }
    std::string access;
    std::string refresh;
    tx.run(sql::save_token, tx.cipher.encrypt(encrypted::token_access, token->access.reveal(), access),
           tx.cipher.encrypt(encrypted::token_refresh, token->refresh.reveal(), refresh),
           rows::milliseconds(token->obtained_at), rows::milliseconds(token->expires_at), token->owner);
}

}  // namespace token
}  // namespace gateway
