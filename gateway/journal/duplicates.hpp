// Finds the sale that a new one may be a duplicate of, by a keyed hash in the sale's row. The hash is HMAC-SHA-256
// under a key that the journal makes for itself, so that nobody can find the number of a card or of a person by trying
// all of them.
#pragma once

#include "base/random.hpp"
#include "journal/tx.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Returns the hash, under the journal's own key, of a sale that has a duplicate_check. It is equal for two sales that
// may be duplicates of each other.
std::string duplicate_hash(const Sale& sale, std::string_view key);
std::string make_duplicate_key(Random& random);

namespace duplicates {

// Returns the journal's key; where there is none yet, `random` makes one. A key that was just made is lost if its
// transaction is not committed.
Job<std::string> key(Tx& tx, Random* random);
// Finds the latest other sale that has this hash, lies within the window of `sale`, and is sold or may still be sold.
// Returns nothing where there is none.
Job<std::optional<SaleId>> find(Tx& tx, const Sale& sale, std::string_view hash);

}  // namespace duplicates

}  // namespace gateway
