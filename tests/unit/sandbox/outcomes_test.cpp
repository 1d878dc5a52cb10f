#include "sandbox/outcomes.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::sandbox {
namespace {

TEST(Outcomes, EveryRowMakesSenseAtItsStep) {
    for (const auto& row : outcomes())
        EXPECT_TRUE(makes_sense(row.behaviour, row.step)) << row.cents;
}

TEST(Outcomes, NoTwoRowsAreAboutTheSameStepOfTheSameCents) {
    std::set<std::pair<int, Step>> seen;
    for (const auto& row : outcomes())
        EXPECT_TRUE(seen.emplace(row.cents, row.step).second) << row.cents;
}

TEST(Outcomes, ACancelIsReachedThroughALostRequest) {
    for (const auto& row : outcomes()) {
        if (row.step != Step::cancelar) continue;
        const auto* request = find_outcome(row.cents, Step::solicitar, 1);
        ASSERT_NE(request, nullptr) << row.cents;
        EXPECT_EQ(request->behaviour, Behaviour::lose_answer) << row.cents;
    }
}

TEST(Outcomes, OnlyTheLastTwoDigitsCount) {
    ASSERT_NE(find_outcome(2, Step::solicitar, 1), nullptr);
    EXPECT_EQ(find_outcome(1002, Step::solicitar, 1), find_outcome(2, Step::solicitar, 1));
    EXPECT_EQ(find_outcome(200, Step::solicitar, 1), nullptr);
    EXPECT_EQ(find_outcome(99, Step::solicitar, 1), nullptr);
    EXPECT_EQ(find_outcome(1002, Step::confirmar, 1), nullptr);
}

TEST(Outcomes, ARowWithAnumberOfTimesIsOverAfterThem) {
    EXPECT_NE(find_outcome(25, Step::cancelar, 3), nullptr);
    EXPECT_EQ(find_outcome(25, Step::cancelar, 4), nullptr);
    EXPECT_NE(find_outcome(18, Step::confirmar, 1000), nullptr);
}

TEST(Outcomes, CallbackCentsAreNoRequestCents) {
    std::set<int> callback_cents;
    for (const auto& script : callback_scripts())
        EXPECT_TRUE(callback_cents.insert(script.cents).second);
    for (const auto& row : outcomes())
        EXPECT_FALSE(callback_cents.contains(row.cents)) << row.cents;
}

TEST(Outcomes, AnOrdinaryEsimSaleHasTwoCallbacks) {
    const auto& script = callback_script(5000);
    ASSERT_EQ(script.events.size(), 2U);
    EXPECT_EQ(script.events.at(0).about, CallbackEvent::About::sale);
    EXPECT_EQ(script.events.at(1).about, CallbackEvent::About::recharge);
    EXPECT_EQ(&script, &callback_script(5002));
}

TEST(Outcomes, TheHelpTextHasEveryRow) {
    const auto text = outcomes_text();
    for (const auto& row : outcomes())
        EXPECT_NE(text.find(row.text), std::string::npos) << row.cents;
    for (const auto& script : callback_scripts())
        EXPECT_TRUE(script.cents < 0 || text.find(script.text) != std::string::npos) << script.cents;
    EXPECT_NE(text.find("\n  02  solicitar  "), std::string::npos);
    EXPECT_NE(text.find("\n      cancelar   "), std::string::npos);
}

}  // namespace
}  // namespace gateway::sandbox
