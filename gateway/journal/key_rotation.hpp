// Changes the key that the journal's values are encrypted with, while the gateway works: what was encrypted with an
// older key, or written without one, is encrypted with the current one, some sales at a time.
#pragma once

#include "journal/encrypted_fields.hpp"
#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gateway {

// Tells whether the cipher has the key that the journal knows by this name. The error says in words which key is
// missing and what to do. A name that no key can have comes from a damaged row, and is no error.
boost::system::result<void, std::string> has_key(std::string_view name, const FieldCipher& cipher);

namespace key_rotation {

// Asks has_key() of every key that values of the journal are encrypted with, and returns the first error; empty: none.
// It may be asked of a journal of an older version too.
Job<std::string> missing_key(Transaction& tx, const FieldCipher& cipher);
// Makes the cipher's key the current one.
Job<void> use_key(Transaction& tx, const FieldCipher& cipher);

// Goes on with a limited number of sales. Values that cannot be decrypted are counted, and left as they are.
Job<KeyRotationState> rotate_some(Tx& tx, std::span<const encrypted::Table> tables = encrypted::tables);

}  // namespace key_rotation
}  // namespace gateway
