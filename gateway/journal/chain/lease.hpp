// How gateways that share a journal know of each other who lives, by counters in it and each by its own steady clock:
// no clocks of two machines are compared. A gateway renews its lease every second, which moves its counter. It trusts
// itself until four seconds after the beginning of its last renewal that was done; another gateway is dead for it when
// the counter of that one has not moved for six seconds since this gateway saw it first. Pure.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gateway {

// How often the lease is renewed, and the others are looked at.
constexpr Duration renew_every{1'000};
// How long a gateway trusts itself after the beginning of a renewal that was done.
constexpr Duration trusted_for{4'000};
// After how long without a renewal that it has seen a gateway takes another one for dead. What is trusted is over by
// then on any machine whose clock runs right to a third.
constexpr Duration dead_after{6'000};

// This gateway's own lease.
class Lease {
  public:
    // A renewal that was begun then is done.
    void renewed(Instant begun);
    // Another gateway has ended it: nothing is trusted any more.
    void ended() { trusted_until_.reset(); }
    bool trusted(Instant now) const { return trusted_until_ && now < *trusted_until_; }

  private:
    std::optional<Instant> trusted_until_;
};

// The counters of runs. Each names one run of one gateway.
using Renewals = std::map<std::string, std::int64_t>;

// The leases of the others, as this gateway sees them.
class OtherLeases {
  public:
    // Those that the journal had at `now` or before, and all of them: a run that it has no more is forgotten.
    void saw(const Renewals& counters, Instant now);
    // The runs that stand still for so long that they are dead, with the counters at which they do.
    Renewals dead(Instant now) const;

  private:
    struct Seen {
        std::int64_t renewals;
        Instant since;
    };
    std::map<std::string, Seen> seen_;
};

}  // namespace gateway
