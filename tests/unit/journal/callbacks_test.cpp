// Tests how the callbacks go together with the erasure, and what is counted of them. journal_conformance.hpp tests the
// rest.
#include "journal/callbacks.hpp"

#include "unit/journal/scripted_transaction.hpp"
#include "unit/journal/sqlite_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

TEST(Callbacks, ACallbackIsKeptWhileItsSaleIsHeldSoThatTheErasureComesBackToIt) {
    ScriptedRig rig;
    SeededRandom random;
    const auto id = SaleId::make(rig.clock.wall(), random);
    const Secret body("{}");
    ASSERT_TRUE(rig.run([&](Tx& tx) { return callbacks::insert(tx, id, "sale", true, body); }));
    EXPECT_THAT(rig.script.did, ElementsAre("hold_sale", "erase_written_sale_later", "insert_callback"));
}

class CallbacksTableTest : public SqliteRig {};

TEST_F(CallbacksTableTest, ABodyThatCannotBeReadIsCounted) {
    open({first_key});
    const auto made = full("k1");
    EXPECT_TRUE(ask(journal->callbacks(made.id)).at(0).body);
    EXPECT_EQ(journal->stats().unreadable, 0u);
    sql("UPDATE callbacks SET body = x'01'");
    EXPECT_FALSE(ask(journal->callbacks(made.id)).at(0).body);
    EXPECT_EQ(journal->stats().unreadable, 1u);
}

}  // namespace
}  // namespace gateway::test
