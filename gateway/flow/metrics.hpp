// Counts of what happened, for the metrics. Plain numbers: nothing here decides anything.
#pragma once

#include "sale/answer.hpp"
#include "sale/sale.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <numeric>

namespace gateway {

// How often a duration was at most as long as each bound, as Prometheus histograms count.
class Histogram {
  public:
    // From a millisecond, which only a local peer reaches, to the longest time-out in use.
    static constexpr std::array<double, 14> bounds_s{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                     0.25,  0.5,    1,     2.5,  5,     15,   60};

    void add(std::chrono::nanoseconds length) {
        const double seconds = std::chrono::duration<double>(length).count();
        const auto bound = std::lower_bound(bounds_s.begin(), bounds_s.end(), seconds);
        if (bound != bounds_s.end()) ++within_.at(static_cast<std::size_t>(bound - bounds_s.begin()));
        ++count_;
        sum_s_ += seconds;
    }
    // How many were at most as long as each bound.
    std::array<std::uint64_t, bounds_s.size()> counts() const {
        auto counts = within_;
        std::partial_sum(within_.begin(), within_.end(), counts.begin());
        return counts;
    }
    std::uint64_t count() const { return count_; }
    double sum_s() const { return sum_s_; }

  private:
    std::array<std::uint64_t, bounds_s.size()> within_{};  // of each bound, and above the one before it
    std::uint64_t count_ = 0;
    double sum_s_ = 0;
};

struct Metrics {
    static constexpr std::size_t family_count = all_families.size();
    static constexpr std::size_t status_count = 5;
    static constexpr std::size_t step_count = 3;
    static constexpr std::size_t known_count = 10;

    std::array<std::uint64_t, family_count> begun{};
    std::array<std::array<std::uint64_t, status_count>, family_count> final{};
    std::array<std::array<std::array<std::uint64_t, known_count>, step_count>, family_count> answers{};
    std::array<std::array<Histogram, step_count>, family_count> exchange_time{};
    std::array<Histogram, family_count> sale_time{};  // from the request to the final status
    Histogram durable_time;                           // a step handed to the journal until it is durable
    std::uint64_t journal_failures = 0;
    std::uint64_t attempts_again = 0;
    std::uint64_t replays = 0;
    std::array<std::uint64_t, all_attentions.size()> attention_raised{};
};

}  // namespace gateway
