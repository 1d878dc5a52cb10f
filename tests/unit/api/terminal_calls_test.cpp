#include "api/terminal_calls.hpp"

#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class TerminalCallsTest : public testing::Test {
  protected:
    static http::Request request(std::string principal = "caixa-01", const char* from = "192.0.2.1") {
        http::Request made;
        made.principal = std::move(principal);
        made.remote = boost::asio::ip::make_address(from);
        return made;
    }
    static http::Response answer(http::status status = http::status::ok) { return {.status = status}; }
    static http::Response about(const SaleId& sale) { return answer().with("Sale-Id", sale.str()); }

    // Lets the time pass, and returns the moment that it is then.
    RunMoment in(Duration length) {
        clock.jump(length);
        return RunMoment(clock);
    }

    SeededRandom random;
    boost::asio::io_context io;
    test::VirtualClock clock{io};
    const WallTime at = clock.wall();
    SeenCalls seen;
};

TEST_F(TerminalCallsTest, OfATerminalThatHasNotCalledNothingIsKnown) {
    seen.note(request(), answer(), RunMoment(clock));
    EXPECT_EQ(seen.of("caixa-02"), nullptr);
    EXPECT_NE(seen.of("caixa-01"), nullptr);
}

TEST_F(TerminalCallsTest, TheLastCallIsTheOneThatIsKnown) {
    auto first = request();
    first.headers.insert("User-Agent", "till/1.0");
    first.certified.ends_at = at + 24h;
    seen.note(first, answer(), RunMoment(clock));
    const auto* calls = seen.of("caixa-01");
    EXPECT_EQ(calls->last_at->wall(), at);
    EXPECT_EQ(calls->address.to_string(), "192.0.2.1");
    EXPECT_EQ(calls->client, "till/1.0");
    EXPECT_EQ(calls->certificate_ends_at, at + 24h);
    EXPECT_EQ(calls->refused, 0U);
    EXPECT_FALSE(calls->refused_at);
    EXPECT_FALSE(calls->last_sale);
    seen.note(request("caixa-01", "192.0.2.2"), answer(), in(1min));
    EXPECT_EQ(calls->last_at->wall(), at + 1min);
    EXPECT_EQ(calls->address.to_string(), "192.0.2.2");
    EXPECT_EQ(calls->client, "");
    EXPECT_FALSE(calls->certificate_ends_at);
}

TEST_F(TerminalCallsTest, ANameThatNoProgramHasIsNone) {
    for (const auto& name : {std::string(121, 'x'), std::string("till\x1b[2J"), std::string("\xff"), std::string()}) {
        auto asked = request();
        asked.headers.insert("User-Agent", name);
        seen.note(asked, answer(), RunMoment(clock));
        EXPECT_EQ(seen.of("caixa-01")->client, "") << name;
    }
}

TEST_F(TerminalCallsTest, WhatIsTheCallersOwnFaultIsARefusal) {
    using http::status;
    for (const auto status : {status::ok, status::accepted, status::internal_server_error, status::service_unavailable})
        seen.note(request(), answer(status), RunMoment(clock));
    EXPECT_EQ(seen.of("caixa-01")->refused, 0U);
    seen.note(request(), answer(status::bad_request), in(1s));
    seen.note(request(), answer(status::too_many_requests), in(1s));
    seen.note(request(), answer(), in(1s));
    EXPECT_EQ(seen.of("caixa-01")->refused, 2U);
    EXPECT_EQ(seen.of("caixa-01")->refused_at->wall(), at + 2s);
    EXPECT_EQ(seen.of("caixa-01")->refused_with, 429U);
}

TEST_F(TerminalCallsTest, TheNewestSaleThatItSoldIsItsLastOne) {
    const auto older = SaleId::make(at, random);
    const auto newer = SaleId::make(at + 1s, random);
    auto sell = request();
    sell.route = "/v1/sell";
    seen.note(sell, about(older), RunMoment(clock));
    EXPECT_EQ(seen.of("caixa-01")->last_sale, older);
    seen.note(request(), about(newer), RunMoment(clock));
    EXPECT_EQ(seen.of("caixa-01")->last_sale, older) << "a colleague's may be looked at";
    seen.note(sell, about(newer), RunMoment(clock));
    seen.note(sell, about(older), RunMoment(clock));
    seen.note(sell, answer(), RunMoment(clock));
    seen.note(sell, answer().with("Sale-Id", "nonsense"), RunMoment(clock));
    EXPECT_EQ(seen.of("caixa-01")->last_sale, newer);
}

TEST_F(TerminalCallsTest, KeysThatLetNobodyInAreNobodys) {
    EXPECT_EQ(seen.unknown().count, 0U);
    EXPECT_FALSE(seen.unknown().last_at);
    seen.note_unknown(request(""), RunMoment(clock));
    seen.note_unknown(request("", "192.0.2.9"), in(1s));
    EXPECT_EQ(seen.unknown().count, 2U);
    EXPECT_EQ(seen.unknown().last_at->wall(), at + 1s);
    EXPECT_EQ(seen.unknown().last_address, "192.0.2.9");
    EXPECT_EQ(seen.of(""), nullptr);
}

}  // namespace
}  // namespace gateway::test
