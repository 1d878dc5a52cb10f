// Gateways that share a journal find out by counters in it which of them live. Each uses only its own steady clock, and
// the clocks of two machines are never compared. A gateway renews its lease every second, which raises its counter. It
// trusts its own lease until four seconds after the beginning of the last renewal that was done. It takes another
// gateway for dead when that one's counter has not changed for six seconds since it first saw the value. All of this is
// pure.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gateway {

// This is the time between two renewals of the lease, each with a look at the others.
constexpr Duration renew_every{1'000};
// A gateway trusts its lease for this long after the beginning of a renewal that was done.
constexpr Duration trusted_for{4'000};
// A gateway takes another one for dead after this long without a renewal. By then the other one no longer trusts
// itself, on any machine whose clock is right to within a third.
constexpr Duration dead_after{6'000};

// This is the gateway's own lease.
class Lease {
  public:
    // Notes that a renewal is done that was begun at this time.
    void renewed(Instant begun);
    // Notes that another gateway has ended the lease: it is not trusted any more.
    void ended() { trusted_until_.reset(); }
    bool trusted(Instant now) const { return trusted_until_ && now < *trusted_until_; }

  private:
    std::optional<Instant> trusted_until_;
};

// Holds the counter of each run of each gateway, by the run's name.
using Renewals = std::map<std::string, std::int64_t>;

// Knows the leases of the other gateways, as this one sees them.
class OtherLeases {
  public:
    // Notes all the counters that the journal had at `now` or before. A run that is not among them is forgotten.
    void saw(const Renewals& counters, Instant now);
    // Returns the runs whose counters have stood still for so long that they are dead, with these counters.
    Renewals dead(Instant now) const;

  private:
    struct Seen {
        std::int64_t renewals;
        Instant since;
    };
    std::map<std::string, Seen> seen_;
};

}  // namespace gateway
