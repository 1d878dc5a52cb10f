// Tests what the provider's answers say about the provider as a whole: when an outage begins, and what ends it.
#include "unit/provider/provider_rig.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

TEST_F(ProviderTest, AProviderThatRefusesConnectionsIsAwayUntilOneComesAbout) {
    network.refuses = true;
    network.cause = "Connection refused";
    exchange(Step::solicitar, sale_in(Family::tv));
    const auto& reachability = provider->reachability();
    ASSERT_TRUE(reachability.outage());
    EXPECT_EQ(reachability.outage()->last_error, "Connection refused");
    clock.advance(30s);
    EXPECT_TRUE(reachability.outage());
    network.refuses = false;
    clock.advance(2s);
    EXPECT_FALSE(reachability.outage()) << "nobody had to sell for that";
    EXPECT_THAT(network.seen, IsEmpty());
}

TEST_F(ProviderTest, ABasePathThatIsWrongIsNoticed) {
    make();
    network.otherwise = [](const http::ClientRequest&) { return answered(404, "<html>"); };
    for (int i = 0; i < 3; ++i) {
        clock.run(provider->query({}, clock.now() + 5s));
        EXPECT_FALSE(provider->reachability().outage()) << "one product may well be unknown";
    }
    for (int i = 0; i < 3; ++i)
        exchange(Step::solicitar, sale_in(Family::tv));
    ASSERT_TRUE(provider->reachability().outage());
    EXPECT_THAT(provider->reachability().outage()->last_error, HasSubstr("provider.base_url"));
    network.otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    exchange(Step::solicitar, sale_in(Family::tv));
    EXPECT_FALSE(provider->reachability().outage());
}

TEST_F(ProviderTest, AnAddressIsProvenByAnAnswerToASaleAndDoubtedWhereRequestsAreNotFound) {
    make();
    const auto sale = sale_in(Family::tv);
    using enum Reply::Address;
    network.otherwise = [](const http::ClientRequest&) { return answered(404, "{}"); };
    EXPECT_EQ(exchange(Step::cancelar, sale).address, unproven);
    network.then(answered(200, "{}"));
    clock.run(provider->query({}, clock.now() + 5s));
    EXPECT_EQ(exchange(Step::cancelar, sale).address, unproven) << "a web server may answer a question with anything";
    network.then(answered(422, "<html>"));
    EXPECT_EQ(exchange(Step::cancelar, sale).address, unproven) << "that may be anybody's";
    EXPECT_EQ(exchange(Step::solicitar, sale).address, doubted);
    EXPECT_EQ(exchange(Step::cancelar, sale).address, doubted);
    clock.advance(14min);
    EXPECT_EQ(exchange(Step::solicitar, sale).address, doubted);
    clock.advance(14min);
    EXPECT_EQ(exchange(Step::cancelar, sale).address, doubted) << "a request was not found lately";
    clock.advance(1min);
    EXPECT_EQ(exchange(Step::cancelar, sale).address, once_doubted) << "nobody sells, and what is open must end";
    EXPECT_EQ(exchange(Step::solicitar, sale).address, doubted);
    clock.advance(15min);
    network.then(answered(403, "<html>"));
    EXPECT_EQ(exchange(Step::solicitar, sale).address, doubted) << "a web server's page is no answer to a sale";
    for (const auto& sense : {answered(422, "{}"), answered(200, "{}")}) {
        network.then(sense);
        EXPECT_EQ(exchange(Step::cancelar, sale).address, proven);
        EXPECT_EQ(exchange(Step::cancelar, sale).address, proven);
    }
}

