#include "probe/peer_look.hpp"

#include "unit/probe/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;

TEST(PeerLook, FindsAFieldInAnyLetterCase) {
    for (const auto* name : {"Date", "date", "DATE"})
        EXPECT_EQ(probe::field_in_head("HTTP/1.1 200 OK\r\nUpdate: no\r\n" + std::string(name) +
                                           ":  Sun, 06 Nov 1994 08:49:37 GMT \r\nx: y\r\n\r\n",
                                       "Date"),
                  "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(probe::field_in_head("HTTP/1.1 200 OK\r\nUpdate: no\r\n\r\n", "Date"), "");
}

boost::asio::awaitable<probe::Found> found_by(const probe::Trial& trial, probe::Setting& setting) {
    probe::Found found(std::nullopt);
    auto running = trial.run(setting, found);
    co_await std::move(running);
    co_return found;
}

TEST(PeerLook, SaysThatAProxyStoodBetween) {
    ProbeRig rig;
    auto& run = rig.runs.emplace_back(rig);
    const auto trial = probe::no_peer_trial();
    const auto found = rig.clock.run(found_by(trial, run.setting));
    ASSERT_EQ(found.facts().size(), 1U);
    EXPECT_THAT(found.facts()[0].text, HasSubstr("proxy"));
}

}  // namespace
}  // namespace gateway::test
