#include "journal/list_query.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(ListQuery, NamesAPartialIndexWithItsConditionWhereAFilterImpliesIt) {
    const auto open = list_query({.status = Status::AUTORIZADA});
    EXPECT_NE(open.sql.find("INDEXED BY sales_open WHERE TRUE AND settled = 0"), std::string::npos) << open.sql;
    EXPECT_EQ(open.parameters, (std::vector<std::string>{"AUTORIZADA"}));
}

TEST(ListQuery, WhatNoIndexServesIsAskedOfEachSaleAndEndsNoWalkLater) {
    const auto query = list_query({.estabelecimento = "e",
                                   .terminal = "t",
                                   .among = SaleFilter::Among{.families = {Family::esim}, .or_terminal = "t"},
                                   .status = Status::EFETIVADA});
    const auto walk = query.sql.substr(query.sql.find(" WHERE "));
    EXPECT_EQ(walk, fmt::format(" WHERE TRUE AND estabelecimento = ?1 ORDER BY id DESC LIMIT {}", rows_per_page + 1));
    EXPECT_EQ(query.parameters, (std::vector<std::string>{"e", "t", "t", "EFETIVADA"}));
}

TEST(ListQuery, LooksAtNoMoreThanItShowsWhereAnIndexServesAll) {
    EXPECT_TRUE(list_query({.estabelecimento = "e", .limit = 20}).sql.ends_with(" LIMIT 21"));
    EXPECT_TRUE(list_query({.estabelecimento = "e", .terminal = "t", .limit = 20}).sql.ends_with(" LIMIT 1001"));
    EXPECT_TRUE(list_query({.cashier = "c", .limit = 20}).sql.ends_with(" LIMIT 1001"));
}

TEST(ListQuery, BindsEveryValueAndWritesNoneIntoTheSql) {
    const auto query = list_query({.estabelecimento = "e'", .terminal = "t'", .key = "k'", .id_externo = "i'"});
    EXPECT_EQ(query.sql.find('\''), std::string::npos);
    EXPECT_EQ(query.parameters.size(), 4u);
    const auto more = list_query({.id_transacao = "T\"'", .family = Family::tv, .cashier = "c'", .valor = Cents{1}});
    EXPECT_EQ(more.sql.find('\''), std::string::npos);
    EXPECT_EQ(more.parameters, (std::vector<std::string>{R"("idTransacao":"T\"'")", "tv", "1"}));
}

}  // namespace
}  // namespace gateway::test
