#include "sandbox/words.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

TEST(Words, EveryWordIsReadBackAsWhatItStandsFor) {
    for (const auto family : families)
        EXPECT_EQ(parse_family(to_string(family)), family);
    for (const auto step : steps)
        EXPECT_EQ(parse_step(to_string(step)), step);
    for (const auto status : statuses)
        EXPECT_TRUE(status == Status::none || parse_status(to_string(status)) == status) << to_string(status);
}

TEST(Words, AnUnknownOrEmptyWordStandsForNothing) {
    EXPECT_FALSE(parse_family("TV"));
    EXPECT_FALSE(parse_step("cancel"));
    EXPECT_FALSE(parse_status("autorizada"));
    EXPECT_FALSE(parse_status(""));
}

TEST(Words, OnlySoldCancelledAndRefusedSalesAreFinal) {
    for (const auto status : statuses) {
        const bool open = status == Status::none || status == Status::autorizada || status == Status::pendente;
        EXPECT_EQ(is_final(status), !open) << to_string(status);
    }
}

}  // namespace
}  // namespace gateway::sandbox
