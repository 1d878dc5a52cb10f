#include "flow/card_turns.hpp"

#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

#include <string>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class CardTurnsTest : public testing::Test {
  protected:
    // Begins a sell of the card, which keeps its turn for a while. Its name is written down when it gets the turn, and
    // in capitals when it does not.
    void come(char name, Duration patience = 1h, const char* card = "1") {
        auto selling = [](CardTurnsTest& t, char who, Duration waits, Secret of) -> boost::asio::awaitable<void> {
            const auto turn = co_await t.turns->wait_for(std::move(of), t.clock.now() + waits);
            t.order += turn ? who : static_cast<char>(std::toupper(who));
            if (turn) co_await t.clock.sleep_for(1s);
        };
        boost::asio::co_spawn(io, selling(*this, name, patience, Secret(card)), boost::asio::detached);
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    std::unique_ptr<CardTurns> turns = std::make_unique<CardTurns>(clock);
    std::string order;
};

TEST_F(CardTurnsTest, ComeInTheOrderOfTheLineEachWhenTheOneBeforeIsOver) {
    for (const char name : {'a', 'b', 'c'})
        come(name);
    clock.settle();
    EXPECT_EQ(order, "a");
    clock.advance(1s);
    come('d');
    clock.settle();
    EXPECT_EQ(order, "ab");
    clock.advance(10s);
    EXPECT_EQ(order, "abcd");
    EXPECT_FALSE(turns->is_taken(Secret("1"))) << "nobody knows the card any more";
}

TEST_F(CardTurnsTest, AnotherCardWaitsForNobody) {
    come('a');
    come('b', 1h, "2");
    clock.settle();
    EXPECT_EQ(order, "ab");
}

TEST_F(CardTurnsTest, WhoWaitedLongEnoughLeavesTheLine) {
    come('a');
    come('b', 500ms);
    come('c');
    clock.advance(500ms);
    EXPECT_EQ(order, "aB");
    clock.advance(500ms);
    EXPECT_EQ(order, "aBc");
}

TEST_F(CardTurnsTest, ATurnThatComesAtTheDeadlineIsNotLost) {
    come('a');
    come('b', 1s);
    come('c');
    clock.advance(10s);
    EXPECT_EQ(order.size(), 3u);
    EXPECT_EQ(order.back(), 'c');
    EXPECT_FALSE(turns->is_taken(Secret("1")));
}

TEST_F(CardTurnsTest, TheLineHasAnEnd) {
    for (int i = 0; i < 100; ++i)
        come('a');
    clock.settle();
    EXPECT_EQ(order, "a" + std::string(35, 'A')) << "one has the turn, 64 wait";
}

TEST_F(CardTurnsTest, NobodyWaitsOnceWaitsHaveEnded) {
    come('a');
    come('b');
    clock.settle();
    turns->end_waits();
    come('c');
    clock.settle();
    EXPECT_EQ(order, "aBC");
    EXPECT_FALSE(turns->take(Secret("1")));
}

TEST_F(CardTurnsTest, ATurnOutlivesTheTurns) {
    auto turn = turns->take(Secret("1"));
    come('b');
    clock.settle();
    turns.reset();
    turn.reset();
    clock.settle();
    EXPECT_EQ(order, "b");
}

}  // namespace
}  // namespace gateway::test
