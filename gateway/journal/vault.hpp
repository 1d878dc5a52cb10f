// Seals the values of the journal that hold customers' data, goods and tokens, so that the file alone gives none of
// them away: AES-256-GCM under a key that is not in the file, a new random nonce for every value, and the value's place
// as associated data, so that one that was moved or changed does not open.
//
// A sealed value is a BLOB: a byte for the format, the id of its key, the nonce, the sealed text, the tag. A TEXT is a
// value that was written without a key. Used by one thread at a time, the journal's.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"
#include "journal/sqlite.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Where a value stands. Two values of one place may be taken for each other, so there is one of each.
struct Place {
    std::string_view column;  // "sales.request/"; none is the beginning of another
    std::string_view row;     // the sale's id
};

class Vault {
  public:
    static constexpr std::size_t key_size = 32;  // bytes

    // Seals nothing and opens nothing that is sealed.
    Vault() = default;
    // `keys` are of key_size bytes each; the first one seals, all of them open. fill() of `random`, which must outlive
    // the vault, is called by whoever seals.
    Vault(const std::vector<Secret>& keys, Random& random);

    bool seals() const noexcept { return !keys_.empty(); }
    // The name of a key, made from the key: 16 hex digits. Of the one that seals, and of all.
    const std::string& current() const { return keys_.front().name; }
    bool has(std::string_view name) const noexcept;

    // The value as it is to be written: sealed into `room`, which must live until it was; or as it is, where this vault
    // seals nothing. No value stays none, and an empty text, which says nothing, stays one.
    sqlite::Value seal(const Place& place, std::optional<std::string_view> plain, std::string& room);
    // Reads the column into `plain`, an empty text for NULL. False where it is sealed and does not open: it was damaged
    // or altered, or its key is not here; `plain` is empty then.
    bool open(const Place& place, const sqlite::Statement& row, int column, std::string& plain);
    // Whether sealing the column now would change how it is kept.
    bool is_outdated(const sqlite::Statement& row, int column) const;

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
        std::string id;    // id_size bytes
        std::string name;  // the same in hex
        Context opening;   // holds the expanded key; only the nonce is new for each value
    };

    const Key* key_of(std::string_view sealed) const noexcept;
    static bool unseal(const Key& key, const Place& place, std::string_view sealed, std::string& plain);

    std::vector<Key> keys_;
    Context sealing_;
    Random* random_ = nullptr;
};

}  // namespace gateway
