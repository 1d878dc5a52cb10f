#include "journal/rows.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(Rows, WhatThereIsNoneOfIsNull) {
    EXPECT_EQ(rows::reason_text(std::nullopt), std::nullopt);
    EXPECT_EQ(rows::facts_text(Facts{}), std::nullopt);
    EXPECT_EQ(rows::goods_text(Facts{}), std::nullopt);
    EXPECT_EQ(rows::esim_text(std::nullopt), std::nullopt);
}

TEST(Rows, GoodsAreKeptApartFromFacts) {
    Facts facts{.cnpj_cpf = "1"};
    facts.instrucao = Secret("PIN");
    EXPECT_EQ(rows::facts_text(facts)->find("PIN"), std::string::npos);
    EXPECT_NE(rows::goods_text(facts)->find("PIN"), std::string::npos);
}

TEST(Rows, TimesAreMilliseconds) {
    const WallTime at{Duration(1'714'655'472'020)};
    EXPECT_EQ(rows::milliseconds(at), 1'714'655'472'020);
    EXPECT_EQ(rows::wall_time(1'714'655'472'020), at);
}

}  // namespace
}  // namespace gateway::test
