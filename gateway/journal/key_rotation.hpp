// Changes the key that encrypts the journal's values while the gateway works. Values that an older key encrypted, or
// that were written without a key, are encrypted with the current key, some sales at a time.
#pragma once

#include "journal/encrypted_fields.hpp"
#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gateway {

// Tells whether the cipher has the key with this name. The error says in words which key is missing and what to do. A
// name that no key can have comes from a damaged row, and is no error.
boost::system::result<void, std::string> has_key(std::string_view name, const FieldCipher& cipher);

namespace key_rotation {

// Calls has_key() for every key that encrypts values of the journal, and returns the first error; empty: there is none.
// The journal may be one of an older version.
Job<std::string> missing_key(Transaction& tx, const FieldCipher& cipher);
// Makes the cipher's first key the journal's current key.
Job<void> use_key(Transaction& tx, const FieldCipher& cipher);

// Goes on with a limited number of sales. Values that cannot be decrypted are counted and left as they are.
Job<KeyRotationState> rotate_some(Tx& tx, std::span<const encrypted::Table> tables = encrypted::tables);

}  // namespace key_rotation
}  // namespace gateway
