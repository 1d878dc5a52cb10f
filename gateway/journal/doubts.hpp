// What is made of a sale that is open in a journal which knows nothing of what followed: one that was restored from a
// copy, whichever engine keeps it. No idExterno is used again: an attempt that is open is never asked for nor confirmed
// again, only cancelled, and the provider's answer, whatever it is, becomes the sale's status (its wait for a callback,
// for eSIM). See sale/machine.hpp. Pure.
#pragma once

#include "base/clock.hpp"
#include "journal/row.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gateway {

// The columns of an open sale that doubts_of() takes, from the table sales.
inline constexpr char doubtful_columns[] = "n, status, family, attempts, recorded_at";

// What is to be written into the columns of the sale.
struct Doubts {
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
std::optional<Doubts> doubts_of(const Row& row, WallTime now);

// The line of the story of a sale whose row cannot be read.
std::string unreadable_line(WallTime now);

}  // namespace gateway
