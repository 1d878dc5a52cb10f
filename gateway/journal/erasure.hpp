// Erases old personal fields. The erasure goes through the sales in the order of their ids, a limited number at a time,
// and remembers how far it came. A sale that was open when it passed, or that something personal was written to
// afterwards, is put off: the erasure comes back to it.
#pragma once

#include "base/clock.hpp"
#include "journal/encrypted_fields.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <span>
#include <string>
#include <string_view>

namespace gateway::erasure {

// Every job that writes personal fields of a sale calls this, unless the sale was begun before and is open, or begins
// now with an id that the erasure has not passed.
void written(Tx& tx, std::string_view sale);

struct Round {
    Erased erased;
    // The erasure came back to this sale last; empty where it has been through all of them.
    std::string came_back_to;
};
// Erases some of what is older than `cutoff`. `came_back_to` is what the last call gave.
Job<Round> erase_some(Tx& tx, WallTime cutoff, std::string_view came_back_to,
                      std::span<const encrypted::Table> tables = encrypted::tables);

}  // namespace gateway::erasure
