// Says which findings the store claims from the provider.
#pragma once

#include "reconcile/finding.hpp"

namespace gateway {

// Tells whether only the provider can put it right, because it charges for what it must not, or does not count what was
// sold.
bool is_to_be_claimed(FindingKind kind) noexcept;

}  // namespace gateway
