// How often a duration was at most as long as each bound, as Prometheus histograms count.
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
    using Bounds = std::array<double, 15>;  // in seconds, growing
    // From a millisecond, which only a local peer reaches, to the longest time-out in use. On the way 15 s, which the
    // provider has for an answer, and 25 s, which a sell waits for its outcome, unless the configuration says
    // otherwise.
    static constexpr Bounds of_an_exchange{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                           0.5,   1,      2.5,   5,    15,    25,   60};
    // From 20 µs, in which no disk flushes, over 50 ms, which three times in a sale are felt at the counter.
    static constexpr Bounds of_a_disk{0.00002, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                      0.01,    0.025,   0.05,   0.1,     0.25,   0.5,   1};

    Histogram() : Histogram(of_an_exchange) {}
    // The bounds must outlive it.
    explicit Histogram(const Bounds& bounds) : bounds_(&bounds) {}

    void add(std::chrono::nanoseconds length) {
        const double seconds = std::chrono::duration<double>(length).count();
        const auto bound = std::lower_bound(bounds_->begin(), bounds_->end(), seconds);
        if (bound != bounds_->end()) ++within_.at(static_cast<std::size_t>(bound - bounds_->begin()));
        ++count_;
        sum_s_ += seconds;
    }
    const Bounds& bounds() const { return *bounds_; }
    // How many were at most as long as each bound.
    std::array<std::uint64_t, std::tuple_size_v<Bounds>> counts() const {
        auto counts = within_;
        std::partial_sum(within_.begin(), within_.end(), counts.begin());
        return counts;
    }
    // How long the share of them that was fastest took at most, in seconds, as far as the bounds tell: between two it
    // is taken to grow evenly. Nothing of none; the last bound of what is above all.
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
    std::array<std::uint64_t, std::tuple_size_v<Bounds>> within_{};  // of each bound, and above the one before it
    std::uint64_t count_ = 0;
    double sum_s_ = 0;
};

}  // namespace gateway
