#include "probe/trials.hpp"
#include "unit/probe/rig.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

TEST(TrialsConnections, TellsTheEndOfAnIdleConnectionFromThatOfItsRequests) {
    struct Case {
        std::uint64_t requests;  // the most that a connection carries
        Duration idle;           // after which it is closed
        std::string_view answer;
    };
    constexpr std::uint64_t any = 1'000'000;
    for (const auto& [requests, idle, answer] :
         {Case{any, 1h, "over-20s"}, Case{any, 1s, "under-2s"}, Case{any, 5s, "2s-6s"}, Case{any, 10s, "6s-20s"},
          Case{1, 1h, "?"}, Case{2, 1h, "over-20s"}, Case{3, 1h, "over-20s"}, Case{2, 5s, "2s-6s"},
          Case{10, 1h, "over-20s"}, Case{10, 1s, "under-2s"}, Case{2, 1s, "under-2s"}}) {
        SCOPED_TRACE(fmt::format("{} requests, idle for {} ms", requests, idle.count()));
        ProbeRig rig;
        auto& run = rig.runs.emplace_back(rig);
        run.setting.questions.emplace(Family::tv, OptionsQuestion{.family = Family::tv});
        std::uint64_t opened = 0;
        std::uint64_t carried = 0;
        Instant last{};
        rig.provider->before = [&, requests = requests, idle = idle](const http::ClientRequest&) {
            if (opened == 0 || carried == requests || rig.clock.now() - last > idle) {
                ++opened;
                carried = 0;
            }
            ++carried;
            last = rig.clock.now();
            return std::nullopt;
        };
        run.setting.opened = [&] { return opened; };
        probe::Found found(std::nullopt);
        found.read({"keep-alive-requests", "keep-alive-idle"},
                   [&] { probe::keep_connections(run.setting, found, Family{}); });
        const auto said = std::ranges::find(found.readings(), "keep-alive-idle", &probe::Reading::point);
        ASSERT_NE(said, found.readings().end());
        EXPECT_EQ(said->answered ? said->value : "?", answer);
    }
}

TEST(TrialsConnections, SaysThatAProxyStoodBetween) {
    ProbeRig rig;
    auto& run = rig.runs.emplace_back(rig);
    probe::Found found(std::nullopt);
    probe::look_at_peers(run.setting, found, Family{});
    ASSERT_EQ(found.facts().size(), 1U);
    EXPECT_THAT(found.facts()[0].text, HasSubstr("proxy"));
}

}  // namespace
}  // namespace gateway::test
