#include "net/continuation.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace gateway::test {
namespace {

TEST(Continuation, IsCalledOnceWithTheResultAndThenEmpty) {
    boost::system::error_code told;
    Continuation continuation([&](const boost::system::error_code& result) { told = result; });
    EXPECT_TRUE(continuation);
    continuation(boost::asio::error::operation_aborted);
    EXPECT_EQ(told, boost::asio::error::operation_aborted);
    EXPECT_FALSE(continuation);
}

TEST(Continuation, TakesItsHandlerAlong) {
    int calls = 0;
    Continuation from([&](const auto&) { ++calls; });
    Continuation to(std::move(from));
    EXPECT_FALSE(from);  // NOLINT(bugprone-use-after-move): that it is empty is the point
    from = std::move(to);
    from({});
    EXPECT_EQ(calls, 1);
    EXPECT_FALSE(to);  // NOLINT(bugprone-use-after-move): the same
}

TEST(Continuation, LetsGoOfAHandlerThatIsNeverCalled) {
    auto held = std::make_shared<int>(1);
    const std::weak_ptr<int> left = held;
    {
        Continuation first([held = std::move(held)](const auto&) { FAIL() << *held; });
        first = Continuation([](const auto&) {});
        EXPECT_TRUE(left.expired()) << "another one has come in its place";
    }
    EXPECT_FALSE(Continuation());
}

TEST(Continuation, MayBeDestroyedByItsHandler) {
    std::optional<Continuation> continuation;
    bool called = false;
    continuation.emplace([&](const auto&) {
        continuation.reset();
        called = true;
    });
    (*continuation)({});
    EXPECT_TRUE(called);
}

}  // namespace
}  // namespace gateway::test
