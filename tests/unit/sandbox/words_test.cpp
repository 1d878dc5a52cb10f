#include "sandbox/words.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

TEST(Words, EveryWordIsReadBackAsWhatItStandsForAndAnyOtherStandsForNothing) {
    for (const auto family : families)
        EXPECT_EQ(parse_family(to_string(family)), family);
    for (const auto step : steps)
        EXPECT_EQ(parse_step(to_string(step)), step);
    for (const auto status : statuses) {
        EXPECT_TRUE(status == Status::none || parse_status(to_string(status)) == status) << to_string(status);
        const bool open = status == Status::none || status == Status::autorizada || status == Status::pendente;
        EXPECT_EQ(is_final(status), !open) << to_string(status);
    }
    EXPECT_FALSE(parse_family("TV") || parse_step("cancel") || parse_status("autorizada") || parse_status(""));
}

}  // namespace
}  // namespace gateway::sandbox
