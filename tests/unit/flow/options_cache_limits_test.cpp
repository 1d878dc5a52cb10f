// These tests say, to the millisecond and the status, what the cache takes for fresh, for stale and for a failure.
#include "flow/options_cache.hpp"
#include "unit/flow/rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class OptionsCacheLimits : public Test {
  protected:
    OptionsCacheLimits() {
        rig.network->otherwise = [](const http::ClientRequest&) { return good(); };
    }
    static Reply good(unsigned status = 200) {
        return answered(status, R"({"tipoValor":"L","valores":[{"chave":"25","valor":"1;2500"}]})");
    }
    static OptionsQuestion tv(std::string produto = "TV Livre") {
        return {.family = Family::tv, .estabelecimento = "1", .produto = std::move(produto)};
    }
    OptionsCache::Answer<OptionsCache::Found> ask(OptionsCache& of, OptionsQuestion question) {
        return rig.clock->run(of.ask(std::move(question), "r-1", rig.clock->now() + 5s));
    }
    OptionsCache::Answer<OptionsCache::Found> ask(OptionsQuestion question) { return ask(cache, std::move(question)); }
    void begin_to_ask(OptionsCache& of, OptionsQuestion question, std::optional<errc> expected = {}) {
        auto asking = [](OptionsCache& one, OptionsQuestion what, Instant until,
                         std::optional<errc> why) -> boost::asio::awaitable<void> {
            const auto said = co_await one.ask(std::move(what), "r-1", until);
            if (why) EXPECT_EQ(said.error().why, *why);
        };
        boost::asio::co_spawn(*rig.io, asking(of, std::move(question), rig.clock->now() + 1min, expected),
                              boost::asio::detached);
        rig.clock->settle();
    }
    std::size_t asked() const { return rig.network->seen.size(); }

    FlowRig rig;
    OptionsCache cache{rig.io->get_executor(), OptionsCacheOptions{}, *rig.provider, *rig.clock, rig.log};
};

TEST_F(OptionsCacheLimits, AnAnswerIsFreshForFiveMinutes) {
    EXPECT_FALSE(cache.knows(tv()));
    const auto asked_at = rig.clock->wall();
    const auto said = ask(tv());
    EXPECT_EQ(said->fetched->fetched_at, asked_at);
    EXPECT_EQ(said->fetched->expires_at, asked_at + 5min);
    rig.clock->advance(5min - 1ms);
    EXPECT_TRUE(cache.knows(tv()));
    EXPECT_FALSE(ask(tv())->stale);
    EXPECT_EQ(asked(), 1u);
    rig.clock->advance(1ms);
    EXPECT_FALSE(cache.knows(tv()));
    EXPECT_FALSE(ask(tv())->stale);
    EXPECT_EQ(asked(), 2u);
}

TEST_F(OptionsCacheLimits, AnOldAnswerIsServedForADay) {
    ask(tv());
    rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    rig.clock->advance(24h - 1ms);
    ASSERT_TRUE(ask(tv()).has_value());
    EXPECT_TRUE(ask(tv())->stale);
    rig.clock->advance(1ms);
    EXPECT_TRUE(ask(tv()).has_error());
}

TEST_F(OptionsCacheLimits, AnAnswerThatIsFreshForAMillisecondIsServedOldToo) {
    OptionsCache brief{rig.io->get_executor(), {.ttl = 1ms}, *rig.provider, *rig.clock, rig.log};
    ask(brief, tv());
    rig.clock->advance(1ms);
    rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    ASSERT_TRUE(ask(brief, tv()).has_value());
    EXPECT_TRUE(ask(brief, tv())->stale);
}

