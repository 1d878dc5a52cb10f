#include "journal/chain/without_gateway.hpp"

#include "journal/chain/lease.hpp"
#include "unit/journal/postgres/journal_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

using namespace testing;
using State = KnownGateway::State;

class WithoutGateway : public JournalTest {
  protected:
    // Asks as a command does, while this gateway, if it runs, keeps its lease.
    std::vector<KnownGateway> list(PostgresJournal& renewing) {
        auto found = in_time(known_gateways(session, clock), {&renewing}, 2 * renew_every);
        EXPECT_TRUE(found.has_value());
        return found.has_value() ? *found : std::vector<KnownGateway>();
    }
    MarkedRestored mark() { return good(mark_restored(session, clock.wall())); }
    MarkedRestored good(boost::asio::awaitable<boost::system::result<MarkedRestored, std::string>> asked) {
        auto marked = clock.run(std::move(asked));
        EXPECT_TRUE(marked.has_value()) << marked.error();
        return marked.has_value() ? *marked : MarkedRestored();
    }
    Sale begin(PostgresJournal& by, std::string key = {}, Family family = Family::tv) {
        auto made = sale(std::move(key));
        made.family = family;
        EXPECT_TRUE(clock.run(by.begin(made)));
        return made;
    }

    std::unique_ptr<PostgresJournal> a = start("a", {Secret(std::string(32, 'k'))});
    Session session{io.get_executor(), clock, schema.client, schema.session_options()};
};

TEST_F(WithoutGateway, ItIsSaidWhichLiveWhichStandStillAndWhichHaveStopped) {
    const auto b = start("b", {Secret(std::string(32, 'k'))});
    const auto c = start("c", {Secret(std::string(32, 'k'))});
    begin(*b);
    ASSERT_TRUE(clock.run(c->give_back()));
    const auto all = list(*a);
    ASSERT_THAT(all, SizeIs(3));
    EXPECT_EQ(all[0].name, "a");
    EXPECT_EQ(all[0].state, State::runs);
    EXPECT_TRUE(all[0].began_at);
    EXPECT_EQ(all[1].state, State::stands_still);
    EXPECT_EQ(all[1].open_sales, 1);
    EXPECT_EQ(all[2].state, State::stopped);
    EXPECT_EQ(all[2].open_sales, 0);
}

TEST_F(WithoutGateway, TheSalesThatWaitForAGatewayAreNamedAlsoWhereItIsForgotten) {
    const auto sale = begin(*a);
    const auto b = start("b", {Secret(std::string(32, 'k'))});
    schema.end_all_runs();
    renew(*b);
    renew(*b);
    ASSERT_THAT(clock.run(b->adopt()).value().sales, SizeIs(1));
    ASSERT_TRUE(clock.run(forget_gateway(session, "a")));
    const auto all = list(*b);
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[0].name, "a");
    EXPECT_EQ(all[0].state, State::stopped);
    EXPECT_FALSE(all[0].began_at);
    EXPECT_THAT(all[0].waiting, ElementsAre(sale.id.str()));
    EXPECT_THAT(all[1].waiting, IsEmpty());
    EXPECT_EQ(all[1].open_sales, 1);
}

TEST_F(WithoutGateway, AGatewayThatRunsIsNotForgotten) {
    schema.sql("INSERT INTO console_sessions VALUES ('1', 'a', 't'), ('2', 'b', 't')");
    ASSERT_TRUE(clock.run(forget_gateway(session, "a")));
    EXPECT_EQ(schema.sql("SELECT name FROM gateways"), "a");
    EXPECT_EQ(schema.sql("SELECT count(*) FROM console_sessions"), "2");
    schema.end_all_runs();
    ASSERT_TRUE(clock.run(forget_gateway(session, "a")));
    EXPECT_EQ(schema.sql("SELECT gateway FROM console_sessions"), "b");
}

TEST_F(WithoutGateway, AMarkSaysFirstWhatItWouldMeetAndChangesNothing) {
    begin(*a);
    schema.sql("UPDATE epoch SET lost_by = 'a'");
    const auto met = good(look_at_loss(session));
    EXPECT_EQ(met.lost_by, "a");
    EXPECT_EQ(met.open, 1);
    EXPECT_EQ(met.unsure, 1);
    EXPECT_EQ(schema.sql("SELECT lost_by, number FROM epoch"), "a|1");
    EXPECT_EQ(schema.sql("SELECT attention, term FROM sales"), "none|1");
}

