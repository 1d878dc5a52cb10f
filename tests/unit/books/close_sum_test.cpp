#include "books/close_sum.hpp"

#include "unit/support/seeded_random.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

DaySale sale(Random& random, Cents valor, Status status = Status::EFETIVADA) {
    DaySale made{.id = SaleId::make(WallTime(std::chrono::seconds(1)), random), .terminal = "caixa-01"};
    made.valor = valor;
    made.status = status;
    made.day = *parse_day("2026-11-20");
    made.id_externo = "E";
    return made;
}

TEST(CloseSum, CountsByFamilyAndByTerminal) {
    SeededRandom random;
    CloseSum sum("");
    DayPage page;
    page.sales = {sale(random, Cents{100}), sale(random, Cents{7}, Status::CANCELADA), sale(random, Cents{5})};
    page.sales[2].family = Family::transit;
    page.sales[2].terminal = "caixa \"2\"";
    page.unreadable = 1;
    sum.add(page);
    const auto kept = boost::json::parse(sum.json({}));
    EXPECT_EQ(boost::json::serialize(kept.at("total")),
              R"({"sold":{"count":2,"valor":105},"cancelled":{"count":1,"valor":7},"refused":{"count":0,"valor":0}})");
    EXPECT_EQ(kept.at("families").at("tv").at("sold").at("valor").as_int64(), 100);
    EXPECT_EQ(kept.at("terminals").at("caixa \"2\"").at("sold").at("count").as_int64(), 1);
    EXPECT_EQ(kept.at("unreadable").as_int64(), 1);
    EXPECT_EQ(sum.sold(), Cents{105});
    EXPECT_EQ(sum.first(), page.sales[0].id);
    EXPECT_EQ(sum.last(), page.sales[2].id);
}

TEST(CloseSum, NamesLateSalesUpToALimitAndCountsAll) {
    SeededRandom random;
    CloseSum sum(std::string(64, 'a'));
    DayPage page;
    for (std::size_t i = 0; i < CloseSum::max_late_named + 1; ++i) {
        page.sales.push_back(sale(random, Cents{1}));
        page.sales.back().late = true;
    }
    sum.add(page);
    const auto kept = boost::json::parse(sum.json({}));
    EXPECT_EQ(kept.at("late").as_int64(), 101);
    EXPECT_EQ(kept.at("lateSales").as_array().size(), 100u);
    EXPECT_EQ(kept.at("previous").as_string(), std::string(64, 'a'));
    EXPECT_EQ(sum.first(), std::nullopt);
}

TEST(CloseSum, ItsDigestIsOverAllSalesAndTheCloseBefore) {
    SeededRandom random;
    const auto one = sale(random, Cents{100});
    CloseSum sum("before");
    DayPage page;
    page.sales = {one};
    sum.add(page);
    CloseDigest expected("before");
    expected.add(one.id, one.valor, one.status);
    EXPECT_EQ(sum.digest(), expected.finish());
}

}  // namespace
}  // namespace gateway::test
