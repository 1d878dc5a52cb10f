#include "http/client/addresses.hpp"

#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace gateway::test {
namespace {

using namespace http;
using namespace std::chrono_literals;
using namespace testing;
using Endpoints = Addresses::Endpoints;

Addresses::Endpoint endpoint(const char* address) {
    return {boost::asio::ip::make_address(address), 443};
}
const auto a = endpoint("192.0.2.1");
const auto b = endpoint("2001:db8::2");

class AddressesTest : public Test {
  protected:
    struct Answer {
        Result<Endpoints> result;
        Duration after;
    };

    // Answers are prepared in order. A look-up beyond them fails the test.
    boost::asio::awaitable<Result<Endpoints>> look_up() {
        ++look_ups;
        if (answers.empty()) {
            ADD_FAILURE() << "nobody expected this look-up";
            co_return errc::unreachable;
        }
        const auto answer = answers.front();
        answers.pop_front();
        co_await clock.sleep_for(answer.after);
        co_return answer.result;
    }

    Result<Endpoints> get(Duration wait = 5s) { return clock.run(addresses->get(clock.now() + wait)); }

    boost::asio::io_context io;
    VirtualClock clock{io};
    std::deque<Answer> answers;
    int look_ups = 0;
    std::shared_ptr<Addresses> addresses =
        std::make_shared<Addresses>(io.get_executor(), "provider.example", 443, clock, [this] { return look_up(); });
};

TEST_F(AddressesTest, AnAddressIsNotLookedUp) {
    for (const char* host : {"192.0.2.1", "2001:db8::2"}) {
        addresses = std::make_shared<Addresses>(io.get_executor(), host, 443, clock, [this] { return look_up(); });
        EXPECT_THAT(*get(), ElementsAre(endpoint(host)));
    }
}

TEST_F(AddressesTest, AllWhoAskMeanwhileWaitForOneLookUp) {
    answers = {{Endpoints{a, b}, 2s}};
    int got = 0;
    for (int i = 0; i < 50; ++i)
        boost::asio::co_spawn(io, addresses->get(clock.now() + 5s),
                              [&](std::exception_ptr, Result<Endpoints> all) { got += all && all->size() == 2; });
    clock.advance(2s);
    EXPECT_EQ(got, 50);
    EXPECT_EQ(look_ups, 1);
}

TEST_F(AddressesTest, AnAnswerIsKeptForAMinute) {
    answers = {{Endpoints{a}, 0s}, {Endpoints{b}, 0s}};
    get();
    clock.advance(59s);
    EXPECT_THAT(*get(), ElementsAre(a));
    EXPECT_EQ(look_ups, 1);
    clock.advance(1s);
    EXPECT_THAT(*get(), ElementsAre(b));
}

TEST_F(AddressesTest, ALookUpThatHangsHoldsNobodyBeyondItsDeadline) {
    answers = {{Endpoints{a}, 1h}};
    const Instant begun = clock.now();
    EXPECT_EQ(get(5s).error(), errc::timed_out);
    EXPECT_EQ(clock.now(), begun + 5s);
    EXPECT_EQ(get(5s).error(), errc::timed_out);
    EXPECT_EQ(look_ups, 1);
}

TEST_F(AddressesTest, WithoutAnyAnswerThereAreNone) {
    answers = {{errc::unreachable, 1s}};
    EXPECT_EQ(get().error(), errc::unreachable);
    EXPECT_EQ(get().error(), errc::unreachable) << "and the name server is left alone for a while";
    EXPECT_EQ(look_ups, 1);
    answers = {{Endpoints{}, 0s}};
    clock.advance(5s);
    EXPECT_EQ(get().error(), errc::unreachable) << "an answer without addresses is none";
}

TEST_F(AddressesTest, TheLastGoodAnswerIsUsedWhereALaterLookUpFails) {
    answers = {{Endpoints{a}, 0s}, {errc::unreachable, 0s}, {Endpoints{b}, 0s}};
    get();
    clock.advance(60s);
    EXPECT_THAT(*get(), ElementsAre(a));
    EXPECT_THAT(*get(), ElementsAre(a));
    EXPECT_EQ(look_ups, 2);
    clock.advance(5s);
    EXPECT_THAT(*get(), ElementsAre(b));
}

TEST_F(AddressesTest, TheLastGoodAnswerIsUsedWhileALaterLookUpHangs) {
    answers = {{Endpoints{a}, 0s}, {Endpoints{b}, 10s}};
    get();
    clock.advance(60s);
    const Instant begun = clock.now();
    EXPECT_THAT(*get(), ElementsAre(a));
    EXPECT_EQ(clock.now(), begun + 1s);
    clock.advance(10s);
    EXPECT_THAT(*get(), ElementsAre(b));
}

TEST_F(AddressesTest, TheOneThatWorkedComesFirst) {
    answers = {{Endpoints{a, b}, 0s}};
    get();
    addresses->prefer(b);
    EXPECT_THAT(*get(), ElementsAre(b, a));
    addresses->prefer(endpoint("192.0.2.99"));
    EXPECT_THAT(*get(), ElementsAre(a, b));
}

TEST_F(AddressesTest, StopEndsEveryWait) {
    answers = {{Endpoints{a}, 1h}};
    std::optional<Result<Endpoints>> got;
    boost::asio::co_spawn(io, addresses->get(clock.now() + 5s),
                          [&](std::exception_ptr, Result<Endpoints> all) { got = all; });
    clock.settle();
    addresses->stop();
    clock.settle();
    EXPECT_EQ(got->error(), errc::shutting_down);
}

}  // namespace
}  // namespace gateway::test