TEST_F(ProviderTest, AnAnswerThatNeedNotBeTheProvidersSpeaksAgainstAnAddressThatNothingHasProven) {
    const auto sale = sale_in(Family::tv);
    auto repeated = sale;
    repeated.attempts.front().tries = 1;
    const auto nowhere = answered(404, "<html>");
    using Ask = std::function<void()>;
    const Ask options = [&] { clock.run(provider->query({}, clock.now() + 5s)); };
    const Ask sell = [&] { exchange(Step::solicitar, sale); };
    const Ask confirm = [&] { exchange(Step::confirmar, repeated); };
    for (const auto& ask : {options, sell, confirm}) {
        for (const auto& reply : {nowhere, answered(403, "<html>"), answered(200, "<html>"), answered(302, "")}) {
            make();
            EXPECT_FALSE(provider->address_doubt());
            const auto begun = clock.wall();
            network.then(reply).then(reply);
            ask();
            clock.advance(3s);
            ask();
            ASSERT_TRUE(provider->address_doubt()) << reply.status;
            EXPECT_EQ(provider->address_doubt()->since, begun);
            EXPECT_THAT(provider->address_doubt()->answers, StartsWith(fmt::format("it answers {}", reply.status)));
            EXPECT_FALSE(provider->reachability().outage());
            network.then(answered(200, "{}"));
            ask();
            EXPECT_FALSE(provider->address_doubt());
        }
    }
    make();
    network.then(answered(503, "busy")).then(nowhere).then(nowhere);
    confirm();
    clock.run(provider->list(Day(), 4096, clock.now() + 5s));
    clock.run(provider->get("/x", "", "", clock.now() + 5s));
    EXPECT_FALSE(provider->address_doubt()) << "these paths are not the document's";
    network.then(answered(200, "{}")).then(nowhere);
    sell();
    options();
    EXPECT_FALSE(provider->address_doubt()) << "the address is proven, and one product may be unknown";
}

TEST_F(ProviderTest, AProductThatIsNotKnownIsNoOutageWhereTheAddressIsProven) {
    make();
    auto unknown = sale_in(Family::tv);
    unknown.produto = "UNKNOWN";
    exchange(Step::solicitar, sale_in(Family::tv));
    network.otherwise = [](const http::ClientRequest&) { return answered(404, "{}"); };
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(exchange(Step::solicitar, unknown).address, Reply::Address::proven);
    EXPECT_FALSE(provider->reachability().outage()) << "the next customer's product may well be known";
    exchange(Step::solicitar, sale_in(Family::tv));
    exchange(Step::solicitar, unknown);
    EXPECT_TRUE(provider->reachability().outage());
    EXPECT_EQ(exchange(Step::cancelar, unknown).address, Reply::Address::doubted);
}

TEST_F(ProviderTest, AProviderThatAnswersNothingOfUseIsAway) {
    for (const auto& reply : {lost(errc::connection_lost), answered(503, "busy")}) {
        make();
        network.otherwise = [&](const http::ClientRequest&) { return reply; };
        exchange(Step::solicitar, sale_in(Family::tv));
        exchange(Step::cancelar, sale_in(Family::tv));
        EXPECT_FALSE(provider->reachability().outage()) << "it may be chance";
        exchange(Step::cancelar, sale_in(Family::tv));
        EXPECT_TRUE(provider->reachability().outage());
    }
}

TEST_F(ProviderTest, AWebServerThatAnswersEveryRequestByAPageIsAway) {
    const auto page = answered(403, "\r\n <html>Forbidden</html>", "text/html");
    make();
    network.otherwise = [&](const http::ClientRequest&) { return page; };
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(provider->reachability().outage()) << "it may be that customer's sale";
        exchange(Step::solicitar, sale_in(Family::tv));
        exchange(Step::cancelar, sale_in(Family::tv));
    }
    ASSERT_TRUE(provider->reachability().outage());
    EXPECT_FALSE(provider->reachability().outage()->may_be_tried) << "the same page to a cancel is no answer";
    EXPECT_THAT(provider->reachability().outage()->last_error, HasSubstr("it answers 403 with a web page"));
    network.otherwise = [](const http::ClientRequest&) { return answered(403, "{}"); };
    exchange(Step::solicitar, sale_in(Family::tv));
    EXPECT_FALSE(provider->reachability().outage()) << "the provider refuses, in its own words";
}

TEST_F(ProviderTest, OneSaleThatIsStuckIsNoOutage) {
    make();
    for (const auto& reply : {lost(errc::connection_lost), lost(errc::timed_out), answered(500, "")}) {
        network.otherwise = [&](const http::ClientRequest&) { return reply; };
        auto stuck = sale_in(Family::tv);
        stuck.attempts.front().tries = 1;
        for (int i = 0; i < 10; ++i)
            exchange(Step::confirmar, stuck);
        EXPECT_FALSE(provider->reachability().outage()) << "the next customer's sale may well succeed";
        EXPECT_TRUE(provider->reachability().reached());
        EXPECT_TRUE(provider->reachability().last_failure());
    }
    network.otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    exchange(Step::solicitar, sale_in(Family::tv));
    EXPECT_FALSE(provider->reachability().outage());
    EXPECT_FALSE(provider->reachability().last_failure());
}

