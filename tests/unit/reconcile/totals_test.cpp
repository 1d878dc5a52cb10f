#include "reconcile/totals.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gateway::test {
namespace {

CountedSale counted(std::int64_t cents, Status status, bool held = false) {
    return {.family = Family::tv,
            .terminal = "caixa-01",
            .cashier = "maria",
            .estabelecimento = "12345678",
            .produto = "TV",
            .valor = Cents{cents},
            .status = status,
            .held = held};
}

CountAndTotal sum(std::int64_t count, std::int64_t cents) {
    return {.count = count, .total = Cents{cents}};
}

TEST(Totals, SaleCountsOnceByWhatBecameOfIt) {
    Totals totals;
    totals.add(counted(1000, Status::EFETIVADA));
    totals.add(counted(500, Status::EFETIVADA));
    totals.add(counted(30, Status::CANCELADA));
    totals.add(counted(4, Status::NEGADA));
    totals.add(counted(2, Status::PENDENTE));
    totals.add(counted(3, Status::AUTORIZADA));
    totals.add(counted(7, Status::AUTORIZADA, true));
    EXPECT_EQ(totals, (Totals{.sold = sum(2, 1500),
                              .cancelled = sum(1, 30),
                              .refused = sum(1, 4),
                              .open = sum(2, 5),
                              .held = sum(1, 7)}));
}

TEST(Totals, SaleThatIsFinalIsNotHeld) {
    Totals totals;
    totals.add(counted(1000, Status::EFETIVADA, true));
    EXPECT_EQ(totals.sold, sum(1, 1000));
}

TEST(Totals, SumThatDoesNotFitIsNone) {
    Totals totals;
    totals.add(counted(std::numeric_limits<std::int64_t>::max(), Status::EFETIVADA));
    EXPECT_TRUE(totals.sold.total);
    totals.add(counted(1, Status::EFETIVADA));
    totals.add(counted(1, Status::EFETIVADA));
    EXPECT_EQ(totals.sold, (CountAndTotal{.count = 3, .total = std::nullopt}));
}

TEST(Totals, GroupsAreOfSalesThatAreEqualInAllThatIsAskedFor) {
    GroupedTotals grouped({TotalsBy::family, TotalsBy::cashier});
    grouped.add(counted(1000, Status::EFETIVADA));
    auto other = counted(200, Status::EFETIVADA);
    other.terminal = "caixa-02";
    grouped.add(other);
    other.cashier = "";
    grouped.add(other);
    other.family = Family::egift;
    grouped.add(other);
    EXPECT_EQ(grouped.total().sold, sum(4, 1600));
    std::string all;
    for (const auto& [values, totals] : grouped.groups())
        all += values.at(0) + "/" + values.at(1) + ":" + std::to_string(totals.sold.count) + " ";
    EXPECT_EQ(all, "egift/:1 tv/:1 tv/maria:2 ");
}

TEST(Totals, EveryFieldCanBeGroupedBy) {
    std::string all;
    for (const auto by : all_totals_by) {
        GroupedTotals grouped({by});
        grouped.add(counted(1, Status::EFETIVADA));
        all += std::string(to_string(by)) + "=" + grouped.groups().begin()->first.at(0) + " ";
        EXPECT_EQ(parse_totals_by(to_string(by)), by);
    }
    EXPECT_EQ(all, "family=tv terminal=caixa-01 cashier=maria estabelecimento=12345678 produto=TV hour=00 ");
    EXPECT_FALSE(parse_totals_by("valor"));
    GroupedTotals none({});
    none.add(counted(1, Status::EFETIVADA));
    EXPECT_TRUE(none.groups().empty());
}

TEST(Totals, TheHourIsThatOfTheStoresClock) {
    using namespace std::chrono_literals;
    const auto hours_of = [](TimeZone zone) {
        GroupedTotals grouped({TotalsBy::hour}, zone);
        for (const auto begun : {0h + 0min, 2h + 59min, 3h + 0min, 13h + 59min, 23h + 59min}) {
            auto sale = counted(1, Status::EFETIVADA);
            sale.begun_at = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + begun;
            grouped.add(sale);
        }
        std::string all;
        for (const auto& [values, totals] : grouped.groups())
            all += values.at(0) + ":" + std::to_string(totals.sold.count) + " ";
        return all;
    };
    EXPECT_EQ(hours_of({}), "00:1 02:1 03:1 13:1 23:1 ");
    const auto sao_paulo = TimeZone::find("America/Sao_Paulo");
    ASSERT_TRUE(sao_paulo);
    EXPECT_EQ(hours_of(*sao_paulo), "00:1 10:1 20:1 21:1 23:1 ");
}

TEST(Totals, ASaleThatWasBegunBeforeMidnightIsOfTheFirstHourOfItsDay) {
    using namespace std::chrono_literals;
    GroupedTotals grouped({TotalsBy::hour}, {});
    auto sale = counted(1, Status::EFETIVADA);
    sale.begun_at = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 23h + 58min;
    for (const auto day : {23U, 24U}) {
        sale.day = std::chrono::year(2026) / 11 / day;
        grouped.add(sale);
    }
    ASSERT_EQ(grouped.groups().size(), 2U);
    EXPECT_EQ(grouped.groups().begin()->first, std::vector<std::string>{"00"});
    EXPECT_EQ(grouped.groups().rbegin()->first, std::vector<std::string>{"23"});
}

TEST(Totals, MoreGroupsThanAnybodyReadsAreNone) {
    GroupedTotals grouped({TotalsBy::produto});
    for (std::size_t i = 0; i <= max_totals_groups; ++i) {
        EXPECT_FALSE(grouped.has_too_many_groups());
        const auto name = std::to_string(i);
        auto sale = counted(1, Status::EFETIVADA);
        sale.produto = name;
        grouped.add(sale);
    }
    EXPECT_TRUE(grouped.has_too_many_groups());
    grouped.add(counted(1, Status::EFETIVADA));
    EXPECT_TRUE(grouped.groups().empty());
    EXPECT_EQ(grouped.total().sold.count, static_cast<std::int64_t>(max_totals_groups) + 2);
}

}  // namespace
}  // namespace gateway::test
