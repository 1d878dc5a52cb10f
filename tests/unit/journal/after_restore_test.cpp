#include "journal/after_restore.hpp"

#include "journal/sqlite/transaction.hpp"
#include "unit/journal/sqlite_rig.hpp"

namespace gateway::test {
namespace {

class AfterRestoreTest : public SqliteRig {
  protected:
    // Leaves what is open to the provider, while no gateway runs; gives how many sales a person is asked to look at.
    std::int64_t left_to_provider() {
        journal.reset();
        const auto work = [&](Transaction& tx) { return after_restore::leave_to_provider(tx, clock.wall()); };
        return sqlite::run_to_end(beside(), work).value();
    }
};

TEST_F(AfterRestoreTest, AnOpenSaleIsNeverConfirmedAgainAndAPersonIsAskedAboutIt) {
    open();
    auto open_sale = begun("open");
    become(open_sale, AttemptState::confirming);
    const auto final_sale = sold("sold");
    EXPECT_EQ(left_to_provider(), 1);
    open();
    const auto left = *ask(journal->find(open_sale.id));
    EXPECT_EQ(left.attention, Attention::restored);
    EXPECT_EQ(left.current().state, AttemptState::disputing);
    EXPECT_FALSE(left.current().confirm_time);
    EXPECT_EQ(ask(journal->find(final_sale.id))->attention, Attention::none);
}

TEST_F(AfterRestoreTest, NobodyIsSignedInAtTheConsole) {
    open();
    const KeptSession ana{.digest = std::string(64, 'a'), .name = "Ana", .role = "settle"};
    ask(journal->change_sessions({.begun = {ana}}));
    left_to_provider();
    open();
    EXPECT_TRUE(ask(journal->load_sessions()).empty());
}

TEST_F(AfterRestoreTest, ASaleThatCannotBeReadIsMarkedAndTheTokenIsRemoved) {
    open();
    begun("damaged");
    ask(journal->save_token(KeptToken{.access = Secret("a"), .obtained_at = clock.wall(), .expires_at = clock.wall()}));
    sql("UPDATE sales SET attempts = '{'");
    EXPECT_EQ(left_to_provider(), 1);
    EXPECT_EQ(text("SELECT attention FROM sales"), "unreadable");
    EXPECT_EQ(text("SELECT count(*) FROM token"), "0");
}

}  // namespace
}  // namespace gateway::test
