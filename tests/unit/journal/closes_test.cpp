// Tests what a close and a late sale hold, so that of several gateways none closes a day while another one gives a sale
// to it. journal_closes_conformance.hpp tests the rest.
#include "journal/closes.hpp"

#include "unit/journal/scripted_transaction.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

const Day monday = parse_day("2026-11-23").value();

TEST(Closes, ADayIsClosedByOneAtATime) {
    ScriptedRig rig;
    rig.script.answer("close_series", {{std::int64_t{3}}});
    rig.script.answer("numbers_of_closes", {{std::int64_t{0}, std::int64_t{0}}});
    const CloseKey key{.estabelecimento = "1", .day = monday};
    const auto close = rig.run([&](Tx& tx) { return closes::begin(tx, key, tx.at.wall, ""); });
    EXPECT_EQ(close->series, 3);
    EXPECT_EQ(close->number, 1);
    EXPECT_EQ(rig.script.did.front(), "hold day 1");
    EXPECT_EQ(rig.script.did.back(), "insert_close");
}

TEST(Closes, SalesThatGetTheirDayWaitForACloseAndNotForEachOther) {
    ScriptedRig rig;
    ASSERT_TRUE(rig.run([](Tx& tx) { return closes::late_day(tx, "1", monday); }).has_value());
    EXPECT_EQ(rig.script.did.front(), "hold with others day 1");
}

}  // namespace
}  // namespace gateway::test
