#include "probe/callback_receiver.hpp"

#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(CallbackReceiver, RefusesTheFirstCallbackOfASaleThreeTimesThenSays204Then200) {
    boost::asio::io_context io;
    VirtualClock clock{io};
    probe::CallbackReceiver receiver(clock);
    EXPECT_EQ(receiver.take("unknown", false, "{}"), 404);
    receiver.expect("s");
    std::vector<int> statuses;
    for (int i = 0; i < 5; ++i)
        statuses.push_back(receiver.take("s", false, "first"));
    EXPECT_EQ(statuses, (std::vector<int>{503, 503, 503, 204, 200}));
    EXPECT_EQ(receiver.take("s", true, "second"), 200) << "only the first is refused";
    ASSERT_EQ(receiver.seen().size(), 6U);
    EXPECT_TRUE(receiver.seen()[0].first);
    EXPECT_FALSE(receiver.seen()[5].first);
}

TEST(CallbackReceiver, ARepeatedCallbackMayHaveAnotherBodyAndThatOfTheRechargeTheSame) {
    boost::asio::io_context io;
    VirtualClock clock{io};
    probe::CallbackReceiver receiver(clock);
    receiver.expect("s");
    EXPECT_EQ(receiver.take("s", false, R"({"uuid":"T","hora":"10:00"})"), 503);
    EXPECT_EQ(receiver.take("s", false, R"({"uuid":"T","hora":"10:01"})"), 503) << "the same once more";
    EXPECT_EQ(receiver.take("s", true, R"({"uuid":"T","hora":"10:00"})"), 200) << "the address tells";
    EXPECT_EQ(receiver.take("s", false, R"({"uuid":"T","situacaoRecarga":"SUCESSO"})"), 200) << "so does the word";
}

}  // namespace
}  // namespace gateway::test
