#include "journal/token_table.hpp"

#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"

namespace gateway {
namespace {

// No token lives longer, and the steady clock does not reach much further.
constexpr Duration longest_life = std::chrono::years(100);

}  // namespace

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
    std::string access;
    std::string refresh;
    const auto obtained_at = rows::readable_time(load_, 2);
    const auto expires_at = rows::readable_time(load_, 3);
    const bool readable = obtained_at && expires_at && *expires_at - *obtained_at <= longest_life &&
                          cipher_.decrypt(encrypted::token_access, load_, 0, access) &&
                          cipher_.decrypt(encrypted::token_refresh, load_, 1, refresh);
    std::optional<KeptToken> token;
    if (readable)
        token = KeptToken{.access = Secret(std::move(access)),
                          .refresh = Secret(std::move(refresh)),
                          .obtained_at = *obtained_at,
                          .expires_at = *expires_at,
                          .owner = std::string(load_.text(4))};
    else
        unreadable_.add_values(1);
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
