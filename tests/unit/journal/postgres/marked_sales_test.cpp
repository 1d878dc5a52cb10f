#include "journal/postgres/marked_sales.hpp"

#include "unit/journal/postgres/journal_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

using namespace testing;

// The journal's own list is in the conformance suite; this one is the operator's, without a gateway.
TEST(MarkedSalesOnPostgres, HaveTheCallbacksThatCameAndNeedNoKey) {
    boost::asio::io_context io;
    gateway::test::VirtualClock clock{io};
    gateway::test::SeededRandom random{6};
    JournalSchema sealed;
    const auto journal = sealed.open(io.get_executor(), clock, "a", {Secret(std::string(32, 'k'))});
    Sale made{.id = SaleId::make(clock.wall(), random)};
    made.terminal = "caixa-01";
    made.key = "k1";
    made.family = Family::esim;
    made.estabelecimento = "12345678";
    made.valor = Cents{2500};
    made.attention = Attention::no_callback;
    made.created_at = clock.wall();
    made.updated_at = clock.wall();
    made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
    ASSERT_TRUE(clock.run(journal->begin(made)));
    ASSERT_TRUE(clock.run(journal->keep_callback(made.id, "sale", true, Secret("{}"))));
    ASSERT_TRUE(clock.run(journal->keep_callback(made.id, "recharge", false, Secret("?"))));
    sealed.sql("UPDATE sales SET attention = 'no_callback'");

    Session session(io.get_executor(), clock, sealed.client, sealed.session_options());
    const auto marked = clock.run(read_marked_sales(session, "postgresql://db/j"));
    ASSERT_TRUE(marked.has_value());
    ASSERT_THAT(*marked, SizeIs(1));
    const auto& sale = marked->front();
    EXPECT_EQ(sale.id, made.id.str());
    EXPECT_EQ(sale.attention, Attention::no_callback);
    ASSERT_THAT(sale.callbacks, SizeIs(2));
    EXPECT_EQ(sale.callbacks[0].kind, "sale");
    EXPECT_TRUE(sale.callbacks[0].valid);
    EXPECT_FALSE(sale.callbacks[0].body) << "it is sealed";
    EXPECT_FALSE(sale.callbacks[1].valid);
}

TEST(MarkedSalesOnPostgres, AreNotToldOfAJournalThatWasMovedOrIsHalfACopy) {
    boost::asio::io_context io;
    gateway::test::VirtualClock clock{io};
    JournalSchema schema;
    (void)schema.open(io.get_executor(), clock, "a");
    Session session(io.get_executor(), clock, schema.client, schema.session_options());
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
}

}  // namespace
}  // namespace gateway::postgres::test
