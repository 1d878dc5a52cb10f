#include "books/close_cashiers.hpp"

#include "unit/books/rig.hpp"

namespace gateway::test {
namespace {

TEST(CloseCashiers, EveryoneHasWhatIsInTheCloseAndLateSalesAreInTheLaterOne) {
    BooksRig rig;
    rig.sold("2024-05-01");
    rig.sold("2024-05-01", Cents{700});
    rig.sold("2024-05-01", Cents{900}, "87654321");
    rig.close("2024-05-01");
    rig.sold("2024-05-01", Cents{100});  // it is late
    rig.close("2024-05-02");
    const auto sold = [&](std::string_view day) {
        const CloseKey key{.estabelecimento = "12345678", .day = rig.day(day)};
        const auto cashiers = rig.clock->run(sum_by_cashier(key, *rig.journal)).value();
        EXPECT_EQ(cashiers.groups().size(), 1u);
        return cashiers.groups().at({"Rita"}).sold;
    };
    EXPECT_EQ(sold("2024-05-01"), (CountAndTotal{.count = 2, .total = Cents{3200}}));
    EXPECT_EQ(sold("2024-05-02"), (CountAndTotal{.count = 1, .total = Cents{100}}));
}

}  // namespace
}  // namespace gateway::test
