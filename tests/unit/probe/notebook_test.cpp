#include "probe/notebook.hpp"

#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;
using probe::Notebook;

TEST(Notebook, WhatWasFoundOutIsKnownToTheNextRun) {
    boost::asio::io_context io;
    const VirtualClock clock{io};
    const TemporaryFolder folder;
    const auto path = folder.path("notebook.jsonl");
    {
        Notebook book(path, clock);
        book.put({.point = "cancel-unknown", .family = Family::tv, .answered = true, .value = "404", .detail = "x"});
        book.put({.point = "cancel-unknown", .family = Family::egift, .value = {}, .detail = "not yet"});
        book.put({.point = "scope-separator", .family = {}, .applies = false, .value = {}, .detail = "one scope"});
        book.fact("consulta tv", "em 12 ms");
        book.trial("Um", "", {"{\"event\":\"a\"}", "b"});
    }
    Notebook book(path, clock);
    EXPECT_EQ(book.value("cancel-unknown", Family::tv), "404");
    EXPECT_TRUE(book.done("cancel-unknown", Family::tv));
    EXPECT_FALSE(book.done("cancel-unknown", Family::egift));
    EXPECT_TRUE(book.done("scope-separator", std::nullopt));
    EXPECT_FALSE(book.answered("scope-separator", std::nullopt));
    EXPECT_EQ(book.readings("cancel-unknown").size(), 2U);
    ASSERT_EQ(book.facts().size(), 1U);
    EXPECT_EQ(book.facts()[0].text, "em 12 ms");
    ASSERT_EQ(book.trials().size(), 1U);
    EXPECT_THAT(book.trials()[0].lines, ElementsAre("{\"event\":\"a\"}", "b"));
    EXPECT_EQ(book.trials()[0].at, clock.wall());
}

TEST(Notebook, AnAnswerIsNotTakenBackByATrialThatFailed) {
    boost::asio::io_context io;
    const VirtualClock clock{io};
    const TemporaryFolder folder;
    Notebook book(folder.path("notebook.jsonl"), clock);
    book.put({.point = "sale-http", .family = Family::tv, .answered = true, .value = "200", .detail = {}});
    book.put({.point = "sale-http", .family = Family::tv, .value = {}, .detail = "no answer"});
    EXPECT_EQ(book.value("sale-http", Family::tv), "200");
}

}  // namespace
}  // namespace gateway::test
