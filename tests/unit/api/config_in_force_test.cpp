#include "api/config_in_force.hpp"

#include "base/wall_time.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class ConfigInForceTest : public testing::Test {
  protected:
    std::vector<std::string> concerns() const {
        std::vector<std::string> all;
        for (const auto& concern : in_force.concerns())
            all.push_back(std::string(concern.what) + " " + std::string(concern.kind) + ": " + concern.sentence);
        return all;
    }
    std::string exposed() const {
        Exposition out;
        in_force.expose(out);
        return out.take();
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    const WallTime began = clock.wall();
    ConfigInForce in_force{{{.key = "listen.admin", .line = 3, .message = "is odd"}}, clock};
};

TEST_F(ConfigInForceTest, TheStartIsAReloadThatWasSuccessful) {
    EXPECT_THAT(concerns(), IsEmpty());
    EXPECT_EQ(in_force.reloaded_at(), began);
    ASSERT_EQ(in_force.warnings().size(), 1U);
    EXPECT_EQ(in_force.warnings()[0].key, "listen.admin");
    EXPECT_THAT(exposed(), HasSubstr("gateway_config_reload_successful 1\n"));
}

TEST_F(ConfigInForceTest, AReloadThatFailedIsOfConcernUntilOneIsSuccessful) {
    clock.advance(1min);
    in_force.end_reload("was refused");
    EXPECT_THAT(concerns(),
                ElementsAre("reload failed: the last reload, at " + to_local_text(began + 1min) + ", was refused"));
    EXPECT_EQ(in_force.reloaded_at(), began);
    EXPECT_EQ(in_force.warnings().size(), 1U) << "what is in force is what was";
    EXPECT_THAT(exposed(), HasSubstr("gateway_config_reload_successful 0\n"));
    clock.advance(1min);
    in_force.take({}, {});
    in_force.end_reload("");
    EXPECT_THAT(concerns(), IsEmpty());
    EXPECT_EQ(in_force.reloaded_at(), began + 2min);
    EXPECT_THAT(in_force.warnings(), IsEmpty());
    EXPECT_THAT(exposed(), HasSubstr("gateway_config_reload_successful 1\n"));
}

TEST_F(ConfigInForceTest, KeysThatWaitForARestartAreOfConcernUntilTheFileHasTheOldValuesAgain) {
    in_force.take({}, {"limits.hold", "log.format"});
    in_force.end_reload("");
    EXPECT_THAT(concerns(), ElementsAre(AllOf(StartsWith("restart awaited: "),
                                              EndsWith("wait for a restart: limits.hold, log.format"))));
    in_force.end_reload("was refused");
    EXPECT_EQ(concerns().size(), 2U) << "they go on waiting";
    in_force.take({}, {});
    in_force.end_reload("");
    EXPECT_THAT(concerns(), IsEmpty());
}

}  // namespace
}  // namespace gateway::test
