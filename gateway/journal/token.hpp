// Keeps the access token, so that the next start goes on with it: in one row, or none. Both its parts are encrypted
// where the journal has a key.
#pragma once

#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <optional>

namespace gateway {

// Reads a row of access, refresh, obtained_at, expires_at, owner. Returns nothing where it makes no sense.
std::optional<KeptToken> read_token(const Row& row, FieldCipher& cipher);

namespace token {

// Returns nothing where no token is kept, or where it cannot be read, which is counted; the caller then asks for a new
// one.
Job<std::optional<KeptToken>> load(Tx& tx);

// Replaces the token that is kept; without a token, removes it.
Job<void> save(Tx& tx, const std::optional<KeptToken>& token);

}  // namespace token
}  // namespace gateway
