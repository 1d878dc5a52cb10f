// Keeps the callbacks as they came, the unusable ones too, and finds the sale that a callback's secret belongs to. Of
// the secret only its hash is kept.
#pragma once

#include "base/secret.hpp"
#include "journal/tx.hpp"

#include <boost/json/array.hpp>

#include <optional>
#include <string_view>

namespace gateway::callbacks {

// Finds the sale that has a callback address with this secret; returns nothing where none has. Fails with
// errc::sale_unreadable where the sale's id cannot be read.
Job<std::optional<SaleId>> find_sale(Tx& tx, std::string_view secret);

// Keeps a callback, which came at the moment of the job. `valid` says whether it could be used.
Job<void> insert(Tx& tx, SaleId sale, std::string_view kind, bool valid, const Secret& body);

// Lists them, the oldest first. A callback has no body where that was erased, or cannot be read, which is counted. A
// callback that makes no sense is left out and counted.
Job<std::vector<KeptCallback>> list(Tx& tx, SaleId sale);

}  // namespace gateway::callbacks
