#include "console/changes.hpp"

#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

class ChangesTest : public testing::Test {
  protected:
    // Lets enough time pass that the numbers are compared again, and compares them.
    void look() {
        clock.advance(Changes::pace);
        changes.look();
    }
    void change(Topic topic) { ++versions.at(static_cast<std::size_t>(topic)); }

    boost::asio::io_context io;
    VirtualClock clock{io};
    Versions versions{};
    int looks = 0;
    Changes changes{"RUN1",
                    [this] {
                        ++looks;
                        return versions;
                    },
                    clock};
};

TEST_F(ChangesTest, EveryTopicHasItsWord) {
    std::vector<std::string_view> words;
    for (const auto topic : all_topics)
        words.push_back(to_string(topic));
    EXPECT_THAT(words, ElementsAre("sales", "attention", "closes", "findings", "health"));
}

TEST_F(ChangesTest, NothingIsLookedAtWhileNobodyAsks) {
    clock.advance(24h);
    EXPECT_EQ(looks, 0);
    EXPECT_EQ(changes.count(), 0U);
    EXPECT_EQ(changes.id(), "RUN1-0");
    EXPECT_EQ(looks, 0);
}

TEST_F(ChangesTest, WhatWasThereWhenItWasLookedFirstIsNoChange) {
    change(Topic::closes);
    changes.look();
    EXPECT_EQ(changes.count(), 0U);
    EXPECT_THAT(changes.since(std::uint64_t{0}), IsEmpty());
}

TEST_F(ChangesTest, IsLookedAtOncePerPaceHoweverManyAsk) {
    for (int i = 0; i < 10; ++i)
        changes.look();
    EXPECT_EQ(looks, 1);
    clock.advance(Changes::pace - 1ms);
    change(Topic::sales);
    changes.look();
    EXPECT_EQ(looks, 1);
    EXPECT_EQ(changes.count(), 0U);
    clock.advance(1ms);
    changes.look();
    EXPECT_EQ(looks, 2);
    EXPECT_EQ(changes.count(), 1U);
}

TEST_F(ChangesTest, NamesTheTopicsThatChangedSinceThen) {
    changes.look();
    change(Topic::sales);
    change(Topic::health);
    look();
    EXPECT_THAT(changes.since(std::uint64_t{0}), ElementsAre(Topic::sales, Topic::health));
    const auto then = changes.id();
    EXPECT_EQ(then, "RUN1-1");
    EXPECT_THAT(changes.since(then), IsEmpty());
    look();
    EXPECT_EQ(changes.id(), then) << "nothing has changed";
    change(Topic::findings);
    look();
    EXPECT_THAT(changes.since(then), ElementsAre(Topic::findings));
    EXPECT_THAT(changes.since("RUN1-0"), ElementsAre(Topic::sales, Topic::findings, Topic::health));
    EXPECT_THAT(changes.since(changes.id()), IsEmpty());
}

TEST_F(ChangesTest, ANumberThatFallsIsAChangeToo) {
    versions.fill(7);
    changes.look();
    versions.at(1) = 0;
    look();
    EXPECT_THAT(changes.since(std::uint64_t{0}), ElementsAre(Topic::attention));
}

TEST_F(ChangesTest, OfAnotherRunOrOfNoneEverythingIsNew) {
    changes.look();
    change(Topic::sales);
    look();
    for (const auto* id : {"RUN2-1", "RUN-1", "RUN11", "RUN1", "RUN1-", "RUN1-x", "RUN1-1x", "RUN1--1", "RUN1- 1",
                           "RUN1-2", "RUN1-99999999999999999999", "1", "", "run1-1"})
        EXPECT_THAT(changes.since(id), ElementsAreArray(all_topics)) << id;
}

}  // namespace
}  // namespace gateway::test
