#include "journal/token_table.hpp"

#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"

namespace gateway {
namespace {

// No token lives longer, and the steady clock does not reach much further.
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

TokenTable::TokenTable(sqlite::Database& d, FieldCipher& cipher, UnreadableSales& unreadable)
    : cipher_(cipher),
      unreadable_(unreadable),
      load_(d, "SELECT access, refresh, obtained_at, expires_at, owner FROM token"),
      save_(d, "INSERT OR REPLACE INTO token VALUES (1,?,?,?,?,?)"),
      remove_(d, "DELETE FROM token") {}

Result<std::optional<KeptToken>> TokenTable::load() {
    load_.bind_all();
    const auto found = load_.step();
    if (found.has_error()) return found.error();
    if (!*found) return std::optional<KeptToken>();
    auto token = read_token(load_, cipher_);
    if (!token) unreadable_.add_values(1);
    load_.reset();
    return token;
}

Result<void> TokenTable::save(const std::optional<KeptToken>& token) {
    if (!token) return remove_.run();
    const auto access = cipher_.encrypt(encrypted::token_access, token->access.reveal(), buffers_[0]);
    const auto refresh = cipher_.encrypt(encrypted::token_refresh, token->refresh.reveal(), buffers_[1]);
    return save_.run(access, refresh, rows::milliseconds(token->obtained_at), rows::milliseconds(token->expires_at),
                     token->owner);
}

}  // namespace gateway
