#include "probe/callback_desk.hpp"

#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(CallbackDesk, RefusesTheFirstCallbackOfASaleThreeTimesThenSays204Then200) {
    boost::asio::io_context io;
    VirtualClock clock{io};
    probe::CallbackDesk desk(clock);
    EXPECT_EQ(desk.take("unknown", false, "{}"), 404);
    desk.expect("s");
    std::vector<int> statuses;
    for (int i = 0; i < 5; ++i)
        statuses.push_back(desk.take("s", false, "first"));
    EXPECT_EQ(statuses, (std::vector<int>{503, 503, 503, 204, 200}));
    EXPECT_EQ(desk.take("s", true, "second"), 200) << "only the first is refused";
    ASSERT_EQ(desk.seen().size(), 6U);
    EXPECT_TRUE(desk.seen()[0].first);
    EXPECT_FALSE(desk.seen()[5].first);
}

TEST(CallbackDesk, ARepeatedCallbackMayHaveAnotherBodyAndThatOfTheRechargeTheSame) {
    boost::asio::io_context io;
    VirtualClock clock{io};
    probe::CallbackDesk desk(clock);
    desk.expect("s");
    EXPECT_EQ(desk.take("s", false, R"({"uuid":"T","hora":"10:00"})"), 503);
    EXPECT_EQ(desk.take("s", false, R"({"uuid":"T","hora":"10:01"})"), 503) << "the same once more";
    EXPECT_EQ(desk.take("s", true, R"({"uuid":"T","hora":"10:00"})"), 200) << "the address tells";
    EXPECT_EQ(desk.take("s", false, R"({"uuid":"T","situacaoRecarga":"SUCESSO"})"), 200) << "so does the word";
}

}  // namespace
}  // namespace gateway::test
