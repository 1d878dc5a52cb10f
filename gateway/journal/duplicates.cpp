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

constexpr std::size_t key_bytes = 32;  // as many as SHA-256 gives

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
    std::array<std::byte, 32> digest{};
    CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
               reinterpret_cast<const unsigned char*>(text.data()), text.size(),
               reinterpret_cast<unsigned char*>(digest.data()), nullptr) != nullptr);
    return to_hex(digest);
}

// Writes the fields as JSON, so that two different sales never give the same text.
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

namespace duplicates {

Job<std::string> key(Tx& tx, Random* random) {
    tx.hold("duplicate key");
    std::string key;
    const auto is_in = [&](const Rows& found) {
        return !found.empty() && tx.cipher.decrypt(encrypted::duplicate_key, found.front(), 0, key) && !key.empty();
    };
    const auto kept = co_await tx.ask(sql::duplicate_key);
    if (is_in(kept)) co_return key;
    const bool is_damaged = !kept.empty();
    // Under a new key, no earlier sale is found as the duplicate of a later one. Nothing else is lost.
    if (is_damaged) tx.unreadable.add_replaced();
    CHECK(random != nullptr);
    const auto made = make_duplicate_key(*random);
    const EncryptedValue value(tx.cipher, encrypted::duplicate_key, made);
    const auto now_kept = co_await tx.ask(sql::make_duplicate_key, value, is_damaged);
    co_return is_in(now_kept) ? key : made;
}

// A clock that was set back makes an earlier sale seem to be later; it is a duplicate only within the window, too.
Job<std::optional<SaleId>> find(Tx& tx, const Sale& sale, std::string_view hash) {
    const auto window = sale.duplicate_check->window;
    const auto found = co_await tx.ask(sql::duplicates_of, hash, rows::milliseconds(sale.created_at - window),
                                       rows::milliseconds(sale.created_at + window), sale.id.text());
    for (const auto& row : found) {
        if (const auto id = SaleId::parse(row.text(0))) co_return id;
        co_await tx.mark_unreadable(row.integer(1));  // other sales must not fail because of it
    }
    co_return std::nullopt;
}

}  // namespace duplicates

}  // namespace gateway
