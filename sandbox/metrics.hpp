// How many requests came, and the ones that depart from the interface: a test of a client wants none of these.
#pragma once

#include "base/clock.hpp"
#include "sandbox/words.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace gateway::sandbox {

struct Count {
    std::uint64_t seen = 0;
    std::uint64_t processed = 0;  // moved a sale, issued a token, answered a query
    std::uint64_t refused = 0;    // by the provider's rules, not by a fault
    std::uint64_t lost = 0;       // the connection was closed without an answer
};

struct Departure {
    WallTime at{};
    std::optional<Step> step{};  // none: no operation has that address
    std::optional<Family> family{};
    std::string idExterno{};
    std::string reason{};
};

class Metrics {
  public:
    Count& count(Step step, std::optional<Family> family);
    const Count& count(Step step, std::optional<Family> family) const;

    void depart(Departure departure);
    std::uint64_t departures() const noexcept { return departures_; }
    const std::deque<Departure>& latest_departures() const noexcept { return latest_; }

  private:
    static constexpr std::size_t kinds = steps.size() * (families.size() + 1);
    static std::size_t index(Step step, std::optional<Family> family);

    std::array<Count, kinds> counts_{};
    std::uint64_t departures_ = 0;
    std::deque<Departure> latest_;
};

}  // namespace gateway::sandbox
