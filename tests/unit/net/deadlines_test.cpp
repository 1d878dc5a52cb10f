#include "net/deadlines.hpp"

#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class DeadlinesTest : public Test {
  protected:
    ~DeadlinesTest() override { deadlines->stop(); }

    std::unique_ptr<Deadline> make(std::string name) {
        return std::make_unique<Deadline>(*deadlines, [this, name = std::move(name)] { passed.push_back(name); });
    }
    Instant in(Duration length) const { return clock.now() + length; }

    boost::asio::io_context io;
    VirtualClock clock{io};
    std::shared_ptr<Deadlines> deadlines = std::make_shared<Deadlines>(io.get_executor(), clock);
    std::vector<std::string> passed;
};

TEST_F(DeadlinesTest, PassInTheirOrderAndNotBefore) {
    const auto late = make("late");
    const auto early = make("early");
    late->set(in(2s));
    early->set(in(1s));
    clock.advance(999ms);
    EXPECT_THAT(passed, IsEmpty());
    clock.advance(1ms);
    EXPECT_THAT(passed, ElementsAre("early"));
    clock.advance(1s);
    EXPECT_THAT(passed, ElementsAre("early", "late"));
    clock.advance(1h);
    EXPECT_EQ(passed.size(), 2u) << "each passes once";
}

TEST_F(DeadlinesTest, OneThatIsClearedOrGoneDoesNotPass) {
    const auto cleared = make("cleared");
    auto gone = make("gone");
    cleared->set(in(1s));
    gone->set(in(1s));
    cleared->clear();
    gone.reset();
    clock.advance(1h);
    EXPECT_THAT(passed, IsEmpty());
}

TEST_F(DeadlinesTest, TheLastOneSetCounts) {
    const auto deadline = make("it");
    deadline->set(in(1s));
    deadline->set(in(5s));
    clock.advance(4s);
    EXPECT_THAT(passed, IsEmpty());
    clock.advance(1s);
    EXPECT_THAT(passed, ElementsAre("it"));
    deadline->set(in(1s));
    clock.advance(1s);
    EXPECT_THAT(passed, ElementsAre("it", "it"));
}

TEST_F(DeadlinesTest, OneThatPassesMayClearAnother) {
    const auto second = make("second");
    Deadline first(*deadlines, [&] { second->clear(); });
    first.set(in(1s));
    second->set(in(1s));
    clock.advance(2s);
    EXPECT_THAT(passed, IsEmpty());
}

TEST_F(DeadlinesTest, ThoseOfOneMomentPassInTheOrderInWhichTheyWereSet) {
    const auto second = make("second");
    const auto first = make("first");
    first->set(in(1s));
    second->set(in(1s));
    clock.advance(1s);
    EXPECT_THAT(passed, ElementsAre("first", "second"));
}

TEST_F(DeadlinesTest, OneThatPassesMayBeSetAnew) {
    std::optional<Deadline> again;
    again.emplace(*deadlines, [&] {
        passed.emplace_back("again");
        if (passed.size() < 3) again->set(in(1s));
    });
    again->set(in(1s));
    clock.advance(1h);
    EXPECT_EQ(passed.size(), 3u);
}

TEST(Deadlines, MayOutliveTheIoContext) {
    std::shared_ptr<Deadlines> deadlines;
    {
        boost::asio::io_context io;
        VirtualClock clock(io);
        deadlines = std::make_shared<Deadlines>(io.get_executor(), clock);
        Deadline deadline(*deadlines, [] {});
        deadline.set(clock.now() + 1s);
        clock.settle();
    }
    deadlines->stop();
}

TEST_F(DeadlinesTest, NonePassesAfterStop) {
    const auto deadline = make("it");
    deadline->set(in(1s));
    clock.settle();
    deadlines->stop();
    clock.advance(1h);
    EXPECT_THAT(passed, IsEmpty());
}

}  // namespace
}  // namespace gateway::test
