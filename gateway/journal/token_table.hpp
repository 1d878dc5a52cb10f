// The access token of the last run. Called on the journal's thread, within its transaction.
#pragma once

#include "base/error.hpp"
#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/unreadable_sales.hpp"

#include <array>
#include <optional>
#include <string>

namespace gateway {

// A row of access, refresh, obtained_at, expires_at, owner; nothing where it makes no sense.
std::optional<KeptToken> read_token(const Row& row, FieldCipher& cipher);

class TokenTable {
  public:
    TokenTable(sqlite::Database& database, FieldCipher& cipher, UnreadableSales& unreadable);

    // None where it cannot be read: another one is asked for then.
    Result<std::optional<KeptToken>> load();
    // None removes the token that is there.
    Result<void> save(const std::optional<KeptToken>& token);

  private:
    FieldCipher& cipher_;
    UnreadableSales& unreadable_;
    sqlite::Statement load_, save_, remove_;
    std::array<std::string, 2> buffers_;
};

}  // namespace gateway
