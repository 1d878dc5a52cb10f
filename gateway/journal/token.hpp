// Keeps the access token of the last run, which a start goes on with: one row, or none. Both parts of it are encrypted
// where the journal has a key.
#pragma once

#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <optional>

namespace gateway {

// Reads a row of access, refresh, obtained_at, expires_at, owner; nothing where it makes no sense.
std::optional<KeptToken> read_token(const Row& row, FieldCipher& cipher);

namespace token {

// Returns none where there is none, or where it cannot be read, which is counted: another one is asked for then.
Job<std::optional<KeptToken>> load(Tx& tx);

// The token takes the place of the one that is there. None removes the token that is there.
Job<void> save(Tx& tx, const std::optional<KeptToken>& token);

}  // namespace token
}  // namespace gateway
