// Counts how many durations were at most as long as each bound, as Prometheus histograms do.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <optional>

namespace gateway {

class Histogram {
  public:
    using Bounds = std::array<double, 15>;  // in seconds, in ascending order
    // They reach from a millisecond, which only a local peer achieves, to the longest time-out in use. 15 s are what
    // the provider has for an answer, and 25 s are what a sell waits for its outcome, unless the configuration says
    // otherwise.
    static constexpr Bounds of_an_exchange{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                           0.5,   1,      2.5,   5,    15,    25,   60};
    // They begin at 20 µs, in which no disk flushes. 50 ms is among them: a sale flushes three times, and three times
    // 50 ms is noticed at the counter.
    static constexpr Bounds of_a_disk{0.00002, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                      0.01,    0.025,   0.05,   0.1,     0.25,   0.5,   1};

    Histogram() : Histogram(of_an_exchange) {}
    // The bounds must outlive this object.
    explicit Histogram(const Bounds& bounds) : bounds_(&bounds) {}

    void add(std::chrono::nanoseconds length) {
        const double seconds = std::chrono::duration<double>(length).count();
        const auto bound = std::lower_bound(bounds_->begin(), bounds_->end(), seconds);
        if (bound != bounds_->end()) ++within_.at(static_cast<std::size_t>(bound - bounds_->begin()));
        ++count_;
        sum_s_ += seconds;
    }
    const Bounds& bounds() const { return *bounds_; }
    // Returns how many durations were at most as long as each bound.
    std::array<std::uint64_t, std::tuple_size_v<Bounds>> counts() const {
        auto counts = within_;
        std::partial_sum(within_.begin(), within_.end(), counts.begin());
        return counts;
    }
    // Returns how long the fastest `share` of the durations took at most, in seconds, as far as the bounds tell:
    // between two bounds they are assumed to be spread evenly. Returns nothing if there are no durations, and the last
    // bound if the result is above all bounds.
    std::optional<double> quantile(double share) const {
        const auto wanted = share * static_cast<double>(count_);
        double below = 0;
        double from = 0;
        for (std::size_t i = 0; i < bounds_->size(); ++i) {
            const auto here = static_cast<double>(within_.at(i));
            if (here > 0 && below + here >= wanted)
                return from + (bounds_->at(i) - from) * std::max(0.0, wanted - below) / here;
            below += here;
            from = bounds_->at(i);
        }
        return count_ == 0 ? std::nullopt : std::optional(bounds_->back());
    }
    std::uint64_t count() const { return count_; }
    double sum_s() const { return sum_s_; }

  private:
    const Bounds* bounds_;
    // Each is the number of values within a bound and above the bound before it.
    std::array<std::uint64_t, std::tuple_size_v<Bounds>> within_{};
    std::uint64_t count_ = 0;
    double sum_s_ = 0;
};

}  // namespace gateway