TEST_F(ProviderTest, AnOutageInWhichItWasReachedMayBeTriedAMinuteAfterTheLastFailure) {
    network.otherwise = [](const http::ClientRequest&) { return lost(errc::timed_out); };
    exchange(Step::solicitar, sale_in(Family::tv));
    clock.advance(58s);
    ASSERT_TRUE(provider->reachability().outage());
    EXPECT_FALSE(provider->reachability().outage()->may_be_tried);
    clock.advance(5s);
    ASSERT_TRUE(provider->reachability().outage()) << "nothing has shown that it is over";
    EXPECT_TRUE(provider->reachability().outage()->may_be_tried) << "tills that were told of it sell nothing";
}

// Tests how an outage begins, what is seen next, and whether that ends it.

class OutageTable : public ProviderTest {
  protected:
    void refuse() {
        network.refuses = true;
        exchange(Step::solicitar, sale_in(Family::tv));
        network.refuses = false;
    }
    void connect() { clock.advance(2s); }
    void step(Step step, const Reply& reply) {
        network.otherwise = [reply](const http::ClientRequest&) { return reply; };
        exchange(step, sale_in(Family::tv));
    }
    void ask(const Reply& reply) {
        network.otherwise = [reply](const http::ClientRequest&) { return reply; };
        clock.run(provider->query({.family = Family::tv, .produto = "TV"}, clock.now() + 1min));
    }
    void proxied(const Reply& reply) {
        network.otherwise = [reply](const http::ClientRequest&) { return reply; };
        clock.run(provider->get("/x", "", "", clock.now() + 1min));
    }
    void list(const Reply& reply) {
        network.otherwise = [reply](const http::ClientRequest&) { return reply; };
        clock.run(provider->list(Day(), 4096, clock.now() + 1min));
    }
    void status(const Reply& reply) {
        network.otherwise = [reply](const http::ClientRequest&) { return reply; };
        const auto sale = sale_in(Family::tv);
        clock.run(provider->status(sale, sale.current(), clock.now() + 1min));
    }
    void begin_anew() {
        if (provider) before.push_back(std::move(provider));
        options.status_path = "/s/{idExterno}";
        options.list_path = "/l";
        make();
        network.otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    }

    std::vector<std::unique_ptr<Provider>> before;  // these still look for the end of their outages
};