TEST_F(OptionsCacheLimits, WhatIsAskedForACardIsFreshForHalfAMinuteAndNeverServedOld) {
    auto of_card = tv();
    of_card.customers = Secret("123");
    EXPECT_EQ(ask(of_card)->fetched->expires_at, rig.clock->wall() + 30s);
    EXPECT_FALSE(cache.knows(tv())) << "that is another question";
    rig.clock->advance(30s - 1ms);
    EXPECT_TRUE(cache.knows(of_card));
    rig.clock->advance(1ms);
    EXPECT_FALSE(cache.knows(of_card));
    rig.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    EXPECT_TRUE(ask(of_card).has_error());
    OptionsCache short_lived{rig.io->get_executor(), {.ttl = 10s}, *rig.provider, *rig.clock, rig.log};
    rig.network->otherwise = [](const http::ClientRequest&) { return good(); };
    EXPECT_EQ(ask(short_lived, of_card)->fetched->expires_at, rig.clock->wall() + 10s);
}

TEST_F(OptionsCacheLimits, TheOldestAnswerGoesFirstAndAQuestionThatIsBeingAskedStays) {
    OptionsCache small{rig.io->get_executor(), {.most_answers = 2}, *rig.provider, *rig.clock, rig.log};
    ask(small, tv("a"));
    rig.clock->advance(1s);
    ask(small, tv("b"));
    EXPECT_TRUE(small.knows(tv("a")));
    rig.clock->advance(1s);
    ask(small, tv("c"));
    EXPECT_FALSE(small.knows(tv("a")));
    EXPECT_TRUE(small.knows(tv("b")));
    EXPECT_TRUE(small.knows(tv("c")));
    rig.network->then(good(), 10s);
    begin_to_ask(small, tv("d"));
    EXPECT_FALSE(small.knows(tv("b")));
    ask(small, tv("e"));
    EXPECT_FALSE(small.knows(tv("c"))) << "though nothing is known of d yet";
    rig.clock->advance(10s);
    EXPECT_TRUE(small.knows(tv("d")));
    EXPECT_TRUE(small.knows(tv("e")));
}

TEST_F(OptionsCacheLimits, AKnownQuestionTakesNobodysPlace) {
    OptionsCache small{rig.io->get_executor(), {.most_answers = 2}, *rig.provider, *rig.clock, rig.log};
    ask(small, tv("a"));
    rig.clock->advance(1s);
    ask(small, tv("b"));
    ask(small, tv("a"));
    ask(small, tv("b"));
    EXPECT_EQ(asked(), 2u);
}

TEST_F(OptionsCacheLimits, TwoQuestionsAreOneOnlyWhereEveryPartIsTheSame) {
    auto question = tv("ab");
    ask(question);
    question.produto = "a";
    question.segment = "b";
    EXPECT_FALSE(cache.knows(question));
}

TEST_F(OptionsCacheLimits, SmallAnswersAreAskedForAllAtOnce) {
    for (int i = 0; i < 6; ++i) {
        rig.network->then(good(), 1s);
        begin_to_ask(cache, tv(std::to_string(i)));
    }
    EXPECT_EQ(rig.network->under_way, 6);
    rig.clock->advance(1s);
}

TEST_F(OptionsCacheLimits, OnlyASuccessIsAnAnswer) {
    for (const unsigned status : {199U, 300U, 404U, 500U}) {
        rig.network->then(good(status));
        const auto said = ask(tv(std::to_string(status)));
        ASSERT_TRUE(said.has_error()) << status;
        EXPECT_EQ(said.error().http_status, status);
        EXPECT_EQ(said.error().why, status == 404 ? errc::not_found : errc::unreachable);
    }
    for (const unsigned status : {200U, 299U}) {
        rig.network->then(good(status));
        EXPECT_TRUE(ask(tv(std::to_string(status))).has_value()) << status;
    }
    rig.network->then(unsent(errc::no_token));
    EXPECT_EQ(ask(tv()).error().why, errc::no_token);
}

TEST_F(OptionsCacheLimits, TheProvidersSentenceIsToldWhereItRefusesTheQuestionItself) {
    const auto sentence = [&](Reply reply) {
        rig.network->then(std::move(reply));
        return ask(tv()).error().sentence;
    };
    const std::string body = R"({"mensagem":"Produto fora do ar."})";
    EXPECT_NE(sentence(answered(400, body)), "");
    EXPECT_NE(sentence(answered(499, body)), "");
    EXPECT_EQ(sentence(answered(399, body)), "");
    EXPECT_EQ(sentence(answered(500, body)), "");
    EXPECT_EQ(sentence(lost()), "");
    rig.network->otherwise = [&](const http::ClientRequest&) { return answered(401, body); };
    const auto refused = ask(tv()).error();
    EXPECT_EQ(refused.http_status, 401u);
    EXPECT_EQ(refused.sentence, "") << "that is between the gateway and the provider";
}

