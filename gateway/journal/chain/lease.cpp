#include "journal/chain/lease.hpp"

namespace gateway {

void Lease::renewed(Instant begun) {
    trusted_until_ = begun + trusted_for;
}

void OtherLeases::saw(const std::string& run, std::uint64_t renewals, Instant now) {
    const auto [seen, is_new] = seen_.try_emplace(run, Seen{renewals, now});
    if (!is_new && seen->second.renewals != renewals) seen->second = {renewals, now};
}

std::optional<std::uint64_t> OtherLeases::dead_at(const std::string& run, Instant now) const {
    const auto seen = seen_.find(run);
    if (seen == seen_.end() || now - seen->second.since < dead_after) return std::nullopt;
    return seen->second.renewals;
}

}  // namespace gateway
