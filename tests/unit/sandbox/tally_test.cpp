#include "sandbox/tally.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

TEST(Tally, EveryStepOfEveryFamilyIsCountedOnItsOwn) {
    Tally tally;
    std::uint64_t number = 0;
    for (const auto step : steps) {
        tally.count(step, std::nullopt).seen = ++number;
        for (const auto family : families)
            tally.count(step, family).seen = ++number;
    }
    number = 0;
    for (const auto step : steps) {
        EXPECT_EQ(tally.count(step, std::nullopt).seen, ++number);
        for (const auto family : families)
            EXPECT_EQ(tally.count(step, family).seen, ++number);
    }
}

TEST(Tally, KeepsTheLatestDeparturesAndTheNumberOfAll) {
    Tally tally;
    for (int i = 0; i < 1500; ++i)
        tally.depart({.reason = std::to_string(i)});
    EXPECT_EQ(tally.departures(), 1500U);
    EXPECT_EQ(tally.latest_departures().size(), 1000U);
    EXPECT_EQ(tally.latest_departures().front().reason, "500");
    EXPECT_EQ(tally.latest_departures().back().reason, "1499");
}

}  // namespace
}  // namespace gateway::sandbox
