// Finds the sale that a new one may be a duplicate of, by a keyed hash in its row: HMAC-SHA-256 under a key that the
// journal makes for itself, so that a card's or a person's number is not found by trying all of them. Called on the
// journal's thread, within its transaction.
#pragma once

#include "base/error.hpp"
#include "base/random.hpp"
#include "journal/field_cipher.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/unreadable_sales.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// What a sale with a duplicate_check is known by, under the journal's own key.
std::string duplicate_hash(const Sale& sale, std::string_view key);
std::string make_duplicate_key(Random& random);

class Duplicates {
  public:
    static constexpr std::string_view find_sql =
        "SELECT id, n FROM sales WHERE duplicate_hash = ?1 AND created_at BETWEEN ?2 AND ?3 AND id <> ?4"
        " AND status NOT IN ('CANCELADA', 'NEGADA') ORDER BY created_at DESC";

    // Every reference must outlive it, and so must `random`, which is needed by hash_of() alone.
    Duplicates(sqlite::Database& database, FieldCipher& cipher, UnreadableSales& unreadable, Random* random);

    // What the sale is known by: equal for two sales that may be duplicates. Of a sale with a duplicate_check.
    Result<std::string> hash_of(const Sale& sale);
    // The latest other sale with this hash within the sale's window that is sold or may still be; nothing where there
    // is none.
    Result<std::optional<SaleId>> find(const Sale& sale, std::string_view hash);

  private:
    Result<std::string> key();
    Result<std::string> make_key();

    FieldCipher& cipher_;
    UnreadableSales& unreadable_;
    Random* random_;
    sqlite::Statement load_, save_, find_;
    std::string buffer_;
};

}  // namespace gateway
