#include "sandbox/behaviour.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::sandbox {
namespace {

TEST(Behaviours, EveryWordIsReadBackAsItsBehaviour) {
    std::set<std::string_view> words;
    for (const auto& row : behaviours()) {
        EXPECT_TRUE(words.insert(row.word).second) << row.word;
        EXPECT_EQ(parse_behaviour(row.word), row.behaviour);
        EXPECT_EQ(&facts(row.behaviour), &row);
        EXPECT_FALSE(row.at.empty()) << row.word;
    }
    EXPECT_FALSE(parse_behaviour("explode"));
}

TEST(Behaviours, WhatBendsASaleRequestsAnswerMakesNoSenseElsewhere) {
    for (const auto one : {Behaviour::wrong_amount, Behaviour::wrong_id, Behaviour::no_id, Behaviour::negada}) {
        EXPECT_TRUE(makes_sense(one, Step::solicitar));
        for (const auto step : {Step::confirmar, Step::cancelar, Step::consulta, Step::token, Step::callback})
            EXPECT_FALSE(makes_sense(one, step)) << facts(one).word << " at " << to_string(step);
    }
}

TEST(Behaviours, ACallbackCannotBeRefusedByItsSender) {
    for (const auto& row : behaviours()) {
        const bool about_status = row.reply == ReplyKind::error || row.reply == ReplyKind::given;
        EXPECT_FALSE(about_status && makes_sense(row.behaviour, Step::callback)) << row.word;
    }
}

}  // namespace
}  // namespace gateway::sandbox
