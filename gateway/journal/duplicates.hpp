// Finds the sale that a new one may be a duplicate of, by a keyed hash in its row: HMAC-SHA-256 under a key that the
// journal makes for itself, so that a card's or a person's number is not found by trying all of them.
#pragma once

#include "base/random.hpp"
#include "journal/tx.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// What a sale with a duplicate_check is known by, under the journal's own key: equal for two sales that may be
// duplicates.
std::string duplicate_hash(const Sale& sale, std::string_view key);
std::string make_duplicate_key(Random& random);

namespace duplicates {

// The journal's key, which `random` makes where it has none yet. One that was made may go with the transaction in which
// it was made.
Job<std::string> key(Tx& tx, Random* random);
// The latest other sale with this hash within the sale's window that is sold or may still be; nothing where there is
// none.
Job<std::optional<SaleId>> find(Tx& tx, const Sale& sale, std::string_view hash);

}  // namespace duplicates

}  // namespace gateway
