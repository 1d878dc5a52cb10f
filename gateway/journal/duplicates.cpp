#include "journal/duplicates.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "base/json_text.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <span>

namespace gateway {
namespace {

constexpr std::size_t key_bytes = 32;  // as many as the hash has

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
    std::array<std::byte, 32> digest{};
    CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
               reinterpret_cast<const unsigned char*>(text.data()), text.size(),
               reinterpret_cast<unsigned char*>(digest.data()), nullptr) != nullptr);
    return to_hex(digest);
}

// JSON, so that no two sales that differ are written alike.
std::string written(const Sale& sale) {
    std::string text;
    JsonWriter writer(text);
    writer.begin_array();
    writer.string(sale.estabelecimento);
    writer.plain(to_string(sale.family));
    writer.string(sale.produto);
    writer.string(sale.fornecedor);
    writer.string(sale.segment);
    writer.number(sale.valor.value);
    writer.string(sale.duplicate_check->likeness.reveal());
    writer.end_array();
    return text;
}

}  // namespace

std::string duplicate_hash(const Sale& sale, std::string_view key) {
    return hmac_sha256_hex(key, written(sale));
}

std::string make_duplicate_key(Random& random) {
    std::array<std::byte, key_bytes> bytes{};
    random.fill(bytes);
    return to_hex(bytes);
}

Duplicates::Duplicates(sqlite::Database& d, FieldCipher& cipher, UnreadableSales& unreadable, Random* random)
    : cipher_(cipher),
      unreadable_(unreadable),
      random_(random),
      load_(d, "SELECT key FROM duplicate_key"),
      save_(d, "INSERT OR REPLACE INTO duplicate_key VALUES (1, ?)"),
      find_(d, find_sql) {}

Result<std::string> Duplicates::hash_of(const Sale& sale) {
    const auto secret = key();
    if (secret.has_error()) return secret.error();
    return duplicate_hash(sale, *secret);
}

// A clock that was set back makes a sale seem to come; beyond the window that is none of its duplicates either.
Result<std::optional<SaleId>> Duplicates::find(const Sale& sale, std::string_view hash) {
    const auto window = sale.duplicate_check->window;
    find_.bind_all(hash, rows::milliseconds(sale.created_at - window), rows::milliseconds(sale.created_at + window),
                   sale.id.text());
    std::optional<SaleId> found;
    while (!found) {
        const auto row = find_.step();
        if (row.has_error()) return row.error();
        if (!*row) break;
        // A damaged row concerns no other sale.
        if (const auto id = unreadable_.readable_id(find_); id.has_value()) found = *id;
    }
    find_.reset();
    return found;
}

// Read each time: one that this process has made may go with the transaction in which it was made.
Result<std::string> Duplicates::key() {
    load_.bind_all();
    const auto kept = load_.step();
    if (kept.has_error()) return kept.error();
    std::string key;
    const bool readable = *kept && cipher_.decrypt(encrypted::duplicate_key, load_, 0, key) && !key.empty();
    load_.reset();
    if (readable) return key;
    // With another one the sales until now are no duplicates of those to come, and that is all.
    if (*kept) unreadable_.add_values(1);
    return make_key();
}

Result<std::string> Duplicates::make_key() {
    CHECK(random_ != nullptr);
    auto key = make_duplicate_key(*random_);
    if (auto r = save_.run(cipher_.encrypt(encrypted::duplicate_key, key, buffer_)); r.has_error()) return r.error();
    return key;
}

}  // namespace gateway
