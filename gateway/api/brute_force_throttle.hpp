// Slows down a caller who tries keys. A few wrong keys from an address cost nothing; more of them are answered one a
// second; and where too many wait already, the caller is turned away. A right key is never held up, whatever else comes
// from its address, because many terminals may share one. A right password may be turned away, because whoever checks
// passwords asks would_turn_away() first.
#pragma once

#include "base/clock.hpp"

#include <boost/asio/ip/address.hpp>

#include <map>
#include <optional>

namespace gateway {

class BruteForceThrottle {
  public:
    // The first `free_tries` mistakes are answered at once. Each further one is answered one `pace` later than the one
    // before it, and at most `waiting_tries` of them may wait.
    static constexpr int free_tries = 10;
    static constexpr Duration pace{1'000};
    static constexpr int waiting_tries = 8;
    // So many addresses are told apart at once. Beyond that all new ones share one account, so that nobody gains room
    // by coming from many.
    static constexpr std::size_t most_addresses = 1024;

    struct Delay {
        std::optional<Instant> answer_at;  // nothing: the caller is turned away
        bool first_delay = false;          // the address has begun to be slow, which is worth a line in the log
    };
    // Notes that a wrong key has come from the address. Returns when to answer it.
    Delay note(const boost::asio::ip::address& from, Instant now);

    // Tells whether one more mistake would be turned away. It is asked where it costs much to find out that a key is
    // wrong, as with passwords.
    bool would_turn_away(const boost::asio::ip::address& from, Instant now);

    std::size_t addresses() const noexcept { return accounts_.size(); }

  private:
    struct Account {
        Instant paid_until{};  // every try moves it on by the pace, and it falls behind the clock as time passes
        bool slow = false;
    };
    Account& account_of(const boost::asio::ip::address& from, Instant now);

    std::map<boost::asio::ip::address, Account> accounts_;
    Account common_;
};

}  // namespace gateway
