#include "net/readiness.hpp"

#include "base/clock_hold.hpp"
#include "unit/support/connected.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <functional>
#include <stdexcept>
#include <vector>

namespace gateway::test {
namespace {

namespace asio = boost::asio;
using Way = ReadySocket::Way;

class ReadinessTest : public testing::Test {
  protected:
    // So many connections, each of them with bytes on their way and somebody who waits for them.
    void connect(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            ends.emplace_back(std::make_unique<Connected>(io));
            results.emplace_back();
        }
        io.poll();
        for (std::size_t i = 0; i < count; ++i) {
            ends[i]->near->wait(Way::read, [this, i](const boost::system::error_code& result) { tell(i, result); });
            ends[i]->send("x");
        }
    }
    void tell(std::size_t which, const boost::system::error_code& result) {
        results[which].push_back(result);
        if (told == 0) first = which;
        ++told;
        if (told == 1 && then) then(which);
    }
    void run() {
        io.restart();
        io.poll();
    }

    asio::io_context io;
    std::vector<std::unique_ptr<Connected>> ends;
    std::vector<std::vector<boost::system::error_code>> results;
    std::size_t told = 0;
    std::size_t first = 0;
    std::function<void(std::size_t)> then;  // done when the first one is told
};

TEST_F(ReadinessTest, ThoseWhoAreReadyAreToldInOneTurn) {
    connect(3);
    io.restart();
    io.run_one();
    EXPECT_EQ(told, 3u);
}

TEST_F(ReadinessTest, TheClockStandsStillForEachOfThem) {
    bool held = false;
    then = [&](std::size_t) { held = ClockHold::current() != nullptr; };
    connect(1);
    run();
    EXPECT_TRUE(held);
    EXPECT_EQ(ClockHold::current(), nullptr);
}

TEST_F(ReadinessTest, ALookTellsTheSocketsAtOnceAndWhoWaitsLater) {
    Connected ours(io);
    ours.send("x");
    EXPECT_FALSE(ours.near->announced()) << "nobody has looked";
    Readiness::of(io.get_executor()).look();
    EXPECT_TRUE(ours.near->announced());

    connect(1);
    Readiness::of(io.get_executor()).look();
    EXPECT_EQ(told, 0u) << "not before this has returned";
    run();
    EXPECT_EQ(told, 1u);
}

TEST_F(ReadinessTest, MoreThanOneTurnTakesAreToldOneTurnAfterTheOther) {
    connect(200);
    io.restart();
    io.run_one();
    EXPECT_EQ(told, 128u);
    run();
    EXPECT_EQ(told, 200u);
}

TEST_F(ReadinessTest, LooksMakeNoTurnLonger) {
    connect(400);
    for (int i = 0; i < 3; ++i)
        Readiness::of(io.get_executor()).look();
    io.restart();
    io.run_one();
    EXPECT_EQ(told, 128u);
    run();
    EXPECT_EQ(told, 400u);
}

TEST_F(ReadinessTest, ALookSeesEverySocket) {
    connect(200);  // with nothing to say but that
    Connected last(io);
    last.send("x");
    Readiness::of(io.get_executor()).look();
    EXPECT_TRUE(last.near->announced());
}

TEST_F(ReadinessTest, WhoIsToldMayCloseASocketOfTheSameTurn) {
    connect(2);
    then = [&](std::size_t which) { ends[1 - which]->near->close(); };
    run();
    EXPECT_EQ(told, 2u);
    EXPECT_EQ(ends[1 - first]->received(), "") << "the other is told once, and finds it closed";
}

TEST_F(ReadinessTest, WhoIsToldMayDestroyASocketOfTheSameTurn) {
    connect(3);
    then = [&](std::size_t which) {
        for (std::size_t i = 0; i < ends.size(); ++i)
            if (i != which) ends[i]->near.reset();
    };
    run();
    EXPECT_EQ(told, 3u);
    for (std::size_t i = 0; i < ends.size(); ++i) {
        ASSERT_EQ(results[i].size(), 1u);
        EXPECT_EQ(static_cast<bool>(results[i].front()), i != first);
    }
}

TEST_F(ReadinessTest, WhoIsToldMayDestroyItsOwnSocket) {
    connect(2);
    then = [&](std::size_t which) { ends[which]->near.reset(); };
    run();
    EXPECT_EQ(told, 2u);
    EXPECT_FALSE(results[1 - first].front());
}

TEST_F(ReadinessTest, WhoIsToldMayWaitAgain) {
    connect(1);
    then = [&](std::size_t which) {
        EXPECT_EQ(ends[which]->received(), "x");
        ends[which]->near->wait(Way::read, [this](const auto& result) { tell(0, result); });
    };
    run();
    EXPECT_EQ(told, 1u);
    ends[0]->send("y");
    run();
    EXPECT_EQ(told, 2u);
    EXPECT_EQ(ends[0]->received(), "y");
}

TEST_F(ReadinessTest, WhoIsToldMayEndTheWaitOfAnother) {
    Connected silent(io);
    const Waiting waiting(*silent.near, Way::read);
    connect(1);
    then = [&](std::size_t) { silent.near->cancel(); };
    run();
    EXPECT_EQ(waiting.told(), 1);
    EXPECT_EQ(waiting.result(), asio::error::operation_aborted);
}

TEST_F(ReadinessTest, AnExceptionKeepsNothingFromTheOthers) {
    connect(3);
    then = [](std::size_t) { throw std::runtime_error("one"); };
    io.restart();
    EXPECT_THROW(io.poll(), std::runtime_error);
    EXPECT_EQ(told, 1u);
    run();
    EXPECT_EQ(told, 3u);
}

TEST_F(ReadinessTest, AWaitThatEndsAtOnceKeepsNothingFromTheLoop) {
    connect(1);
    bool other_work = false;
    int waits = 0;
    const std::function<void()> again = [&] {
        if (other_work || ++waits > 100) return;  // the byte is never read
        ends[0]->near->wait(Way::read, [&](const auto&) { again(); });
    };
    then = [&](std::size_t) {
        asio::post(io, [&] { asio::post(io, [&] { other_work = true; }); });
        again();
    };
    run();
    EXPECT_TRUE(other_work);
    EXPECT_LT(waits, 10);
}

TEST_F(ReadinessTest, AWaitKeepsTheLoopRunningAndNothingElseDoes) {
    Connected one(io);
    io.restart();
    io.run();  // returns: nobody waits
    const Waiting waiting(*one.near, Way::read);
    one.send("x");
    io.restart();
    io.run();
    EXPECT_EQ(waiting.told(), 1);
    const Waiting cancelled(*one.near, Way::write);
    one.near->cancel();
    io.restart();
    io.run();
    EXPECT_EQ(cancelled.told(), 1);
}

TEST_F(ReadinessTest, WhoStillWaitsGoesWithTheLoop) {
    auto gone = std::make_shared<int>(1);
    const std::weak_ptr<int> left = gone;
    const auto waits = [](asio::io_context& in, std::shared_ptr<int> held) -> asio::awaitable<void> {
        const Connected both(in);
        co_await both.near->wait(Way::read, asio::deferred);
        ADD_FAILURE() << *held;
    };
    {
        asio::io_context other;
        asio::co_spawn(other, waits(other, std::move(gone)), asio::detached);
        other.poll();
        EXPECT_FALSE(left.expired());
    }
    EXPECT_TRUE(left.expired());
}

}  // namespace
}  // namespace gateway::test
