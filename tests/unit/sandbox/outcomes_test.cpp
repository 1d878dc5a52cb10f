#include "sandbox/outcomes.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::sandbox {
namespace {

TEST(Outcomes, EveryBehaviourStandsAtItsPlaceAndItsWordIsReadBack) {
    for (const auto& row : behaviours()) {
        EXPECT_EQ(parse_behaviour(row.word), row.behaviour);
        EXPECT_EQ(&facts(row.behaviour), &row);
        EXPECT_FALSE(row.at.empty()) << row.word;
        const bool about_status = row.reply == ReplyKind::error || row.reply == ReplyKind::given;
        EXPECT_FALSE(about_status && makes_sense(row.behaviour, Step::callback)) << "its sender refuses none";
    }
    EXPECT_FALSE(parse_behaviour("explode"));
}

TEST(Outcomes, EveryRowMakesSenseAndIsAloneAboutItsStepOfItsCents) {
    std::set<std::pair<int, Step>> seen;
    for (const auto& script : callback_scripts())
        EXPECT_TRUE(seen.emplace(script.cents, Step::solicitar).second) << script.cents;
    for (const auto& row : outcomes()) {
        EXPECT_TRUE(makes_sense(row.behaviour, row.step)) << row.cents;
        EXPECT_TRUE(seen.emplace(row.cents, row.step).second) << row.cents;
        EXPECT_NE(outcomes_text().find(row.text), std::string::npos) << row.cents;
    }
    EXPECT_NE(outcomes_text().find("\n      cancelar   "), std::string::npos);
}

TEST(Outcomes, OnlyTheLastTwoDigitsCount) {
    EXPECT_EQ(find_outcome(1002, Step::solicitar, 1), find_outcome(2, Step::solicitar, 1));
    EXPECT_EQ(find_outcome(200, Step::solicitar, 1), nullptr);
    EXPECT_EQ(&callback_script(5000), &callback_script(5002));
}

}  // namespace
}  // namespace gateway::sandbox
