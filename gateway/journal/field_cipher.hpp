// Encrypts the fields of the journal that hold customers' data, goods and tokens, so that the file alone does not give
// them away. The algorithm is AES-256-GCM under a key that is not in the file. Every value has a new random nonce, and
// its address is the associated data, so that a value that was moved or changed cannot be decrypted.
//
// An encrypted value is a BLOB of a byte for the format, the id of its key, the nonce, the encrypted text and the tag.
// A TEXT is a value that was written without a key. Only one thread at a time, the journal's, uses the cipher.
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

// Says which field of which row a value is in. If two values had the same address, one could be put in the place of the
// other unnoticed; therefore each address has one value.
struct FieldAddress {
    std::string_view column;  // for example "sales.request/"; no name is the beginning of another
    std::string_view row;     // as a rule the sale's id
};

class FieldCipher {
  public:
    static constexpr std::size_t key_size = 32;  // bytes

    // A cipher without keys encrypts nothing, and decrypts nothing that is encrypted.
    FieldCipher() = default;
    // Each of the `keys` has key_size bytes; the first one encrypts, all of them decrypt. encrypt() calls fill() of
    // `random`, which must outlive the cipher.
    FieldCipher(const std::vector<Secret>& keys, Random& random);

    bool encrypts() const noexcept { return !keys_.empty(); }
    // The name of a key is 16 hex digits that are made from the key. current() is the name of the key that encrypts.
    const std::string& current() const { return keys_.front().name; }
    bool has(std::string_view name) const noexcept;

    // Returns the value as it is to be written. With a key it is encrypted into `buffer`, which must live until the
    // value is written; without a key it is returned as it is. An absent value stays NULL, and an empty text, which
    // tells nothing, stays an empty text.
    ColumnValue encrypt(const FieldAddress& address, std::optional<std::string_view> plain, std::string& buffer);
    // Reads the column into `plain`, which becomes an empty text for NULL. Returns false, and leaves `plain` empty,
    // where the value cannot be decrypted: it was damaged or altered, or this cipher does not have its key.
    bool decrypt(const FieldAddress& address, const Row& row, int column, std::string& plain);
    // Tells whether the column would be kept in another way if it were encrypted now.
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
        Context decryption;  // holds the expanded key, so that only the nonce changes from value to value
    };

    const Key* key_of(std::string_view encrypted) const noexcept;
    static bool decrypt_with(const Key& key, const FieldAddress& address, std::string_view encrypted,
                             std::string& plain);

    std::vector<Key> keys_;
    Context encryption_;
    Random* random_ = nullptr;
};

// Holds a value as FieldCipher::encrypt() returns it, together with its buffer, as a parameter of a statement.
class EncryptedValue {
  public:
    EncryptedValue(FieldCipher& cipher, const FieldAddress& address, std::optional<std::string_view> plain)
        : value_(cipher.encrypt(address, plain, buffer_)) {}
    EncryptedValue(const EncryptedValue&) = delete;
    EncryptedValue& operator=(const EncryptedValue&) = delete;
    ~EncryptedValue() = default;

    // NOLINTNEXTLINE(google-explicit-constructor): it is passed wherever a ColumnValue is expected
    operator const ColumnValue&() const noexcept { return value_; }

  private:
    std::string buffer_;
    ColumnValue value_;
};

}  // namespace gateway
