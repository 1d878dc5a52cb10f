#include "sandbox/words.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

TEST(Words, EveryWordIsReadBackAsWhatItStandsFor) {
    for (const auto family : families)
        EXPECT_EQ(parse_family(word(family)), family);
    for (const auto step : steps)
        EXPECT_EQ(parse_step(word(step)), step);
    for (const auto status : statuses)
        EXPECT_TRUE(status == Status::none || parse_status(word(status)) == status) << word(status);
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
        EXPECT_EQ(is_final(status), !open) << word(status);
    }
}

}  // namespace
}  // namespace gateway::sandbox
