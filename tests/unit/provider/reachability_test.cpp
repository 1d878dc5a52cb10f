#include "http/client/outage.hpp"

#include "unit/support/memory_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace http;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Outage, TellsThatItBeganThatItGoesOnAndThatItIsOver) {
    MemoryLog log;
    Outage outage("provider", log);
    Instant now{1h};
    outage.over(now);
    EXPECT_THAT(log.lines, IsEmpty());
    for (int second = 0; second < 90; ++second, now += 1s)
        outage.failed("refused", now);
    outage.over(now);
    outage.over(now);
    EXPECT_THAT(log.lines, ElementsAre("warn transport.unreachable service=provider why=refused failures=1",
                                       "warn transport.unreachable service=provider why=refused failures=61",
                                       "info transport.reachable service=provider failures=90 afterSeconds=90"));
}

TEST(Outage, AnotherReasonIsToldSoon) {
    MemoryLog log;
    Outage outage("provider", log);
    Instant now{1h};
    outage.failed("refused", now);
    outage.failed("certificate", now + 4s);
    EXPECT_EQ(log.count("why=certificate"), 0u) << "two that take turns would fill the log";
    outage.failed("certificate", now + 5s);
    outage.failed("certificate", now + 20s);
    EXPECT_EQ(log.count("why=certificate"), 1u);
}

TEST(Outage, ItsReasonIsThatOfTheLastFailureUntilItIsOver) {
    MemoryLog log;
    Outage outage("provider", log);
    outage.failed("refused", Instant{1h});
    outage.failed("certificate has expired", Instant{1h});
    EXPECT_EQ(outage.reason(), "certificate has expired") << "told to whoever asks, whatever the log was told";
    outage.over(Instant{1h});
    EXPECT_EQ(outage.reason(), "");
}

TEST(Outage, TheNextOneIsToldAgain) {
    MemoryLog log;
    Outage outage("provider", log);
    const Instant now{1h};
    for (int i = 0; i < 2; ++i) {
        outage.failed("refused", now);
        outage.over(now);
    }
    EXPECT_EQ(log.count("warn"), 2u);
}

}  // namespace
}  // namespace gateway::test
