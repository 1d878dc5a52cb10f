#include "journal/chain/mark_restored.hpp"

#include "unit/journal/postgres/journal_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

using namespace testing;

class MarkRestored : public Test {
  protected:
    template <class Work>
    MarkedRestored after(Work work) {
        Session uncounted(io.get_executor(), clock, schema.client, schema.session_options());
        auto marked = clock.run(work(uncounted));
        EXPECT_TRUE(marked.has_value()) << marked.error();
        return marked.has_value() ? *marked : MarkedRestored();
    }
    MarkedRestored mark() {
        return after([&](Session& session) { return mark_restored(session, clock.wall()); });
    }
    MarkedRestored look() { return after(look_at_loss); }
    void begin(const std::string& key, Family family = Family::tv) {
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = key;
        made.family = family;
        made.estabelecimento = "12345678";
        made.valor = Cents{2500};
        made.created_at = clock.wall();
        made.updated_at = clock.wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
        ASSERT_TRUE(clock.run(journal->begin(made)));
    }

    JournalSchema schema;
    boost::asio::io_context io;
    gateway::test::VirtualClock clock{io};
    gateway::test::SeededRandom random{4};
    std::unique_ptr<PostgresJournal> journal = schema.open(io.get_executor(), clock, "a");
};

TEST_F(MarkRestored, SaysFirstWhatItWouldMeetAndChangesNothing) {
    begin("k1");
    schema.sql("UPDATE epoch SET lost_by = 'a'");
    const auto met = look();
    EXPECT_EQ(met.lost_by, "a");
    EXPECT_EQ(met.open, 1);
    EXPECT_EQ(met.unsure, 1);
    EXPECT_EQ(schema.sql("SELECT lost_by, number FROM epoch"), "a|1");
    EXPECT_EQ(schema.sql("SELECT attention, term FROM sales"), "none|1");
}

TEST_F(MarkRestored, WhatIsSettledAndWhatIsFinalStaysAsItIs) {
    begin("k1");
    begin("k2");
    schema.sql("UPDATE sales SET settled = 1, status = 'EFETIVADA', owner = '' WHERE key = 'k1'");
    schema.sql("UPDATE sales SET status = 'EFETIVADA' WHERE key = 'k2'");
    const auto marked = mark();
    EXPECT_EQ(marked.sales, 2);
    EXPECT_EQ(marked.open, 1);
    EXPECT_EQ(marked.unsure, 0);
    EXPECT_EQ(schema.sql("SELECT key, status, attention, owner, term FROM sales ORDER BY key"),
              "k1|EFETIVADA|none||1\nk2|EFETIVADA|none||2");
}

TEST_F(MarkRestored, AnEsimWaitsForItsCallbackAsBefore) {
    begin("k1", Family::esim);
    mark();
    EXPECT_EQ(schema.sql("SELECT status, attention, strpos(attempts, 'requesting') > 0 FROM sales"),
              "PENDENTE|restored|t");
}

TEST_F(MarkRestored, ASaleWhoseRowCannotBeReadIsMarkedForAPerson) {
    begin("k1");
    begin("k2");
    schema.sql("UPDATE sales SET attempts = 'x' WHERE key = 'k1'");
    EXPECT_EQ(mark().unsure, 2);
    EXPECT_EQ(schema.sql("SELECT key, attention, attempts = 'x' FROM sales ORDER BY key"),
              "k1|unreadable|t\nk2|restored|f");
}

TEST_F(MarkRestored, EveryRunHasEnded) {
    mark();
    EXPECT_EQ(schema.sql("SELECT count(*) FROM gateways WHERE ended = 0"), "0");
    EXPECT_EQ(schema.sql("SELECT number > 1 FROM epoch"), "t");
}

TEST_F(MarkRestored, AJournalThatWasMovedAwayIsLeftAlone) {
    begin("1");
    schema.sql("INSERT INTO moving VALUES (1, 'moved', 'c', 'elsewhere', 1)");
    Session uncounted(io.get_executor(), clock, schema.client, schema.session_options());
    EXPECT_TRUE(clock.run(mark_restored(uncounted, clock.wall())).has_error());
    EXPECT_EQ(schema.sql("SELECT term FROM sales; SELECT ended FROM gateways"), "1\n0");
}

}  // namespace
}  // namespace gateway::postgres::test
