// Sales that are left open on purpose, to see whether the provider ends them by itself.
#pragma once

#include "base/clock.hpp"
#include "probe/ledger.hpp"
#include "sale/sale.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace gateway::probe {

// The provider's people speak of a nightly cancel of what is 48 hours old; an hour more lets that night be over.
inline constexpr Duration revisit_after = std::chrono::hours(49);

// By family, in the order of the enumeration.
inline constexpr std::array<std::string_view, all_families.size()> open_sales_end_points{
    "open-sales-end-tv", "open-sales-end-egift", "open-sales-end-transit", "open-sales-end-health",
    "open-sales-end-esim"};

constexpr std::string_view open_sales_end_point(Family family) {
    return open_sales_end_points.at(static_cast<std::size_t>(family));
}

// When all that were left open can be asked for; nothing where there are none.
inline std::optional<WallTime> revisit_time(const std::vector<Entry>& open) {
    std::optional<WallTime> latest;
    for (const auto& entry : open)
        if (entry.left_open && (!latest || *latest < entry.asked + revisit_after)) latest = entry.asked + revisit_after;
    return latest;
}

}  // namespace gateway::probe