TEST_F(OutageTable, EndsByWhatBeganIt) {
    const auto good = answered(200, "{}");
    const auto no = answered(400, "{}");
    const auto nowhere = answered(404, "<html>");
    const auto broken = answered(503, "busy");
    const auto page = answered(200, "<html>");
    const auto moved = answered(302, "");
    const auto denied = answered(401, "");
    const auto silence = lost(errc::timed_out);
    const auto cut = lost(errc::connection_lost);
    using Happens = std::function<void()>;
    const auto thrice = [](const Happens& happens) {
        return [happens] {
            for (int i = 0; i < 3; ++i)
                happens();
        };
    };
    const auto requests = [&](const Reply& reply) { return thrice([&, reply] { step(Step::solicitar, reply); }); };
    const auto cancels = [&](const Reply& reply) { return thrice([&, reply] { step(Step::cancelar, reply); }); };
    const auto questions = [&](const Reply& reply) { return thrice([&, reply] { ask(reply); }); };

    struct Next {
        std::string_view what;
        Happens happens;
    };
    const std::vector<Next> next{
        {"connection", [&] { connect(); }},
        {"request sold", [&] { step(Step::solicitar, good); }},
        {"request refused", [&] { step(Step::solicitar, no); }},
        {"request 404", [&] { step(Step::solicitar, nowhere); }},
        {"request 503", [&] { step(Step::solicitar, broken); }},
        {"request page", [&] { step(Step::solicitar, page); }},
        {"cancel 200", [&] { step(Step::cancelar, good); }},
        {"cancel 404", [&] { step(Step::cancelar, nowhere); }},
        {"confirm 200", [&] { step(Step::confirmar, good); }},
        {"options 200", [&] { ask(good); }},
        {"options 404", [&] { ask(nowhere); }},
        {"options 302", [&] { ask(moved); }},
        {"options 503", [&] { ask(broken); }},
        {"proxy 200", [&] { proxied(page); }},
        {"proxy 404", [&] { proxied(nowhere); }},
        {"list 200", [&] { list(page); }},
        {"list 404", [&] { list(nowhere); }},
        {"list 503", [&] { list(broken); }},
        {"status 200", [&] { status(good); }},
        {"status 404", [&] { status(nowhere); }},
    };
    // Says which of the signs above end it, one character each in their order. "+": it is over; "?": a sale may be
    // tried; ".": neither.
    struct Beginning {
        std::string_view what;
        Happens happens;
        std::string_view ends;
    };
    const std::vector<Beginning> beginnings{
        {"no connection", [&] { refuse(); },
         "+++..."
         "+++"
         "++.."
         "++"
         "++."
         ".."},
        {"silent request", [&] { step(Step::solicitar, silence); },
         ".++..."
         "+++"
         "++.."
         "++"
         "++."
         ".."},
        {"silent cancel", [&] { step(Step::cancelar, silence); },
         ".++..."
         "+++"
         "++.."
         "++"
         "++."
         ".."},
        {"silent question", [&] { ask(silence); },
         ".++..."
         "+++"
         "++.."
         "++"
         "++."
         ".."},
        {"404s", requests(nowhere),
         ".++..."
         "?.?"
         "?..."
         "?."
         "?.."
         ".."},
        {"503s to requests", requests(broken),
         ".++..."
         "?.?"
         "?..."
         "?."
         "?.."
         ".."},
        {"401s to requests", requests(denied),
         ".++..."
         "?.?"
         "?..."
         "?."
         "?.."
         ".."},
        {"requests cut off", requests(cut),
         ".++..."
         "?.?"
         "?..."
         "?."
         "?.."
         ".."},
        {"silent requests", requests(silence),
         ".++..."
         "?.?"
         "?..."
         "?."
         "?.."
         ".."},
        {"pages to requests", requests(page),
         ".++..."
         "?.?"
         "?..."
         "?."
         "?.."
         ".."},
        {"redirects of requests", requests(moved),
         ".++..."
         "?.?"
         "?..."
         "?."
         "?.."
         ".."},
        {"503s to cancels", cancels(broken),
         ".++..."
         "+.+"
         "+..."
         "+."
         "+.."
         ".."},
        {"401s to cancels", cancels(denied),
         ".++..."
         "+.+"
         "+..."
         "+."
         "+.."
         ".."},
        {"503s to questions", questions(broken),
         ".++..."
         "+.+"
         "+..."
         "+."
         "+.."
         ".."},
        {"pages to questions", questions(page),
         ".++..."
         "+.+"
         "+..."
         "+."
         "+.."
         ".."},
    };
    for (const auto& beginning : beginnings) {
        std::string ends;
        for (const auto& [what, happens] : next) {
            begin_anew();
            beginning.happens();
            ASSERT_TRUE(provider->reachability().outage()) << beginning.what;
            happens();
            const auto& outage = provider->reachability().outage();
            ends += !outage ? '+' : outage->may_be_tried ? '?' : '.';
        }
        EXPECT_EQ(ends, beginning.ends) << beginning.what;
    }
}

TEST_F(ProviderTest, RequestsThatFailAreNoticedBesideQuestionsThatDoNot) {
    make();
    network.otherwise = [](const http::ClientRequest& request) {
        return request.post ? answered(404, "<html>") : answered(200, "{}");
    };
    for (int i = 0; i < 3; ++i) {
        clock.run(provider->query({}, clock.now() + 5s));
        EXPECT_FALSE(provider->reachability().outage());
        exchange(Step::solicitar, sale_in(Family::tv));
    }
    EXPECT_TRUE(provider->reachability().outage());
}

TEST_F(ProviderTest, LooksEveryMinuteWhereNothingIsSold) {
    make();
    boost::asio::co_spawn(io, provider->keep_looking(), boost::asio::detached);
    network.refuses = true;
    clock.advance(59s);
    EXPECT_FALSE(provider->reachability().outage());
    clock.advance(2s);
    EXPECT_TRUE(provider->reachability().outage());
}

TEST_F(ProviderTest, AProviderThatHangsIsAwayAtOnceAndBackWithItsNextAnswer) {
    make();
    network.otherwise = [](const http::ClientRequest&) { return lost(errc::timed_out); };
    exchange(Step::solicitar, sale_in(Family::tv));
    EXPECT_TRUE(provider->reachability().outage());
    network.otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    exchange(Step::cancelar, sale_in(Family::tv));
    EXPECT_FALSE(provider->reachability().outage());
}

