#include "journal/chain/gateway_list.hpp"

#include "journal/chain/lease.hpp"
#include "unit/journal/postgres/journal_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

using namespace testing;
using State = KnownGateway::State;

class GatewayList : public Test {
  protected:
    // As a command asks, while this gateway, where it is one, keeps its lease.
    std::vector<KnownGateway> list(PostgresJournal* renewing = nullptr) {
        Session session(io.get_executor(), clock, schema.client, schema.session_options());
        std::optional<Result<std::vector<KnownGateway>>> found;
        boost::asio::co_spawn(io, keep(session, found), boost::asio::detached);
        while (!found) {
            clock.run(passing(renewing));
            clock.jump(renew_every);
        }
        EXPECT_TRUE(found->has_value());
        return found->has_value() ? **found : std::vector<KnownGateway>();
    }
    boost::asio::awaitable<void> keep(Session& session, std::optional<Result<std::vector<KnownGateway>>>& found) {
        found.emplace(co_await known_gateways(session, clock));
    }
    // Lets what is asked be answered.
    boost::asio::awaitable<bool> passing(PostgresJournal* renewing) {
        Session session(io.get_executor(), clock, schema.client, schema.session_options());
        (void)co_await answering(session);
        if (renewing != nullptr) co_await renewing->renew_lease();
        co_return true;
    }
    Sale begin(PostgresJournal& by) {
        clock.jump(Duration(1));
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = made.id.str();
        made.estabelecimento = "12345678";
        made.valor = Cents{2500};
        made.created_at = clock.wall();
        made.updated_at = clock.wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
        EXPECT_TRUE(clock.run(by.begin(made)));
        return made;
    }

    JournalSchema schema;
    boost::asio::io_context io;
    gateway::test::VirtualClock clock{io};
    gateway::test::SeededRandom random{5};
    std::unique_ptr<PostgresJournal> a = schema.open(io.get_executor(), clock, "a");
};

TEST_F(GatewayList, SaysWhichLiveWhichStandStillAndWhichHaveStopped) {
    const auto b = schema.open(io.get_executor(), clock, "b");
    const auto c = schema.open(io.get_executor(), clock, "c");
    begin(*b);
    ASSERT_TRUE(clock.run(c->give_back()));
    const auto all = list(a.get());
    ASSERT_THAT(all, SizeIs(3));
    EXPECT_EQ(all[0].name, "a");
    EXPECT_EQ(all[0].state, State::runs);
    EXPECT_TRUE(all[0].began_at);
    EXPECT_EQ(all[1].state, State::stands_still);
    EXPECT_EQ(all[1].carries, 1);
    EXPECT_EQ(all[2].state, State::stopped);
    EXPECT_EQ(all[2].carries, 0);
}

TEST_F(GatewayList, NamesTheSalesThatWaitForAGatewayAlsoWhereItIsForgotten) {
    const auto sale = begin(*a);
    const auto b = schema.open(io.get_executor(), clock, "b");
    schema.end_all_runs();
    clock.run(passing(b.get()));
    clock.run(passing(b.get()));
    ASSERT_THAT(clock.run(b->adopt()).value().sales, SizeIs(1));
    ASSERT_TRUE(clock.run(forget_gateway(a->writer(), "a")));
    const auto all = list(b.get());
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[0].name, "a");
    EXPECT_EQ(all[0].state, State::stopped);
    EXPECT_FALSE(all[0].began_at);
    EXPECT_THAT(all[0].waiting, ElementsAre(sale.id.str()));
    EXPECT_THAT(all[1].waiting, IsEmpty());
    EXPECT_EQ(all[1].carries, 1);
}

TEST_F(GatewayList, OneThatRunsIsNotForgotten) {
    ASSERT_TRUE(clock.run(forget_gateway(a->writer(), "a")));
    EXPECT_EQ(schema.sql("SELECT name FROM gateways"), "a");
}

}  // namespace
}  // namespace gateway::postgres::test
