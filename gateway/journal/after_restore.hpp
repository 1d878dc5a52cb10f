// Decides what becomes of the sales that are open in a journal which knows nothing of what followed: one that was
// restored from a copy, however it came to its place. No idExterno is used again: an open attempt is never requested
// nor confirmed again, only cancelled, and the provider's answer, whatever it is, becomes the sale's status (for eSIM,
// what comes of its wait for a callback does). See sale/machine.hpp.
#pragma once

#include "base/clock.hpp"
#include "journal/engine.hpp"

#include <cstdint>

namespace gateway::after_restore {

// Leaves every open sale to the provider's word, marks it `restored` for a person, or `unreadable` where its row cannot
// be read, removes the access token, and begins a new series of closes. No gateway may run on the journal. Returns how
// many sales a person is asked to look at.
Job<std::int64_t> leave_to_provider(Transaction& tx, WallTime now);

}  // namespace gateway::after_restore
