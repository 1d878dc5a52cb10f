#include "sandbox/metrics.hpp"

namespace gateway::sandbox {
namespace {

// Enough to see what a client does wrong; the number of all is kept.
constexpr std::size_t most_departures = 1000;

}  // namespace

std::size_t Metrics::index(Step step, std::optional<Family> family) {
    const auto row = family ? static_cast<std::size_t>(*family) : families.size();
    return row * steps.size() + static_cast<std::size_t>(step);
}

Count& Metrics::count(Step step, std::optional<Family> family) {
    return counts_.at(index(step, family));
}

const Count& Metrics::count(Step step, std::optional<Family> family) const {
    return counts_.at(index(step, family));
}

void Metrics::depart(Departure departure) {
    ++departures_;
    if (latest_.size() == most_departures) latest_.pop_front();
    latest_.push_back(std::move(departure));
}

}  // namespace gateway::sandbox
