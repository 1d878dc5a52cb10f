// Gateways that share a journal know by counters in it which of them live, each by its own steady clock: the clocks of
// two machines are never compared. A gateway renews its lease every second, which moves its counter. It trusts itself
// until four seconds after the beginning of its last renewal that was done. It takes another gateway for dead when that
// one's counter has not moved for six seconds since it was first seen so. All of this is pure.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gateway {

// The lease is renewed, and the others are looked at, this often.
constexpr Duration renew_every{1'000};
// A gateway trusts itself for so long after the beginning of a renewal that was done.
constexpr Duration trusted_for{4'000};
// A gateway takes another one for dead after so long without a renewal of it. By then the other one's trust is over on
// any machine whose clock runs right to a third.
constexpr Duration dead_after{6'000};

// This is the gateway's own lease.
class Lease {
  public:
    // Is called when a renewal is done that was begun at this time.
    void renewed(Instant begun);
    // Is called when another gateway has ended the lease: nothing is trusted any more.
    void ended() { trusted_until_.reset(); }
    bool trusted(Instant now) const { return trusted_until_ && now < *trusted_until_; }

  private:
    std::optional<Instant> trusted_until_;
};

// Holds the counter of each run of each gateway, by the run's name.
using Renewals = std::map<std::string, std::int64_t>;

// Knows the leases of the others, as this gateway sees them.
class OtherLeases {
  public:
    // Takes all the counters that the journal had at `now` or before. A run that is not among them is forgotten.
    void saw(const Renewals& counters, Instant now);
    // Returns the runs that have stood still for so long that they are dead, with the counters at which they stand.
    Renewals dead(Instant now) const;

  private:
    struct Seen {
        std::int64_t renewals;
        Instant since;
    };
    std::map<std::string, Seen> seen_;
};

}  // namespace gateway
