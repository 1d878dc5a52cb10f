#include "sandbox/callbacks.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr WallTime start{};

Callback about(const std::string& idExterno) {
    Callback callback;
    callback.idExterno = idExterno;
    return callback;
}

TEST(Callbacks, ComeDueInTheOrderOfTheirTimes) {
    const Options options;
    Callbacks callbacks(options);
    callbacks.add(about("late"), start + 2s);
    callbacks.add(about("early"), start + 1s);
    callbacks.add(about("early too"), start + 1s);
    EXPECT_EQ(callbacks.next_due(), start + 1s);
    EXPECT_EQ(callbacks.next(start), nullptr);
    EXPECT_EQ(callbacks.next(start + 2s)->idExterno, "early");
    EXPECT_EQ(callbacks.next(start + 2s)->idExterno, "early too");
    EXPECT_EQ(callbacks.next(start + 2s)->idExterno, "late");
    EXPECT_EQ(callbacks.next(start + 2s), nullptr);
    EXPECT_FALSE(callbacks.next_due());
    EXPECT_EQ(callbacks.all().size(), 3U) << "under way until reported on";
}

TEST(Callbacks, TheWaitDoublesUpToTheLongest) {
    Options options;
    options.callback_retry = 1s;
    options.callback_retry_most = 5s;
    Callbacks callbacks(options);
    callbacks.add(about("A"), start);
    auto now = start;
    std::vector<Duration> waits;
    for (int i = 0; i < 5; ++i) {
        auto* callback = callbacks.next(now);
        ASSERT_NE(callback, nullptr);
        ASSERT_TRUE(callbacks.again(callback->id, now));
        waits.push_back(*callbacks.next_due() - now);
        now = *callbacks.next_due();
    }
    EXPECT_EQ(waits, (std::vector<Duration>{1s, 2s, 4s, 5s, 5s}));
}

TEST(Callbacks, ALongRowOfTriesDoesNotOverflow) {
    Options options;
    options.callback_tries = 1000;
    Callbacks callbacks(options);
    callbacks.add(about("A"), start);
    auto now = start;
    int tries = 1;
    for (; callbacks.again(callbacks.next(now)->id, now); ++tries) {
        ASSERT_GT(*callbacks.next_due(), now);
        now = *callbacks.next_due();
    }
    EXPECT_EQ(tries, 1000);
    EXPECT_TRUE(callbacks.all().empty());
}

TEST(Callbacks, PostponingIsNoTry) {
    Options options;
    options.callback_tries = 1;
    Callbacks callbacks(options);
    callbacks.add(about("A"), start);
    callbacks.postpone(callbacks.next(start)->id, start + 9s);
    EXPECT_EQ(callbacks.next_due(), start + 9s);
    EXPECT_EQ(callbacks.next(start + 9s)->tries, 0);
}

TEST(Callbacks, WhatIsDoneIsGone) {
    const Options options;
    Callbacks callbacks(options);
    callbacks.add(about("A"), start);
    const auto id = callbacks.next(start)->id;
    callbacks.done(id);
    EXPECT_EQ(callbacks.find(id), nullptr);
    EXPECT_TRUE(callbacks.all().empty());
}

}  // namespace
}  // namespace gateway::sandbox
