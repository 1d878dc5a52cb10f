#include "flow/options_cache.hpp"

#include "unit/flow/rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class OptionsCacheTest : public testing::Test {
  protected:
    OptionsCacheTest() {
        rig.network->otherwise = [this](const http::ClientRequest&) {
            ++asked;
            return up ? answered(200, R"({"tipoValor":"L","valores":[{"chave":"25","valor":"1;2500"}]})") : lost();
        };
    }
    static OptionsQuestion tv(std::string produto = "TV Livre") {
        return {.family = Family::tv, .estabelecimento = "1", .produto = std::move(produto)};
    }
    OptionsCache::Answer<OptionsCache::Found> ask(OptionsQuestion question) { return ask(cache, std::move(question)); }
    OptionsCache::Answer<OptionsCache::Found> ask(OptionsCache& of, OptionsQuestion question) {
        return rig.clock->run(of.ask(std::move(question), "r-1", rig.clock->now() + 5s));
    }

    FlowRig rig;
    bool up = true;
    int asked = 0;
    OptionsCache cache{rig.io->get_executor(), OptionsCacheOptions{}, *rig.provider, *rig.clock, rig.log};
};

TEST_F(OptionsCacheTest, AsksTheProviderOnceAndAnswersFromTheCacheUntilItsTimeIsOver) {
    EXPECT_EQ(ask(tv())->fetched->options.options.size(), 1u);
    rig.clock->advance(299s);
    EXPECT_FALSE(ask(tv())->stale);
    EXPECT_EQ(asked, 1);
    rig.clock->advance(2s);
    EXPECT_TRUE(ask(tv()).has_value());
    EXPECT_EQ(asked, 2);
}

TEST_F(OptionsCacheTest, AFailureIsToldOnceUntilThereIsAnotherOrNone) {
    up = false;
    for (int i = 0; i < 20; ++i)
        EXPECT_FALSE(ask(tv()).has_value());
    EXPECT_EQ(rig.log.count("warn options.failed"), 1u);
    rig.network->then(answered(404, "{}"));
    EXPECT_FALSE(ask(tv()).has_value());
    EXPECT_EQ(rig.log.count("info options.failed"), 1u);
    up = true;
    EXPECT_TRUE(ask(tv()).has_value());
    rig.clock->advance(301s);
    up = false;
    (void)ask(tv());
    EXPECT_EQ(rig.log.count("warn options.failed"), 2u);
}

TEST_F(OptionsCacheTest, AProviderThatAnsweredIsNotSaidToBeOutOfReach) {
    for (const unsigned status : {405U, 405U, 403U}) {
        rig.network->then(answered(status, "{}"));
        const auto failed = ask(tv()).error();
        EXPECT_EQ(failed.http_status, status);
    }
    EXPECT_EQ(rig.log.count("detail=\"the provider answered with HTTP status 405\""), 1u);
    EXPECT_EQ(rig.log.count("detail=\"the provider answered with HTTP status 403\""), 1u) << "another reason";
    rig.network->then(unsent());
    EXPECT_FALSE(ask(tv()).error().http_status);
    EXPECT_EQ(rig.log.count("warn options.failed"), 3u) << "and another";
}

TEST_F(OptionsCacheTest, OneQueryIsUnderWayHoweverManyAsk) {
    rig.network->then(answered(200, R"({"valores":[]})"), 2s);
    int told = 0;
    auto one = [&]() -> boost::asio::awaitable<void> {
        const auto said = co_await cache.ask(tv(), "r-1", rig.clock->now() + 5s);
        told += said.has_value() ? 1 : 0;
    };
    for (int i = 0; i < 5; ++i)
        boost::asio::co_spawn(*rig.io, one(), boost::asio::detached);
    rig.clock->advance(3s);
    EXPECT_EQ(told, 5);
    EXPECT_EQ(rig.network->seen.size(), 1u);
}

TEST_F(OptionsCacheTest, WhileTheProviderIsDownAnOldAnswerIsServedAndSaysSo) {
    ask(tv());
    up = false;
    rig.clock->advance(301s);
    const auto said = ask(tv());
    ASSERT_TRUE(said.has_value());
    EXPECT_TRUE(said->stale);
    EXPECT_TRUE(ask(tv("another")).has_error());
}

TEST_F(OptionsCacheTest, WhatTheProviderHasNoMoreIsNotServedBeyondItsTime) {
    ask(tv());
    rig.clock->advance(301s);
    rig.network->then(answered(404, "{}"));
    EXPECT_EQ(ask(tv()).error().why, errc::not_found);
    up = false;
    EXPECT_TRUE(ask(tv()).has_error()) << "however long the provider is down afterwards";
}

TEST_F(OptionsCacheTest, WhereNothingIsCachedAnAnswerServesThoseWhoWaitedForIt) {
    OptionsCache forgetful{rig.io->get_executor(), {.ttl = 0s}, *rig.provider, *rig.clock, rig.log};
    const auto said = ask(forgetful, tv());
    ASSERT_TRUE(said.has_value());
    EXPECT_FALSE(said->stale);
    up = false;
    EXPECT_TRUE(ask(forgetful, tv()).has_error());
}

TEST_F(OptionsCacheTest, AnAskerIsToldInItsOwnTimeAndTheQueryGoesOn) {
    rig.network->then(answered(200, R"({"valores":[]})"), 8s);
    EXPECT_EQ(ask(tv()).error().why, errc::timed_out);
    rig.clock->advance(5s);
    EXPECT_TRUE(ask(tv()).has_value());
    EXPECT_EQ(rig.network->seen.size(), 1u);
}

TEST_F(OptionsCacheTest, AMenuIsNotHeldUpByAnotherWhoseQueryHangs) {
    const auto menu = [](std::string name) {
        return OptionsQuestion{.family = Family::egift, .estabelecimento = "1", .menu = std::move(name)};
    };
    rig.network->then(lost(), 15s);
    EXPECT_EQ(ask(menu("hangs")).error().why, errc::timed_out);
    rig.network->then(answered(200, R"({"produtos":[]})"));
    EXPECT_TRUE(ask(menu("another")).has_value());
}

TEST_F(OptionsCacheTest, CataloguesAreAskedForAFewAtATime) {
    for (int i = 0; i < 10; ++i) {
        rig.network->then(answered(200, R"({"produtos":[]})"), 1s);
        const OptionsQuestion menu{
            .family = Family::egift, .estabelecimento = "1", .menu = "Menu " + std::to_string(i)};
        boost::asio::co_spawn(*rig.io, cache.ask(menu, "r-1", rig.clock->now() + 5s), boost::asio::detached);
    }
    rig.clock->advance(5s);
    EXPECT_EQ(rig.network->seen.size(), 10u);
    EXPECT_EQ(rig.network->most_under_way, 4);
}

TEST_F(OptionsCacheTest, WhatTheProviderDoesNotKnowIsNotFound) {
    rig.network->then(answered(404, "{}"));
    EXPECT_EQ(ask(tv()).error().why, errc::not_found);
}

}  // namespace
}  // namespace gateway::test
