// Keeps every callback as it came, even one that cannot be used, and finds the sale that a callback's secret belongs
// to. Only a hash of the secret is kept.
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

// Keeps a callback; its time is the moment of the job. `valid` says whether the callback could be used.
Job<void> insert(Tx& tx, SaleId sale, std::string_view kind, bool valid, const Secret& body);

// Lists the callbacks of a sale, the oldest first. A callback has no body where the body was erased, or where it cannot
// be read, which is counted. A callback whose row makes no sense is left out and counted.
Job<std::vector<KeptCallback>> list(Tx& tx, SaleId sale);

}  // namespace gateway::callbacks
