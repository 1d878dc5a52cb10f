// The sales that need a person, as the journal has them: what may be shown to anybody, read from columns that are never
// encrypted, so that no key is needed.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/engine.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gateway {

// A row as far as it can be read, with the history that its facts are taken from: id, created_at, terminal,
// estabelecimento, family, produto, valor, status, attention, attempts, recorded_at, story.
struct MarkedRow {
    MarkedSale sale;
    History history;
};
MarkedRow read_marked(const Row& row);

// Of a callback: received_at, kind, valid, body.
KeptCallback read_kept_callback(const Row& row);
// A sale has two. More than that do not come from the provider.
inline constexpr std::int64_t most_kept_callbacks = 50;
// Gives each callback of the sale what its history says of it.
void add_what_was_said(MarkedRow& of);

namespace marked_sales {

// All of them, oldest first, found without looking at the others.
Job<std::vector<MarkedSale>> all(Tx& tx);
// The same with the callbacks that came.
Job<std::vector<MarkedSale>> with_callbacks(Transaction& tx);

}  // namespace marked_sales

// Those with the callbacks, of a file, which is only read: a gateway may run on it, and is not delayed.
// The error is a sentence for the operator.
boost::system::result<std::vector<MarkedSale>, std::string> read_marked_sales(const std::string& journal);

}  // namespace gateway
