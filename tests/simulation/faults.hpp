// Defines what may happen to an exchange with the provider, and who decides it. A table in faults.cpp says where each
// fault makes sense. The dealer of a random run draws from its own mix; the dealer of the complete walk deals one fault
// to one exchange.
//
// The provider never lies about a sale's final status where it names that sale or none, and never refuses a request
// that it has accepted: with such a provider no gateway could keep its promises.
#pragma once

#include "base/clock.hpp"
#include "simulation/chance.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gateway::simulation {

// This is what an exchange is about.
enum class Talk { token, query, solicitar, confirmar, cancelar, consultar };
inline constexpr std::size_t talk_count = 6;

enum class Fault {
    none,
    oddly_written,     // right, but in another letter case, and with unknown fields
    slow,              // the answer comes after the time is up
    unreachable,       // nothing is sent
    request_lost,      // sent, but it never arrives
    answer_lost,       // processed
    late,              // nothing comes back; processed later than what follows it; of a status: it is old when it
                       // comes, for the answer was long on its way
    late_silent,       // the same, and the connection stays silent until the time is up; of a status: it is read where
                       // what was done last is not known yet
    doubled,           // processed, and once more later
    rejected,          // 401, not processed
    revoked,           // all tokens are revoked first, so 401
    throttled,         // 429, not processed
    not_now,           // 408, 409, 425: not processed
    not_now_after,     // the same, processed
    forbidden,         // 403, not processed
    refused,           // 422, not processed
    refused_after,     // 422, processed
    error,             // 5xx, not processed
    error_after,       // 5xx, processed
    redirected,        // 3xx, not processed
    redirected_after,  // 3xx, processed
    html,              // 200 with a page, not processed
    html_after,        // 200 with a page, processed
    cut_short,         // processed; the JSON ends in the middle
    empty,             // processed; 200 without a body
    field_missing,     // processed; the answer lacks a field that is needed
    goods_missing,     // processed; the answer lacks instrucao
    other_id,          // processed; the answer is about another transaction, which may stand in another way
    other_amount,      // processed; the answer is about a sale of another amount, likewise
    other_status,      // processed; a status that a request cannot have
};
inline constexpr std::size_t fault_count = static_cast<std::size_t>(Fault::other_status) + 1;

std::string_view to_string(Talk talk) noexcept;
std::string_view to_string(Fault fault) noexcept;
bool makes_sense(Fault fault, Talk talk) noexcept;
// Tells whether the provider acts on the request before the fault changes its answer.
bool is_processed(Fault fault) noexcept;

// This is what happens to one exchange.
struct Fate {
    Fault fault = Fault::none;
    Duration there{10};  // to the provider
    Duration back{10};
    Duration late{0};        // the delay of a late delivery, in addition to `there`
    std::uint64_t roll = 0;  // chooses among the variants of a fault
};

class Dealer {
  public:
    virtual ~Dealer() = default;
    virtual Fate deal(Talk talk) = 0;
};

// The dealer of a random run uses a few kinds of fault, and latencies from a range ("swarm").
struct Mix {
    std::uint64_t permille = 0;  // of the exchanges, how many have a fault
    std::vector<Fault> kinds;
    Duration latency_most{100};
    Duration late_most{100'000};
};

class RandomDealer final : public Dealer {
  public:
    RandomDealer(Mix mix, Chance& chance) : mix_(std::move(mix)), chance_(chance) {}
    Fate deal(Talk talk) override;

  private:
    const Mix mix_;
    Chance& chance_;
};

// This is the dealer of the walk: it deals one or two faults, each at one exchange, or has a provider that does what it
// is asked and never says so.
struct PlannedFault {
    Fault fault = Fault::none;
    std::uint64_t at = 0;  // the number of the exchange, counted from 0
    std::uint64_t roll = 0;
};

class PlannedDealer final : public Dealer {
  public:
    // Where asking for a status does not count, it has no fault either.
    explicit PlannedDealer(std::vector<PlannedFault> planned, bool settles_in_silence = false,
                           bool asking_does_not_count = false)
        : planned_(std::move(planned)),
          settles_in_silence_(settles_in_silence),
          asking_does_not_count_(asking_does_not_count) {}
    Fate deal(Talk talk) override;
    // Tells whether all faults were dealt.
    bool met() const noexcept { return met_ == planned_.size(); }
    // Returns how many exchanges there were.
    std::uint64_t exchanges() const noexcept { return exchanges_; }

  private:
    const std::vector<PlannedFault> planned_;
    const bool settles_in_silence_;  // every answer to a confirm or a cancel is lost
    const bool asking_does_not_count_;
    std::uint64_t exchanges_ = 0;
    std::size_t met_ = 0;
};

}  // namespace gateway::simulation
