// Finds the sales that need a person, as the journal has them: what may be shown to anybody, read from columns that are
// never encrypted, so that no key is needed.
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

// Holds a row as far as it can be read, with the history that its facts are taken from. The row is of id, created_at,
// terminal, estabelecimento, family, produto, valor, status, attention, attempts, recorded_at, story.
struct MarkedRow {
    MarkedSale sale;
    History history;
};
MarkedRow read_marked(const Row& row);

// Reads the row of a callback: received_at, kind, valid, body.
KeptCallback read_kept_callback(const Row& row);
// A sale has two callbacks, so more than this many do not come from the provider.
inline constexpr std::int64_t most_kept_callbacks = 50;
// Gives each callback of the sale what its history says of it.
void add_what_was_said(MarkedRow& of);

namespace marked_sales {

// Gives all of them, oldest first, and does not look at the others to find them.
Job<std::vector<MarkedSale>> all(Tx& tx);
// Gives the same with the callbacks that came.
Job<std::vector<MarkedSale>> with_callbacks(Transaction& tx);

}  // namespace marked_sales

// Gives those with the callbacks, of a file, which is only read: a gateway may run on it, and is not delayed. The error
// is a sentence for the operator.
boost::system::result<std::vector<MarkedSale>, std::string> read_marked_sales(const std::string& journal);

}  // namespace gateway
