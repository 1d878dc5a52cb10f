// What becomes of the sales that are open in a journal which knows nothing of what followed: one that was restored from
// a copy, however it came to its place. No idExterno is used again: an attempt that is open is never asked for nor
// confirmed again, only cancelled, and the provider's answer, whatever it is, becomes the sale's status (its wait for a
// callback, for eSIM). See sale/machine.hpp.
#pragma once

#include "base/clock.hpp"
#include "journal/engine.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gateway::after_restore {

// The columns of an open sale that change_of() takes, from the table sales.
inline constexpr char columns[] = "n, status, family, attempts, recorded_at";

// What is to be written into the columns of the sale.
struct Change {
    std::int64_t number = 0;  // n, of the sale
    std::string attempts{};
    std::int64_t recorded_at = 0;
    // Where the sale is not final: a person is asked to look at it.
    struct Mark {
        std::string status;
        std::string attention;
        std::string reason;  // where it has none
        std::string line;    // of its story
    };
    std::optional<Mark> mark{};
};
// Nothing where the row cannot be read.
std::optional<Change> change_of(const Row& row, WallTime now);

// The line of the story of a sale whose row cannot be read.
std::string unreadable_line(WallTime now);

// Leaves every open sale to the provider's word, marks it `restored` for a person, or `unreadable` where its row cannot
// be read, removes the access token, and begins a new series of closes; on a journal that no gateway runs on. How many
// sales a person is asked to look at.
Job<std::int64_t> leave_to_provider(Transaction& tx, WallTime now);

}  // namespace gateway::after_restore
