#include "api/brute_force_throttle.hpp"

#include <algorithm>

namespace gateway {
namespace {

using boost::asio::ip::address;

// A caller with one IPv6 address has at least the 2^64 of its network, so these count as one.
address network_of(const address& from) {
    if (!from.is_v6()) return from;
    auto bytes = from.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
    return boost::asio::ip::make_address_v6(bytes);
}

}  // namespace

BruteForceThrottle::Account& BruteForceThrottle::account_of(const address& from, Instant now) {
    const auto network = network_of(from);
    if (const auto known = accounts_.find(network); known != accounts_.end()) return known->second;
    // Forgets an address that has been quiet for so long that it has all its free tries again.
    if (accounts_.size() >= most_addresses)
        std::erase_if(accounts_, [&](const auto& entry) { return entry.second.paid_until <= now; });
    return accounts_.size() < most_addresses ? accounts_[network] : common_;
}

bool BruteForceThrottle::would_turn_away(const address& from, Instant now) {
    const auto& account = account_of(from, now);
    return std::max(account.paid_until, now) + pace - now > pace * (free_tries + waiting_tries);
}

BruteForceThrottle::Delay BruteForceThrottle::note(const address& from, Instant now) {
    auto& account = account_of(from, now);
    if (account.paid_until <= now) account.slow = false;
    const auto paid = std::max(account.paid_until, now) + pace;
    if (paid - now > pace * (free_tries + waiting_tries)) return {};
    account.paid_until = paid;
    const bool late = paid - now > pace * free_tries;
    Delay delay{.answer_at = late ? paid - pace * free_tries : now};
    delay.first_delay = late && !account.slow;
    account.slow = account.slow || late;
    return delay;
}

}  // namespace gateway
