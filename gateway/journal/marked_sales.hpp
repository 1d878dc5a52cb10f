// Finds the sales that need a person. It reads only columns that are never encrypted and may be shown to anybody, so no
// key is needed.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/engine.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Holds a row as far as it can be read, and the history that its facts are taken from. The row has id, created_at,
// terminal, estabelecimento, family, produto, valor, status, attention, attempts, recorded_at, story.
struct MarkedRow {
    MarkedSale sale;
    History history;
};
MarkedRow read_marked(const Row& row);

// Reads the row of a callback, which has received_at, kind, valid, body.
KeptCallback read_kept_callback(const Row& row);
// At most this many callbacks of a sale are kept: the provider sends two for a sale, so more than this many come from
// somebody else.
inline constexpr std::int64_t most_kept_callbacks = 50;
// Sets KeptCallback::said of each callback of the sale, as its history tells.
void add_what_was_said(MarkedRow& of);

namespace marked_sales {

// Returns all marked sales, the oldest first, and finds them without looking at the others.
Job<std::vector<MarkedSale>> all(Tx& tx);
// Does the same, and adds the callbacks that came for each sale.
Job<std::vector<MarkedSale>> with_callbacks(Transaction& tx);

}  // namespace marked_sales

// Reads the marked sales with their callbacks from a journal's file, and writes nothing: a gateway may be running on
// the file, and is not delayed. The error is a sentence for the operator. `boot` is Clock::boot(); empty: not known.
boost::system::result<std::vector<MarkedSale>, std::string> read_marked_sales(const std::string& journal,
                                                                              std::string_view boot = {});

}  // namespace gateway