// The address is not documented, so its answer says nothing about the provider that sells.
TEST_F(ProviderTest, AStatusAddressThatRefusesEveryTokenCostsOneAMinuteAndIsNoOutage) {
    options.status_path = "/s/{idExterno}";
    make();
    const auto sale = sale_in(Family::tv);
    network.otherwise = [](const http::ClientRequest& request) { return answered(request.post ? 200 : 401, "{}"); };
    for (int i = 0; i < 10; ++i) {
        exchange(Step::consultar, sale);
        clock.run(provider->status(sale, sale.current(), clock.now() + 1min));
    }
    exchange(Step::cancelar, sale);
    EXPECT_FALSE(provider->reachability().outage());
    EXPECT_EQ(tokens, 2) << "the one that it may have refused for a reason, and no further";
    EXPECT_EQ(network.seen.back().request.authorization.reveal(), "Bearer t2");
    network.otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    exchange(Step::consultar, sale);
    network.then(answered(401, ""));
    exchange(Step::consultar, sale);
    exchange(Step::consultar, sale);
    EXPECT_EQ(tokens, 3) << "once it has answered, a 401 is about the token again";
    network.otherwise = [](const http::ClientRequest&) { return answered(401, ""); };
    for (int i = 0; i < 3; ++i)
        exchange(Step::consultar, sale);
    EXPECT_EQ(tokens, 4);
    clock.advance(1min);
    for (int i = 0; i < 3; ++i)
        exchange(Step::consultar, sale);
    EXPECT_EQ(tokens, 5) << "by then that token may have ended as well";
}

TEST_F(ProviderTest, WhatAStatusAddressAnswersIsNeitherAnOutageNorTheEndOfOne) {
    options.status_path = "/s/{idExterno}";
    make();
    const auto sale = sale_in(Family::tv);
    for (const auto& reply : {lost(errc::timed_out), lost(errc::connection_lost), answered(500, "")}) {
        network.otherwise = [&](const http::ClientRequest&) { return reply; };
        for (int i = 0; i < 5; ++i)
            exchange(Step::consultar, sale);
        EXPECT_FALSE(provider->reachability().outage());
    }
    network.otherwise = [](const http::ClientRequest&) { return answered(503, "busy"); };
    for (int i = 0; i < 3; ++i)
        exchange(Step::cancelar, sale);
    EXPECT_TRUE(provider->reachability().outage());
    network.then(answered(404, "{}"));
    exchange(Step::consultar, sale);
    EXPECT_TRUE(provider->reachability().outage());
    network.refuses = true;
    make();
    exchange(Step::consultar, sale);
    EXPECT_TRUE(provider->reachability().outage()) << "but that it cannot be reached is news from any address";
}

TEST_F(ProviderTest, AProviderThatRefusesOneTokenAfterTheOtherIsAway) {
    network.otherwise = [](const http::ClientRequest&) { return answered(401, ""); };
    make();
    for (int i = 0; i < 2; ++i)
        exchange(Step::solicitar, sale_in(Family::tv));
    EXPECT_FALSE(provider->reachability().outage()) << "a token may be revoked";
    exchange(Step::solicitar, sale_in(Family::tv));
    ASSERT_TRUE(provider->reachability().outage());
    EXPECT_THAT(provider->reachability().outage()->last_error, HasSubstr("401"));
}

TEST_F(ProviderTest, LooksForItselfWhereNothingWasLearnedForAWhile) {
    make();
    network.refuses = true;
    clock.run(look());
    EXPECT_TRUE(provider->reachability().outage());
    network.refuses = false;
    clock.advance(2s);
    ASSERT_FALSE(provider->reachability().outage());
    network.refuses = true;
    clock.run(look());
    EXPECT_FALSE(provider->reachability().outage()) << "nobody looks so often";
    clock.advance(10s);
    clock.run(look());
    EXPECT_TRUE(provider->reachability().outage());
}

TEST_F(ProviderTest, ALookLastsNoLongerThanASecond) {
    make();
    network.connecting = 5s;
    const auto began = clock.now();
    clock.run(look());
    EXPECT_LE(clock.now() - began, 1s);
}

TEST_F(ProviderTest, ALookAtAProviderThatIsConnectedWaitsForNothing) {
    make();
    const auto began = clock.now();
    clock.run(look());
    EXPECT_EQ(clock.now(), began);
}

}  // namespace
}  // namespace gateway::test
