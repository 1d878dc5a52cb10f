#include "sandbox/metrics.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

TEST(Metrics, EveryStepOfEveryFamilyIsCountedOnItsOwn) {
    Metrics metrics;
    std::uint64_t number = 0;
    for (const auto step : steps) {
        metrics.count(step, std::nullopt).seen = ++number;
        for (const auto family : families)
            metrics.count(step, family).seen = ++number;
    }
    number = 0;
    for (const auto step : steps) {
        EXPECT_EQ(metrics.count(step, std::nullopt).seen, ++number);
        for (const auto family : families)
            EXPECT_EQ(metrics.count(step, family).seen, ++number);
    }
}

TEST(Metrics, KeepsTheLatestDeparturesAndTheNumberOfAll) {
    Metrics metrics;
    for (int i = 0; i < 1500; ++i)
        metrics.depart({.reason = std::to_string(i)});
    EXPECT_EQ(metrics.departures(), 1500U);
    EXPECT_EQ(metrics.latest_departures().size(), 1000U);
    EXPECT_EQ(metrics.latest_departures().front().reason, "500");
    EXPECT_EQ(metrics.latest_departures().back().reason, "1499");
}

}  // namespace
}  // namespace gateway::sandbox
