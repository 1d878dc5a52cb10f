#include "journal/copy/progress_lines.hpp"

#include "unit/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

namespace gateway::moving::test {
namespace {

using namespace std::chrono_literals;

class ProgressLinesTest : public testing::Test {
  protected:
    boost::asio::io_context io;
    gateway::test::VirtualClock clock{io};
    std::ostringstream out;
};

TEST_F(ProgressLinesTest, ATerminalSeesOneLineThatMovesOn) {
    ProgressLines lines(out, true, clock);
    lines.begin("copying", "sales", 1'000'000, 500'000);
    clock.jump(1s);
    lines.advance(1'000);
    EXPECT_EQ(out.str(),
              "\rcopying sales: 500,000 of 1,000,000 rows (50 %), 0 rows/s\033[K"
              "\rcopying sales: 501,000 of 1,000,000 rows (50 %), 1,000 rows/s, 8 min 19 s left\033[K");
    out.str("");
    clock.jump(10ms);
    lines.advance(1'000);
    EXPECT_EQ(out.str(), "") << "no faster than one can read";
    clock.jump(10s);
    lines.advance(498'000);
    lines.end();
    EXPECT_TRUE(out.str().ends_with("1,000,000 of 1,000,000 rows (100 %), 45,413 rows/s\033[K\n")) << out.str();
}

TEST_F(ProgressLinesTest, AFileGetsALineForEachTableThatHasRows) {
    ProgressLines lines(out, false, clock);
    lines.begin("copying", "sales", 2'000, 0);
    clock.jump(2s);
    lines.advance(1'000);
    lines.advance(1'000);
    lines.end();
    lines.begin("copying", "notes", 0, 0);
    lines.end();
    lines.say("that was all");
    EXPECT_EQ(out.str(), "copying sales: 2,000 of 2,000 rows (100 %), 1,000 rows/s\nthat was all\n");
}

}  // namespace
}  // namespace gateway::moving::test