TEST_F(OptionsCacheLimits, TheProvidersPauseIsTold) {
    auto throttled = answered(429, "{}");
    throttled.retry_after = std::chrono::seconds(7);
    rig.network->then(std::move(throttled));
    EXPECT_EQ(ask(tv()).error().retry_after, std::chrono::seconds(7));
}

TEST_F(OptionsCacheLimits, AFailureIsLoggedWithWhatWasAskedFor) {
    rig.network->then(answered(500, "{}"));
    ask(tv());
    EXPECT_EQ(rig.log.count("warn options.failed request=r-1 family=tv produto=\"TV Livre\" httpStatus=500 "), 1u);
    EXPECT_THAT(rig.log.sentences.back(), HasSubstr("the provider answered with HTTP status 500"));
    rig.network->then(unsent());
    ask(tv());
    EXPECT_THAT(rig.log.lines.back(), Not(HasSubstr("httpStatus")));
    EXPECT_THAT(rig.log.sentences.back(), HasSubstr(make_error_code(errc::unreachable).message()));
    const auto said = rig.log.count("warn options.failed");
    rig.network->then(unsent(errc::no_token));
    ask(tv());
    EXPECT_EQ(rig.log.count("warn options.failed"), said + 1) << "that is another failure, also without a status";
}

TEST_F(OptionsCacheLimits, AnAnswerThatMakesNoSenseIsMalformedAndSaidOnce) {
    for (int i = 0; i < 2; ++i) {
        rig.network->then(answered(200, "{"));
        EXPECT_EQ(ask(tv()).error().why, errc::malformed);
    }
    EXPECT_EQ(rig.log.count("warn options.failed request=r-1 family=tv produto=\"TV Livre\" "
                            "detail=\"not the documented JSON\""),
              1u);
    rig.network->then(lost());
    ask(tv());
    rig.network->then(answered(200, "{"));
    ask(tv());
    EXPECT_EQ(rig.log.count("not the documented JSON"), 2u) << "there was another failure between them";
}

TEST_F(OptionsCacheLimits, AnOptionThatMakesNoSenseIsLeftOutAndSaid) {
    rig.network->then(answered(200, R"({"tipoValor":"L","valores":[5,{"chave":"25","valor":"1;2500"}]})"));
    EXPECT_EQ(ask(tv())->fetched->options.options.size(), 1u);
    EXPECT_EQ(rig.log.count("warn options.left_out request=r-1 family=tv detail="), 1u);
}

TEST_F(OptionsCacheLimits, AFaultLeavesNobodyWaiting) {
    rig.network->otherwise = [](const http::ClientRequest&) -> Reply {
        throw std::runtime_error("a deliberate fault");
    };
    EXPECT_EQ(ask(tv()).error().why, errc::malformed);
    EXPECT_EQ(rig.log.count("error options.fault request=r-1 family=tv detail=\"a deliberate fault\""), 1u);
    rig.network->otherwise = [](const http::ClientRequest&) { return good(); };
    EXPECT_TRUE(ask(tv()).has_value());
}

TEST_F(OptionsCacheLimits, WhoWaitsWhenTheGatewayStopsGoesWithoutAnAnswer) {
    rig.network->then(good(), 10s);
    begin_to_ask(cache, tv(), errc::shutting_down);
    cache.hurry();
    rig.clock->settle();
    EXPECT_EQ(ask(tv()).error().why, errc::shutting_down);
    rig.clock->advance(10s);
    EXPECT_TRUE(ask(tv()).has_value()) << "what came meanwhile is known";
}

}  // namespace
}  // namespace gateway::test
