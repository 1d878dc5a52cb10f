// Finds the sale that a new one may be a duplicate of, by a keyed hash in its row: HMAC-SHA-256 under a key that the
// journal makes for itself, so that nobody finds a card's or a person's number by trying all of them.
#pragma once

#include "base/random.hpp"
#include "journal/tx.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Returns what a sale with a duplicate_check is known by under the journal's own key, which is equal for two sales that
// may be duplicates.
std::string duplicate_hash(const Sale& sale, std::string_view key);
std::string make_duplicate_key(Random& random);

namespace duplicates {

// Returns the journal's key, which `random` makes where there is none yet. A key that was just made may be lost with
// the transaction that made it.
Job<std::string> key(Tx& tx, Random* random);
// Finds the latest other sale with this hash, within the sale's window, that is sold or may still be; returns nothing
// where there is none.
Job<std::optional<SaleId>> find(Tx& tx, const Sale& sale, std::string_view hash);

}  // namespace duplicates

}  // namespace gateway