TEST_F(WithoutGateway, AMarkLeavesWhatIsSettledAndWhatIsFinalAndEndsEveryRun) {
    begin(*a, "k1");
    begin(*a, "k2");
    schema.sql("UPDATE sales SET settled = 1, status = 'EFETIVADA', owner = '' WHERE key = 'k1'");
    schema.sql("UPDATE sales SET status = 'EFETIVADA' WHERE key = 'k2'");
    const auto marked = mark();
    EXPECT_EQ(marked.sales, 2);
    EXPECT_EQ(marked.open, 1);
    EXPECT_EQ(marked.unsure, 0);
    EXPECT_EQ(schema.sql("SELECT key, status, attention, owner, term FROM sales ORDER BY key"),
              "k1|EFETIVADA|none||1\nk2|EFETIVADA|none||2");
    EXPECT_EQ(schema.sql("SELECT count(*) FROM gateways WHERE ended = 0"), "0");
    EXPECT_EQ(schema.sql("SELECT number > 1 FROM epoch"), "t");
}

TEST_F(WithoutGateway, AfterAMarkAnEsimWaitsForItsCallbackAndASaleThatCannotBeReadForAPerson) {
    begin(*a, "k1", Family::esim);
    begin(*a, "k2");
    begin(*a, "k3");
    schema.sql("UPDATE sales SET attempts = 'x' WHERE key = 'k2'");
    EXPECT_EQ(mark().unsure, 3);
    EXPECT_EQ(schema.sql("SELECT key, status, attention, strpos(attempts, 'requesting') > 0, attempts = 'x' FROM sales"
                         " ORDER BY key"),
              "k1|PENDENTE|restored|t|f\nk2|PENDENTE|unreadable|f|t\nk3|AUTORIZADA|restored|f|f");
}

TEST_F(WithoutGateway, AJournalThatWasMovedAwayIsNotMarked) {
    begin(*a);
    schema.sql("INSERT INTO moving VALUES (1, 'moved', 'c', 'elsewhere', 1)");
    EXPECT_TRUE(clock.run(mark_restored(session, clock.wall())).has_error());
    EXPECT_EQ(schema.sql("SELECT term FROM sales; SELECT ended FROM gateways"), "1\n0");
}

// The conformance suite tests the journal's own list.
TEST_F(WithoutGateway, SalesThatNeedAPersonHaveTheCallbacksThatCameAndNeedNoKey) {
    const auto made = begin(*a, "k1", Family::esim);
    ASSERT_TRUE(clock.run(a->keep_callback(made.id, "sale", true, Secret("{}"))));
    ASSERT_TRUE(clock.run(a->keep_callback(made.id, "recharge", false, Secret("?"))));
    schema.sql("UPDATE sales SET attention = 'no_callback'");
    const auto marked = clock.run(read_marked_sales(session, "postgresql://db/j"));
    ASSERT_TRUE(marked.has_value());
    ASSERT_THAT(*marked, SizeIs(1));
    const auto& sale = marked->front();
    EXPECT_EQ(sale.id, made.id.str());
    EXPECT_EQ(sale.attention, Attention::no_callback);
    ASSERT_THAT(sale.callbacks, SizeIs(2));
    EXPECT_EQ(sale.callbacks[0].kind, "sale");
    EXPECT_TRUE(sale.callbacks[0].valid);
    EXPECT_FALSE(sale.callbacks[0].body) << "it is encrypted";
    EXPECT_FALSE(sale.callbacks[1].valid);
}

TEST_F(WithoutGateway, SalesOfAJournalThatWasMovedOrIsHalfACopyAreNotTold) {
    const auto told = [&](const std::string& state) {
        schema.sql("DELETE FROM moving; INSERT INTO moving (one, state, copy, place, at) VALUES (1, '" + state +
                   "', 'c', '/var/lib/j.db', 1700000000000)");
        const auto sales = clock.run(read_marked_sales(session, "postgresql://db/j"));
        return sales.has_error() ? sales.error() : std::string("told");
    };
    EXPECT_THAT(told("moved"), HasSubstr("it was moved to /var/lib/j.db"));
    EXPECT_THAT(told("arriving"),
                AllOf(HasSubstr("it is a copy of /var/lib/j.db that is not whole yet"),
                      HasSubstr("copy-journal --from /var/lib/j.db --to postgresql://db/j (with --password-file")));
    EXPECT_EQ(told("leaving"), "told") << "it is being copied, and is whole";
    EXPECT_THAT(told("what?"), HasSubstr("what copy-journal noted in it cannot be read"));
}

}  // namespace
}  // namespace gateway::postgres::test
