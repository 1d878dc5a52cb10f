// Encrypts the fields of the journal that hold customers' data, goods and tokens, so that the file alone gives none of
// them away: AES-256-GCM under a key that is not in the file, a new random nonce for every value, and the value's
// address as associated data, so that a value that was moved or changed cannot be decrypted.
//
// An encrypted value is a BLOB: a byte for the format, the id of its key, the nonce, the encrypted text, the tag. A
// TEXT is a value that was written without a key. One thread at a time, the journal's, uses the cipher.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"
#include "journal/row.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Says which field of which row a value is in. Two values of one address may be taken for each other, so there is one
// of each.
struct FieldAddress {
    std::string_view column;  // "sales.request/"; none is the beginning of another
    std::string_view row;     // the sale's id
};

class FieldCipher {
  public:
    static constexpr std::size_t key_size = 32;  // bytes

    // Such a cipher encrypts nothing, and decrypts nothing that is encrypted.
    FieldCipher() = default;
    // `keys` are of key_size bytes each; the first one encrypts, all of them decrypt. encrypt() calls fill() of
    // `random`, which must outlive the cipher.
    FieldCipher(const std::vector<Secret>& keys, Random& random);

    bool encrypts() const noexcept { return !keys_.empty(); }
    // A key's name is made from it: 16 hex digits. current() is the name of the key that encrypts.
    const std::string& current() const { return keys_.front().name; }
    bool has(std::string_view name) const noexcept;

    // Returns the value as it is to be written: encrypted into `buffer`, which must live until then; or as it is, where
    // this cipher has no key. No value stays none, and an empty text, which says nothing, stays one.
    ColumnValue encrypt(const FieldAddress& address, std::optional<std::string_view> plain, std::string& buffer);
    // Reads the column into `plain`, an empty text for NULL. Returns false where it cannot be decrypted: it was damaged
    // or altered, or its key is not here; `plain` is empty then.
    bool decrypt(const FieldAddress& address, const Row& row, int column, std::string& plain);
    // Tells whether encrypting the column now would change how it is kept.
    bool is_outdated(const Row& row, int column) const;

  private:
    static constexpr std::size_t id_size = 8;
    static constexpr std::size_t nonce_size = 12;
    static constexpr std::size_t tag_size = 16;
    static constexpr std::size_t front_size = 1 + id_size + nonce_size;

    struct FreeContext {
        void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
    };
    using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;
    struct Key {
        std::string id;      // id_size bytes
        std::string name;    // the same in hex
        Context decryption;  // holds the expanded key; only the nonce is new for each value
    };

    const Key* key_of(std::string_view encrypted) const noexcept;
    static bool decrypt_with(const Key& key, const FieldAddress& address, std::string_view encrypted,
                             std::string& plain);

    std::vector<Key> keys_;
    Context encryption_;
    Random* random_ = nullptr;
};

// Holds a value as FieldCipher::encrypt() gives it, with its buffer, for a parameter of a statement.
class EncryptedValue {
  public:
    EncryptedValue(FieldCipher& cipher, const FieldAddress& address, std::optional<std::string_view> plain)
        : value_(cipher.encrypt(address, plain, buffer_)) {}
    EncryptedValue(const EncryptedValue&) = delete;
    EncryptedValue& operator=(const EncryptedValue&) = delete;
    ~EncryptedValue() = default;

    // NOLINTNEXTLINE(google-explicit-constructor): it stands wherever a ColumnValue does
    operator const ColumnValue&() const noexcept { return value_; }

  private:
    std::string buffer_;
    ColumnValue value_;
};

}  // namespace gateway
