#include "base/run_moment.hpp"

#include "base/wall_time.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class RunMomentTest : public testing::Test {
  protected:
    boost::asio::io_context io;
    VirtualClock clock{io};
};

TEST_F(RunMomentTest, IsToldAsItWasWhileNobodySetsTheWallClock) {
    const auto at = clock.wall();
    const RunMoment moment(clock);
    clock.jump(3h);
    EXPECT_EQ(moment.wall(), at);
    EXPECT_EQ(moment.ago(), 3h);
    for (int i = 0; i < 3; ++i) {
        clock.shift_wall(1ms);  // the two clocks are not read at the same moment
        EXPECT_EQ(moment.wall(), at);
    }
}

TEST_F(RunMomentTest, IsToldByTheWallClockAsItIsSetNow) {
    for (const auto wrong_by : {Duration(-48h), Duration(5min)}) {
        const auto right = clock.wall();
        clock.shift_wall(wrong_by);
        const RunMoment moment(clock);
        clock.jump(8s);
        EXPECT_EQ(moment.wall(), right + wrong_by);
        clock.shift_wall(-wrong_by);
        EXPECT_EQ(moment.wall(), right);
        EXPECT_EQ(moment.ago(), 8s);
        clock.shift_wall(1ms);
        EXPECT_EQ(moment.wall(), right) << "it is told the same each time";
    }
}

TEST_F(RunMomentTest, OfBeforeTheMachineSleptIsNotOfLater) {
    const auto at = clock.wall();
    const RunMoment moment(clock);
    clock.pass_asleep(8h);
    EXPECT_EQ(moment.wall(), at);
    EXPECT_EQ(moment.ago(), 8h);
    EXPECT_TRUE(moment.is_before(RunMoment(clock)));
}

}  // namespace
}  // namespace gateway::test
