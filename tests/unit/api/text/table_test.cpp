#include "api/text/table.hpp"

#include "unit/api/text/rig.hpp"

namespace gateway::test {
namespace {

std::vector<text::Column> sales() {
    return {{.head = "id", .cells = {"01A", "01B"}},
            {.head = "family", .leaves = 1, .cells = {"tv", "egift"}},
            {.head = "produto", .least = 4, .leaves = 2, .cells = {"TV Mensal", "日本語の本"}},
            {.head = "amount", .right = true, .cells = {"R$ 9,90", "R$ 1.049,90"}},
            {.head = "mark", .cells = {"", ""}}};
}

std::string in(std::size_t columns) {
    return text::table(page_of(columns), sales());
}

TEST(Table, ColumnsStandUnderEachOtherWhateverIsInThem) {
    EXPECT_EQ(in(100),
              "id   family  produto          amount\n"
              "01A  tv      TV Mensal       R$ 9,90\n"
              "01B  egift   日本語の本  R$ 1.049,90\n");
}

TEST(Table, WhatMayBeCutIsCutFirst) {
    EXPECT_EQ(in(34),
              "id   family  produto        amount\n"
              "01A  tv      TV Mens…      R$ 9,90\n"
              "01B  egift   日本語…   R$ 1.049,90\n");
}

TEST(Table, TheColumnsThatSayTheLeastAreLeftOutNext) {
    EXPECT_EQ(in(24),
              "id   produ…       amount\n"
              "01A  TV Me…      R$ 9,90\n"
              "01B  日本…   R$ 1.049,90\n");
    EXPECT_EQ(in(20),
              "id        amount\n"
              "01A      R$ 9,90\n"
              "01B  R$ 1.049,90\n");
}

TEST(Table, WhatMustStayStaysEvenWhereThereIsNoRoom) {
    EXPECT_EQ(in(10), in(20));
}

TEST(Table, NothingIsNoTable) {
    EXPECT_EQ(text::table(page_of(80), {{.head = "id"}}), "");
}

}  // namespace
}  // namespace gateway::test
