#include "journal/chain/lease.hpp"

namespace gateway {

void Lease::renewed(Instant begun) {
    trusted_until_ = begun + trusted_for;
}

void OtherLeases::saw(const Renewals& counters, Instant now) {
    std::erase_if(seen_, [&](const auto& known) { return !counters.contains(known.first); });
    for (const auto& [run, renewals] : counters) {
        auto& seen = seen_.try_emplace(run, Seen{renewals, now}).first->second;
        if (seen.renewals != renewals) seen = {renewals, now};
    }
}

Renewals OtherLeases::dead(Instant now) const {
    Renewals all;
    for (const auto& [run, seen] : seen_)
        if (now - seen.since >= dead_after) all.emplace(run, seen.renewals);
    return all;
}

}  // namespace gateway
