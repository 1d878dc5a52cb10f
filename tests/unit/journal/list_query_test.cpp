#include "journal/list_query.hpp"

#include "unit/journal/written_row.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(ListQuery, NamesAPartialIndexWithItsConditionWhereAFilterImpliesIt) {
    const auto open = list_query({.status = Status::AUTORIZADA});
    EXPECT_NE(open.sql.find("INDEXED BY sales_open WHERE TRUE AND settled = 0"), std::string::npos) << open.sql;
    EXPECT_EQ(open.parameters, (std::vector<std::string>{"AUTORIZADA"}));
}

TEST(ListQuery, TakesTheIndexThatLeavesTheFewestRows) {
    const std::vector<std::pair<SaleFilter, std::string>> indexes{
        {{}, "by_id"},
        {{.estabelecimento = "e", .key = "k", .id_externo = "i", .attention = true}, "by_id"},
        {{.estabelecimento = "e", .key = "k", .attention = true}, "by_key"},
        {{.estabelecimento = "e", .status = Status::PENDENTE, .attention = true}, "attention"},
        {{.status = Status::PENDENTE, .attention = false}, "open"},
        {{.status = Status::CANCELADA}, "not_sold"},
        {{.status = Status::NEGADA}, "not_sold"},
        {{.status = Status::EFETIVADA}, "by_id"},
        {{.estabelecimento = "e", .status = Status::EFETIVADA}, "by_estabelecimento"},
    };
    for (const auto& [filter, index] : indexes) {
        const auto sql = list_query(filter).sql;
        EXPECT_NE(sql.find(" INDEXED BY sales_" + index + " WHERE "), std::string::npos) << index << ": " << sql;
    }
}

TEST(ListQuery, WhoMaySeeNoFamilySeesTheTerminalsOwnSales) {
    const auto query = list_query({.among = SaleFilter::Among{.families = {}, .or_terminal = "t"}});
    EXPECT_NE(query.sql.find("(FALSE OR terminal = ?1)"), std::string::npos) << query.sql;
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

TEST(ListPage, EndsWhereItIsFullOrWhereEnoughRowsWereLookedAt) {
    const std::string id = "01JD3W4Q8Y0000000000000001";
    FieldCipher cipher;
    rows::FieldReader fields(cipher);
    const auto row = [&](bool shown) {
        WrittenRow made;
        made.columns = {{0, std::int64_t{7}}, {1, id}, {2, std::int64_t{shown}}};
        return made;
    };
    const SaleFilter one_sale{.limit = 1};
    ListPageMaker full(one_sale, fields);
    EXPECT_TRUE(full.take(row(true)));
    EXPECT_TRUE(full.take(row(false))) << "it takes no room";
    EXPECT_FALSE(full.page().next);
    EXPECT_FALSE(full.take(row(true)));
    EXPECT_EQ(full.page().sales.size(), 1u);
    EXPECT_EQ(full.page().next->str(), id);
    ListPageMaker empty(one_sale, fields);
    for (std::size_t i = 0; i < rows_per_page; ++i)
        EXPECT_TRUE(empty.take(row(false))) << i;
    EXPECT_FALSE(empty.take(row(false)));
    EXPECT_TRUE(empty.page().next && empty.page().sales.empty());
}

}  // namespace
}  // namespace gateway::test
