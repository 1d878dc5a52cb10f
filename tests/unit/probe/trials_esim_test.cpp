#include "probe/trials.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using probe::CallbackHistory;
using probe::CallbackSeen;
using probe::Found;

CallbackSeen at(Duration when, bool first = true, bool recharge = false) {
    return {.secret = "s",
            .recharge = recharge,
            .body = first ? R"({"uuid":"T-1"})" : R"({"uuid":"T-1","situacaoRecarga":"SUCESSO"})",
            .at = Instant(when),
            .answered = 503,
            .first = first};
}

std::string value_of(const Found& found, std::string_view point) {
    for (const auto& reading : found.readings())
        if (reading.point == point) return reading.answered ? reading.value : "?";
    return "none";
}

Found read(std::vector<CallbackSeen> seen, bool whole = true) {
    Found found(std::nullopt);
    probe::read_callbacks({.seen = std::move(seen), .id_externo = "X", .id_transacao = "T-1", .whole = whole}, found);
    return found;
}

TEST(TrialsEsim, ReadsHowCallbacksAreRepeated) {
    const auto found = read({at(1s), at(2s), at(4s), at(8s), at(16s), at(17s, false, true)});
    EXPECT_EQ(value_of(found, "esim-uuid"), "id-transacao");
    EXPECT_EQ(value_of(found, "callback-retry"), "1s");
    EXPECT_EQ(value_of(found, "callback-repeat"), "doubling");
    EXPECT_EQ(value_of(found, "callback-tries"), "over-3");
    EXPECT_EQ(value_of(found, "callback-until"), "200");
    EXPECT_EQ(value_of(found, "recharge-callback"), "own-address");
}

TEST(TrialsEsim, A204MayEndTheTries) {
    const auto found = read({at(1s), at(11s), at(21s), at(31s), at(32s, false)});
    EXPECT_EQ(value_of(found, "callback-until"), "2xx");
    EXPECT_EQ(value_of(found, "callback-repeat"), "fixed");
    EXPECT_EQ(value_of(found, "recharge-callback"), "same-address");
}

TEST(TrialsEsim, SaysWhenTheProviderGaveUp) {
    const auto found = read({at(1s)});
    EXPECT_EQ(value_of(found, "callback-tries"), "1");
    EXPECT_EQ(value_of(found, "callback-retry"), "?");
    EXPECT_EQ(value_of(found, "recharge-callback"), "none");
}

TEST(TrialsEsim, ConcludesNothingFromASilenceThatWasNotWaitedFor) {
    const auto found = read({at(1s), at(2s)}, false);
    EXPECT_EQ(value_of(found, "callback-tries"), "?");
    EXPECT_EQ(value_of(found, "recharge-callback"), "?");
}

TEST(TrialsEsim, IsOverOnceBothCallbacksWereTaken) {
    auto first = at(8s);
    auto second = at(9s, false);
    second.answered = 200;
    EXPECT_FALSE(probe::are_all_taken({first, second})) << "the first was refused";
    first.answered = 204;
    EXPECT_FALSE(probe::are_all_taken({first, second})) << "a 204 takes nothing for sure";
    first.answered = 200;
    EXPECT_FALSE(probe::are_all_taken({first}));
    EXPECT_TRUE(probe::are_all_taken({second, first}));
}

TEST(TrialsEsim, AWaitThatMayBeAMostIsNotCalledFixed) {
    const auto found = read({at(0s), at(60s), at(120s)});
    EXPECT_EQ(value_of(found, "callback-repeat"), "?");
}

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
