#include "http/server/repeated_calls.hpp"

#include "unit/support/memory_log.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>

namespace gateway::http {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class RepeatedCallsTest : public testing::Test {
  protected:
    ~RepeatedCallsTest() override { deadlines->stop(); }

    // Returns how many of this many calls have a line of their own.
    int lines_of(int calls, std::string_view caller = "caixa-02", unsigned status = 422) {
        int lines = 0;
        for (int i = 0; i < calls; ++i) {
            const RefusedCall call{.caller = caller, .remote = "10.0.0.7", .what = "POST /v1/sell", .status = status};
            lines += calls_.note(call) ? 1 : 0;
        }
        return lines;
    }

    boost::asio::io_context io;
    test::VirtualClock clock{io};
    test::MemoryLog log;
    const std::shared_ptr<Deadlines> deadlines = std::make_shared<Deadlines>(io.get_executor(), clock);
    const std::string listener = "terminals";
    RepeatedCalls calls_{*deadlines, clock, log, listener};
};

TEST_F(RepeatedCallsTest, ATillThatIsRefusedNowAndThenHasALineEachTime) {
    for (int minute = 0; minute < 5; ++minute) {
        EXPECT_EQ(lines_of(10), 10);
        clock.advance(1min);
    }
    EXPECT_TRUE(log.lines.empty());
    EXPECT_TRUE(calls_.hammering().empty());
}

TEST_F(RepeatedCallsTest, ATillThatHammersHasOneLineAMinuteWithACount) {
    EXPECT_EQ(lines_of(1'374), 10);
    EXPECT_FALSE(calls_.has_lines("caixa-02"));
    clock.advance(1min);
    EXPECT_EQ(log.count("warn http.hammering"), 1U);
    EXPECT_EQ(log.count("warn http.hammering listener=terminals terminal=caixa-02 remote=10.0.0.7 times=1374"), 1U);
    EXPECT_EQ(lines_of(500), 0) << "it has had its lines";
    clock.advance(1min);
    EXPECT_EQ(log.count("warn http.hammering"), 2U);
    EXPECT_TRUE(log.has("times=500"));
    ASSERT_EQ(calls_.hammering().size(), 1U);
    EXPECT_EQ(calls_.hammering()[0].calls, 1'874U);
    EXPECT_THAT(calls_.hammering()[0].in_words(),
                HasSubstr("caixa-02 (10.0.0.7) was refused 1874 calls to the terminals listener from "));
}

TEST_F(RepeatedCallsTest, OneKeyOnTwoMachinesIsToldWithBoth) {
    lines_of(20);
    for (const auto* remote : {"10.0.0.9", "10.0.0.7"})
        (void)calls_.note({.caller = "caixa-02", .remote = remote, .what = "POST /v1/sell", .status = 401});
    EXPECT_THAT(calls_.hammering().at(0).in_words(), HasSubstr("caixa-02 (10.0.0.7, 10.0.0.9) was refused 22 calls"));
    clock.advance(1min);
    EXPECT_TRUE(log.has("remote=10.0.0.7 otherRemotes=10.0.0.9 times=22")) << "the log names both as well";
    for (int machine = 0; machine < 100; ++machine)
        (void)calls_.note({.caller = "caixa-02", .remote = std::to_string(machine), .what = "x", .status = 401});
    EXPECT_EQ(calls_.hammering().at(0).remotes.size(), Hammering::most_remotes);
}

TEST_F(RepeatedCallsTest, ACallThatWasRightIsNotHeldAgainstItsTill) {
    for (const unsigned status : {402U, 500U, 502U, 503U, 504U}) {
        EXPECT_EQ(lines_of(100, "caixa-02", status), 10) << "and yet nobody fills the log";
        EXPECT_TRUE(calls_.has_lines("caixa-02"));
        EXPECT_TRUE(calls_.hammering().empty()) << status;
        clock.advance(1min);
        EXPECT_EQ(log.count("warn http.hammering"), 0U);
        EXPECT_EQ(log.count("info http.unserved listener=terminals terminal=caixa-02 remote=10.0.0.7 times=100"), 1U);
        log.lines.clear();
    }
    EXPECT_EQ(lines_of(9, "caixa-02", 503), 9);
    EXPECT_EQ(lines_of(1'000, "10.0.0.7", 429), 10) << "one that is let in by no key is not asked for patience";
    EXPECT_EQ(calls_.hammering().size(), 1U);
    EXPECT_EQ(lines_of(11, "caixa-02", 409), 10);
    EXPECT_EQ(calls_.hammering().size(), 2U);
    EXPECT_EQ(calls_.hammering()[1].calls, 11U);
}

TEST_F(RepeatedCallsTest, OneThatStopsIsToldOfForAnHourAndHasItsLinesAgain) {
    lines_of(100);
    clock.advance(3min);
    EXPECT_EQ(log.count("warn http.hammering "), 1U);
    EXPECT_EQ(log.count("warn http.hammering_over listener=terminals terminal=caixa-02 remote=10.0.0.7 times=100"), 1U);
    EXPECT_EQ(lines_of(1), 1);
    ASSERT_EQ(calls_.hammering().size(), 1U);
    EXPECT_TRUE(calls_.hammering()[0].over);
    EXPECT_EQ(calls_.hammering()[0].calls, 100U) << "what came afterwards is no part of it";
    EXPECT_THAT(calls_.hammering()[0].in_words(), testing::EndsWith("; it has stopped since"));
    clock.advance(62min);
    EXPECT_TRUE(calls_.hammering().empty());
}

TEST_F(RepeatedCallsTest, OneThatBeginsOnceMoreIsCountedByItself) {
    lines_of(100);
    clock.advance(10min);
    lines_of(30);
    ASSERT_EQ(calls_.hammering().size(), 1U);
    EXPECT_EQ(calls_.hammering()[0].calls, 30U);
    EXPECT_FALSE(calls_.hammering()[0].over);
    clock.advance(2min);
    ASSERT_EQ(calls_.hammering().size(), 1U);
    EXPECT_EQ(calls_.hammering()[0].calls, 30U);
    EXPECT_TRUE(calls_.hammering()[0].over);
    EXPECT_EQ(log.count("warn http.hammering_over listener=terminals terminal=caixa-02 remote=10.0.0.7 times=30"), 1U);
}

TEST_F(RepeatedCallsTest, ThatItIsOverIsNotSaidTogetherWithThatItIsNot) {
    lines_of(100);
    clock.advance(1min);
    EXPECT_EQ(log.count("warn http.hammering listener=terminals"), 1U);
    EXPECT_EQ(lines_of(3), 0) << "it had its lines a minute ago";
    clock.advance(1min);
    EXPECT_EQ(log.count("warn http.hammering listener=terminals"), 1U);
    EXPECT_EQ(log.count("warn http.hammering_over listener=terminals terminal=caixa-02 remote=10.0.0.7 times=103"), 1U);
}

TEST_F(RepeatedCallsTest, EachCallerIsCountedByItself) {
    lines_of(100);
    EXPECT_EQ(lines_of(1, "caixa-01"), 1);
    for (int i = 0; i < 5'000; ++i)
        lines_of(1, std::to_string(i));
    EXPECT_EQ(lines_of(20, "one more"), 0) << "callers without end share an account";
}

}  // namespace
}  // namespace gateway::http
