// Tests what one step of a rotation asks and writes. key_rotation_test.cpp tests what all of them come to.
#include "journal/key_rotation.hpp"
#include "unit/journal/scripted_transaction.hpp"
#include "unit/support/seeded_random.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

class KeyRotationSteps : public Test {
  protected:
    KeyRotationSteps() { rig.cipher = FieldCipher({Secret(std::string(FieldCipher::key_size, 'a'))}, random); }

    KeyRotationState step() {
        return rig.run([](Tx& tx) { return key_rotation::rotate_some(tx, encrypted::tables); }).value();
    }
    void until(const std::string& last) { rig.script.answer("rotated_until", {{last}}); }
    // Returns the text of the statement that changes sales; nothing where none does.
    std::string update_of_sales() const {
        for (const auto& text : rig.script.did)
            if (text.starts_with("UPDATE sales ")) return text;
        return {};
    }

    SeededRandom random;
    ScriptedRig rig;
};

TEST_F(KeyRotationSteps, WhereThereIsNothingToRotateNothingIsAsked) {
    EXPECT_EQ(step(), KeyRotationState::nothing_to_do) << "the journal knows no key";
    until("~");
    EXPECT_EQ(step(), KeyRotationState::nothing_to_do) << "it is done";
    rig.cipher = FieldCipher();
    until("");
    EXPECT_EQ(step(), KeyRotationState::nothing_to_do) << "there is no key";
    EXPECT_THAT(rig.script.did, Each("rotated_until"));
}

TEST_F(KeyRotationSteps, OneStepIsAHundredSalesWithWhatBelongsToThem) {
    until("s");
    std::vector<ScriptedTransaction::Cells> ids;
    for (int i = 0; i < 100; ++i)
        ids.push_back({fmt::format("s{:03}", i)});
    rig.script.answer("next_to_rotate", ids);
    EXPECT_EQ(step(), KeyRotationState::in_progress);
    EXPECT_THAT(rig.script.values["next_to_rotate"], ElementsAre("s", "100"));
    EXPECT_THAT(rig.script.values["set_rotated_until"], ElementsAre("s099"));
    EXPECT_THAT(rig.script.did,
                ElementsAre("rotated_until", "next_to_rotate", HasSubstr("FROM sales WHERE id > ?1 AND id <= ?2"),
                            HasSubstr("FROM callbacks WHERE sale > ?1 AND sale <= ?2"),
                            HasSubstr("FROM notes WHERE sale > ?1 AND sale <= ?2"), "set_rotated_until"));
}

TEST_F(KeyRotationSteps, TheLastStepHasWhatBelongsToNoSale) {
    until("s");
    rig.script.answer("next_to_rotate", {{"s1"}});
    EXPECT_EQ(step(), KeyRotationState::finished);
    EXPECT_THAT(rig.script.values["set_rotated_until"], ElementsAre("~"));
    for (const auto* table : {"findings", "token", "duplicate_key"})
        EXPECT_THAT(rig.script.did, Contains(HasSubstr(fmt::format("FROM {} WHERE", table))));
    EXPECT_EQ(rig.script.did.back(), "finish_rotation");
}

TEST_F(KeyRotationSteps, ARowWhoseValuesAreCurrentIsNotWritten) {
    until("");
    const std::string none;
    rig.script.answer("composed", {{std::int64_t{1}, "s1", none, none, std::nullopt, none, none, none, none, none}});
    EXPECT_EQ(step(), KeyRotationState::finished);
    EXPECT_EQ(update_of_sales(), "");
    EXPECT_EQ(rig.unreadable_counts.met, 0u);
}

TEST_F(KeyRotationSteps, WhatIsNothingStaysNothing) {
    until("");
    const std::string none;
    rig.script.answer("composed", {{std::int64_t{7}, "s1", none, "text", std::nullopt, none, none, none, none, none}});
    EXPECT_EQ(step(), KeyRotationState::finished);
    const auto written = rig.script.values.at(update_of_sales());
    ASSERT_GT(written.size(), 4u);
    EXPECT_EQ(written[0], "7");
    EXPECT_EQ(written[1], "");
    EXPECT_NE(written[2], "text");
    EXPECT_EQ(written[3], "NULL");
    EXPECT_EQ(written[4], "");
}

TEST(KeyNames, WhatCannotNameAKeyIsAskedOfNobody) {
    EXPECT_TRUE(has_key("0123456789abcde", FieldCipher()));
    EXPECT_TRUE(has_key("0123456789abcdex", FieldCipher()));
    EXPECT_FALSE(has_key("0123456789abcdef", FieldCipher()));
}

}  // namespace
}  // namespace gateway::test
