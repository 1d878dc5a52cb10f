#include "base/histogram.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

using namespace std::chrono_literals;

TEST(Histogram, CountsHowManyWereAtMostAsLongAsEachBound) {
    Histogram histogram;
    histogram.add(1ms);
    histogram.add(2ms);
    histogram.add(2min);
    EXPECT_EQ(histogram.count(), 3U);
    EXPECT_EQ(histogram.counts().front(), 1U);
    EXPECT_EQ(histogram.counts().at(1), 2U);
    EXPECT_EQ(histogram.counts().back(), 2U) << "what is above all bounds is counted only in all";
    EXPECT_DOUBLE_EQ(histogram.sum_s(), 120.003);
}

TEST(Histogram, OfNothingHasNoQuantile) {
    EXPECT_FALSE(Histogram().quantile(0.5));
}

TEST(Histogram, BetweenTwoBoundsItGrowsEvenly) {
    Histogram histogram;
    for (int i = 0; i < 10; ++i)
        histogram.add(700ms);
    EXPECT_DOUBLE_EQ(*histogram.quantile(0.5), 0.75);
    EXPECT_DOUBLE_EQ(*histogram.quantile(1), 1);
    EXPECT_DOUBLE_EQ(*histogram.quantile(0.1), 0.55);
}

TEST(Histogram, TheQuantileIsInTheBucketThatItsShareReaches) {
    Histogram histogram;
    for (int i = 0; i < 9; ++i)
        histogram.add(1ms);
    histogram.add(4s);
    EXPECT_LE(*histogram.quantile(0.5), 0.001);
    EXPECT_DOUBLE_EQ(*histogram.quantile(0.9), 0.001) << "exactly reached, it is that bound";
    EXPECT_GT(*histogram.quantile(0.95), 2.5);
    EXPECT_LE(*histogram.quantile(0.95), 5);
}

TEST(Histogram, WhatIsAboveAllBoundsIsTheLastOne) {
    Histogram histogram;
    histogram.add(1ms);
    histogram.add(1h);
    histogram.add(1h);
    EXPECT_DOUBLE_EQ(*histogram.quantile(0.95), Histogram::of_an_exchange.back());
}

}  // namespace
}  // namespace gateway
