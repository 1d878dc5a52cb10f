#include "sandbox/books.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr WallTime now{};

// The text is a view, because g++ 13 and later would take the reference that is returned for one to a temporary string.
Transaction& add(Books& books, std::string_view idExterno, Status status) {
    auto& entry = books.entry(std::string(idExterno), now);
    entry.status = status;
    entry.idTransacao = "T-" + std::string(idExterno);
    books.index(entry);
    return entry;
}

TEST(Books, ASaleIsFoundByEitherOfItsNames) {
    Books books(10);
    const auto& sale = add(books, "A", Status::autorizada);
    EXPECT_EQ(books.find("A"), &sale);
    EXPECT_EQ(books.find_by_id("T-A"), &sale);
    EXPECT_EQ(books.find("B"), nullptr);
    EXPECT_EQ(books.find_by_id("A"), nullptr);
    EXPECT_EQ(&books.entry("A", now), &sale);
}

TEST(Books, TheOldestEntryAtRestMakesRoom) {
    Books books(3);
    add(books, "open", Status::autorizada);
    add(books, "sold", Status::efetivada);
    add(books, "later", Status::cancelada);
    books.entry("new", now);
    EXPECT_NE(books.find("open"), nullptr);
    EXPECT_EQ(books.find("sold"), nullptr);
    EXPECT_EQ(books.find_by_id("T-sold"), nullptr);
    EXPECT_NE(books.find("later"), nullptr);
    EXPECT_EQ(books.all().size(), 3U);
    EXPECT_EQ(books.forgotten(), 1U);
}

TEST(Books, WhereAllAreOpenTheOldestMakesRoom) {
    Books books(2);
    add(books, "first", Status::autorizada);
    add(books, "second", Status::autorizada);
    books.entry("third", now);
    EXPECT_EQ(books.find("first"), nullptr);
    EXPECT_NE(books.find("second"), nullptr);
}

TEST(Books, StayWithinTheirBoundsHoweverManySalesCome) {
    Books books(100);
    for (int i = 0; i < 10'000; ++i)
        add(books, std::to_string(i), i % 3 == 0 ? Status::autorizada : Status::efetivada);
    EXPECT_EQ(books.all().size(), 100U);
    EXPECT_EQ(books.forgotten(), 9'900U);
    EXPECT_NE(books.find("9999"), nullptr);
}

TEST(Books, KeepTheOrderOfTheFirstRequests) {
    Books books(10);
    for (const auto* name : {"C", "A", "B"})
        books.entry(name, now);
    books.entry("A", now);
    std::string order;
    for (const auto& entry : books.all())
        order += entry.idExterno;
    EXPECT_EQ(order, "CAB");
}

TEST(Books, AFinalStatusStaysAndItsTimeIsThatOfTheMove) {
    Transaction sale;
    EXPECT_TRUE(sale.move_to(Status::autorizada, WallTime{1min}));
    EXPECT_TRUE(sale.move_to(Status::pendente, WallTime{2min}));
    EXPECT_EQ(sale.finished, WallTime{});
    EXPECT_TRUE(sale.move_to(Status::efetivada, WallTime{3min}));
    EXPECT_FALSE(sale.move_to(Status::cancelada, WallTime{4min}));
    EXPECT_EQ(sale.status, Status::efetivada);
    EXPECT_EQ(sale.finished, WallTime{3min});
}

TEST(Books, AHistoryIsBoundedAndSaysWhatItLeftOut) {
    Transaction entry;
    for (int i = 0; i < 250; ++i)
        entry.note({});
    EXPECT_EQ(entry.history.size(), 200U);
    EXPECT_EQ(entry.history_left_out, 50U);
}

TEST(Books, AreEmptyOnceCleared) {
    Books books(10);
    add(books, "A", Status::efetivada);
    books.clear();
    EXPECT_EQ(books.find("A"), nullptr);
    EXPECT_EQ(books.find_by_id("T-A"), nullptr);
    EXPECT_TRUE(books.all().empty());
}

}  // namespace
}  // namespace gateway::sandbox
