#include "probe/probe.hpp"

#include "unit/probe/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;
using probe::Ending;

TEST(Probe, AuthoriseFindsOutAboutTheSandboxAsItIs) {
    ProbeRig rig;
    rig.wishes.level = probe::Level::authorise;
    EXPECT_EQ(rig.run(), Ending::done);
    for (const auto& line : rig.said)
        std::cerr << line << '\n';
    EXPECT_THAT(rig.open_at_provider(), IsEmpty());
    EXPECT_THAT(rig.ledger().open_sales(), IsEmpty());
    EXPECT_EQ(rig.book().value("cancel-unknown", Family::tv), "404");
}

}  // namespace
}  // namespace gateway::test
