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

TEST(Books, ASaleIsFoundByEitherOfItsNamesUntilTheyAreCleared) {
    Books books(10);
    const auto& sale = add(books, "A", Status::autorizada);
    EXPECT_EQ(books.find("A"), &sale);
    EXPECT_EQ(books.find_by_id("T-A"), &sale);
    EXPECT_EQ(&books.entry("A", now), &sale);
    EXPECT_EQ(books.find("B"), nullptr);
    EXPECT_EQ(books.find_by_id("A"), nullptr);
    books.clear();
    EXPECT_EQ(books.find("A"), nullptr);
    EXPECT_EQ(books.find_by_id("T-A"), nullptr);
}

TEST(Books, TheOldestEntryAtRestMakesRoomAndWhereAllAreOpenTheOldest) {
    Books books(3);
    add(books, "open", Status::autorizada);
    add(books, "sold", Status::efetivada);
    add(books, "later", Status::autorizada);
    add(books, "new", Status::autorizada);
    EXPECT_NE(books.find("open"), nullptr);
    EXPECT_EQ(books.find("sold"), nullptr);
    EXPECT_EQ(books.find_by_id("T-sold"), nullptr);
    books.entry("newer", now);
    EXPECT_EQ(books.find("open"), nullptr);
    EXPECT_EQ(books.forgotten(), 2U);
    for (int i = 0; i < 10'000; ++i)
        add(books, std::to_string(i), i % 3 == 0 ? Status::autorizada : Status::efetivada);
    EXPECT_EQ(books.all().size(), 3U);
    EXPECT_NE(books.find("9999"), nullptr);
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

TEST(Books, WhatIsKeptOfOneSaleAndOfDeparturesIsBounded) {
    Transaction entry;
    Metrics metrics;
    for (int i = 0; i < 1500; ++i) {
        entry.note({});
        metrics.depart({.reason = std::to_string(i)});
    }
    EXPECT_EQ(entry.history.size(), 200U);
    EXPECT_EQ(entry.history_left_out, 1300U);
    EXPECT_EQ(metrics.departures(), 1500U);
    EXPECT_EQ(metrics.latest_departures().front().reason, "500");
    EXPECT_EQ(metrics.latest_departures().back().reason, "1499");
}

}  // namespace
}  // namespace gateway::sandbox
