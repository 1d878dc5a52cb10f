// Tests what becomes of a key that another gateway takes at the same time. journal_keys_conformance.hpp tests the rest.
#include "journal/keys.hpp"

#include "unit/journal/scripted_transaction.hpp"
#include "unit/support/seeded_random.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

class KeysTest : public Test {
  protected:
    // Says in words what the cancelling of a key comes to.
    std::string cancelled() {
        const auto state = rig.run([](Tx& tx) { return keys::cancel(tx, "caixa-01", "k1"); });
        if (state.has_error()) return state.error().message();
        return (state->cancelled ? "cancelled " : "") + (state->sale ? state->sale->str() : "");
    }

    ScriptedRig rig;
    SeededRandom random;
    const std::string id = SaleId::make(rig.clock.wall(), random).str();
};

TEST_F(KeysTest, AKeyIsCancelledOnce) {
    rig.script.changes("cancel_key", 1);
    EXPECT_EQ(cancelled(), "cancelled ");
    EXPECT_THAT(rig.script.did, ElementsAre("key_of_sale", "cancelled_key", "cancel_key"));
    rig.script.did.clear();
    rig.script.answer("cancelled_key", {{std::int64_t{1}}});
    EXPECT_EQ(cancelled(), "cancelled ");
    EXPECT_THAT(rig.script.did, ElementsAre("key_of_sale", "cancelled_key"));
}

TEST_F(KeysTest, AKeyThatAnotherGatewayHasTakenMeanwhileIsThatOnes) {
    rig.script.answer("key_of_sale", {});
    rig.script.answer("key_of_sale", {{id, std::int64_t{1}}});
    EXPECT_EQ(cancelled(), id);
}

TEST_F(KeysTest, AKeyThatAnotherGatewayHasCancelledMeanwhileIsCancelled) {
    rig.script.answer("cancelled_key", {});
    rig.script.answer("cancelled_key", {{std::int64_t{1}}});
    EXPECT_EQ(cancelled(), "cancelled ");
}

TEST_F(KeysTest, AKeyThatIsTakenByNothingThatIsThereIsNotCancelled) {
    EXPECT_EQ(cancelled(), boost::system::error_code(errc::sale_unreadable).message());
}

TEST_F(KeysTest, APrefixThatIsKnownIsNotNotedAgain) {
    const auto note = [&](std::string_view prefix) {
        rig.script.did.clear();
        return rig.run([&](Tx& tx) { return keys::note_prefix(tx.transaction(), prefix, tx.at.wall); });
    };
    ASSERT_TRUE(note("A"));
    EXPECT_THAT(rig.script.did, ElementsAre("knows_prefix", "note_prefix"));
    rig.script.answer("knows_prefix", {{std::int64_t{1}}});
    ASSERT_TRUE(note("A"));
    EXPECT_THAT(rig.script.did, ElementsAre("knows_prefix"));
    ASSERT_TRUE(note(""));
    EXPECT_THAT(rig.script.did, IsEmpty());
}

}  // namespace
}  // namespace gateway::test
