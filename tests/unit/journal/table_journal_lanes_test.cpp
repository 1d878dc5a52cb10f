// Tests in which lane each operation waits and what it does to the tables: a list does not delay what a till waits for,
// and what writes much runs by itself. table_journal_conformance_test.cpp tests the rest.
#include "journal/table_journal.hpp"
#include "unit/journal/journal_user.hpp"
#include "unit/journal/scripted_transaction.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

// Notes how a job would be run, and runs it only on the transaction that a test gives.
class RefusingJournal final : public TableJournal {
  public:
    explicit RefusingJournal(Clock& clock) : TableJournal(std::make_unique<FieldCipher>(), clock, encrypted::tables) {}

    std::string last;
    ScriptedTransaction* runs_on = nullptr;

    Awaited<KeyState> begin(const Sale&) override { co_return errc::shutting_down; }
    Awaited<void> record(const Sale&, const Change&, const Attempt*, const HistoryEntry&) override {
        co_return errc::shutting_down;
    }
    Awaited<Sale> reread(SaleId) override { co_return errc::shutting_down; }
    Awaited<AdoptedSales> adopt() override { co_return errc::shutting_down; }
    Awaited<std::optional<KeptToken>> load_token() override { co_return errc::shutting_down; }
    Awaited<void> save_token(const std::optional<KeptToken>&) override { co_return errc::shutting_down; }
    Awaited<void> forget_old_pages() override { co_return errc::shutting_down; }
    Awaited<void> probe() override { co_return errc::shutting_down; }
    Awaited<void> check_files() override { co_return errc::shutting_down; }
    JournalStats stats() const override { return {}; }
    bool healthy() const noexcept override { return true; }

  private:
    Job<bool> take_duty(Tx&) override { co_return false; }
    Awaited<void> commit(Lane lane, Access access, const Engine::Work& work, std::string order) override {
        if (runs_on != nullptr) co_return sqlite::run_to_end(work(*runs_on));
        last = lane == Lane::of_sales ? "of sales, " : "of lists, ";
        last += access == Access::read ? "reads" : access == Access::glance ? "glances" : "";
        last += access == Access::write ? "writes" : access == Access::alone ? "is alone" : "";
        if (!order.empty()) last += ", " + order;
        co_return errc::shutting_down;
    }
};

class TableJournalLanes : public Test, protected JournalUser {
  protected:
    template <class T>
    std::string how(Journal::Awaited<T> operation) {
        refusing.last.clear();
        const auto done = clock.run(std::move(operation));
        EXPECT_TRUE(done.has_error() && done.error() == errc::shutting_down);
        return refusing.last;
    }

    RefusingJournal refusing{clock};
    const Sale made = sale();
    const std::string text;
};

TEST_F(TableJournalLanes, WhatATillOrAPersonsActWaitsForIsBehindNoList) {
    EXPECT_EQ(how(refusing.find(made.id)), "of sales, reads");
    EXPECT_EQ(how(refusing.find_key("caixa-01", "k1")), "of sales, reads");
    EXPECT_EQ(how(refusing.find_callback("secret")), "of sales, reads");
    EXPECT_EQ(how(refusing.cancel_key("caixa-01", "k1")), "of sales, writes, k1");
    EXPECT_EQ(how(refusing.count_receipt(made)), "of sales, writes");
    EXPECT_EQ(how(refusing.note_receipt(made, "rita")), "of sales, writes");
    EXPECT_EQ(how(refusing.keep_callback(made.id, "sale", true, Secret("{}"))), "of sales, writes");
    EXPECT_EQ(how(refusing.begin_close({}, clock.wall(), text)), "of sales, writes");
    EXPECT_EQ(how(refusing.finish_close({})), "of sales, writes");
    EXPECT_EQ(how(refusing.close_finding(1, text, text, clock.wall())), "of sales, writes");
    EXPECT_EQ(how(refusing.finding_done(1, text, true, clock.wall())), "of sales, writes");
}

TEST_F(TableJournalLanes, WhatPeopleLookAtWaitsForTheSales) {
    const std::vector<std::string> ids;
    EXPECT_EQ(how(refusing.list({})), "of lists, reads");
    EXPECT_EQ(how(refusing.marked()), "of lists, reads");
    EXPECT_EQ(how(refusing.history(made.id)), "of lists, reads");
    EXPECT_EQ(how(refusing.callbacks(made.id)), "of lists, reads");
    EXPECT_EQ(how(refusing.sales_of_days({}, text)), "of lists, reads");
    EXPECT_EQ(how(refusing.sales_of_close({}, text)), "of lists, reads");
    EXPECT_EQ(how(refusing.open_sales(std::nullopt, text)), "of lists, reads");
    EXPECT_EQ(how(refusing.closes({})), "of lists, reads");
    EXPECT_EQ(how(refusing.forgotten_days(text, {}, {})), "of lists, reads");
    EXPECT_EQ(how(refusing.known_statement(text, text)), "of lists, reads");
    EXPECT_EQ(how(refusing.statements({})), "of lists, reads");
    EXPECT_EQ(how(refusing.findings({})), "of lists, reads");
    EXPECT_EQ(how(refusing.open_findings()), "of lists, reads");
    EXPECT_EQ(how(refusing.owners(ids)), "of lists, reads");
    EXPECT_EQ(how(refusing.id_prefixes()), "of lists, reads");
}

TEST_F(TableJournalLanes, WhoSignsInAtTheConsoleWaitsForTheSales) {
    EXPECT_EQ(how(refusing.load_sessions()), "of lists, reads");
    const SessionChanges changes;
    EXPECT_EQ(how(refusing.change_sessions(changes)), "of lists, writes");
}

TEST_F(TableJournalLanes, WhatWritesMuchIsAloneAndAfterTheSales) {
    const Rules rules;
    const KeptStatement statement{};
    const std::vector<Finding> findings;
    EXPECT_EQ(how(refusing.keep_statement(statement, findings)), "of lists, is alone");
    EXPECT_EQ(how(refusing.date_old_sales(rules)), "of lists, is alone");
    EXPECT_EQ(how(refusing.erase_personal(clock.wall())), "of lists, is alone");
    EXPECT_EQ(how(refusing.rotate_keys()), "of lists, is alone");
}

TEST_F(TableJournalLanes, AGatewayThatIsNotOnDutyLeavesTheHousekeepingToTheOneThatIs) {
    ScriptedTransaction script;
    refusing.runs_on = &script;
    EXPECT_EQ(ask(refusing.erase_personal(clock.wall())).sales, 0u);
    EXPECT_FALSE(ask(refusing.erase_personal(clock.wall())).more);
    EXPECT_EQ(ask(refusing.rotate_keys()), KeyRotationState::nothing_to_do);
    EXPECT_THAT(script.did, IsEmpty());
}

}  // namespace
}  // namespace gateway::test
