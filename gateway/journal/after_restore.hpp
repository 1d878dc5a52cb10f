// Decides what becomes of the sales that are open in a restored journal, that is, one that knows nothing of what
// happened after it was copied. It does not matter how the copy came to its place. No idExterno is used again: an open
// attempt is never requested nor confirmed again, only cancelled. Whatever the provider answers becomes the sale's
// status. (An eSIM sale is not disputed or cancelled: it goes on waiting for its callback, which decides it.) See
// sale/machine.hpp.
#pragma once

#include "base/clock.hpp"
#include "journal/engine.hpp"

#include <cstdint>

namespace gateway::after_restore {

// Leaves the status of every open sale to the provider's answer, marks the sale `restored` for a person, or
// `unreadable` where its row cannot be read, removes the access token, and begins a new series of closes. No gateway
// may be running on the journal. Returns how many sales a person is asked to look at.
Job<std::int64_t> leave_to_provider(Transaction& tx, WallTime now);

}  // namespace gateway::after_restore
