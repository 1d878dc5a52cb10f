// Declares what the journal keeps of the people who are signed in at a gateway's console, so that a restart signs
// nobody out. This is a part of the journal's interface, journal.hpp.
#pragma once

#include "base/clock.hpp"

#include <string>
#include <vector>

namespace gateway {

struct KeptSession {
    std::string digest;      // SHA-256 of the secret that the browser shows, 64 hex digits
    std::string name{};      // the person's
    std::string role{};      // empty: what is kept of this session cannot be read
    std::string password{};  // SHA-256 of the operator's password hash, 64 hex digits; empty: the person came by a link
    WallTime used_at{};      // the last use that was kept
    WallTime ends_at{};      // the latest end, however much the session is used
    friend bool operator==(const KeptSession&, const KeptSession&) = default;
};

struct SessionChanges {
    std::vector<KeptSession> begun{};
    std::vector<KeptSession> used{};   // one that is not kept any more stays so
    std::vector<std::string> ended{};  // their digests

    bool empty() const noexcept { return begun.empty() && used.empty() && ended.empty(); }
};

}  // namespace gateway
