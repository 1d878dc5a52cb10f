// Erases old personal fields. The erasure goes through the sales in the order of their ids, a limited number at a time,
// and remembers how far it came. It comes back later to two kinds of sales: those that were open when it passed, and
// those to which something personal was written afterwards.
#pragma once

#include "base/clock.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gateway::erasure {

// Tells the erasure that a job writes personal fields of the sale. Every such job calls this, unless it writes to a
// sale that was begun before and is still open.
void written(Tx& tx, std::string_view sale);

struct Round {
    Erased erased;
    // the postponed sale that the erasure came back to last; empty after it has been through all of them
    std::string came_back_to;
};
// Erases some of the personal fields older than `cutoff`. `came_back_to` is the value that the last call returned.
Job<Round> erase_some(Tx& tx, WallTime cutoff, std::string_view came_back_to,
                      std::span<const encrypted::Table> tables = encrypted::tables);

}  // namespace gateway::erasure
