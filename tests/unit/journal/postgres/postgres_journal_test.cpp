#include "journal/postgres/postgres_journal.hpp"

#include "unit/journal/postgres/journal_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class PostgresJournalTest : public JournalTest {
  protected:
    static Change cancelling(const Sale& made, WallTime at) {
        Change change{.at = at, .attempt = 0, .next = made.current(), .status = Status::CANCELADA};
        change.next.state = AttemptState::cancelling;
        change.next.cancel_time = at;
        return change;
    }

    std::unique_ptr<PostgresJournal> journal = start("a");
};

TEST_F(PostgresJournalTest, ACommandThatAnotherGatewayForwardsIsHeardAtOnce) {
    bool heard = false;
    journal->when_a_command_is_forwarded([&] { heard = true; });
    const auto made = sale("k1");
    ASSERT_TRUE(clock.run(journal->begin(made)));
    const auto other = start("b");
    const ForwardedCommand command{.sale = made.id, .event = CancelAsked{}};
    // The first ones may come before it listens.
    while (!heard)
        ASSERT_TRUE(clock.run(other->forward_command(command)));
    EXPECT_THAT(clock.run(journal->forwarded_commands()).value(), Not(IsEmpty()));
}

TEST_F(PostgresJournalTest, AStepIsRecordedWhateverBytesTellOfIt) {
    const auto made = sale("k1");
    ASSERT_TRUE(clock.run(journal->begin(made)));
    auto change = cancelling(made, clock.wall());
    change.reason = Reason{.code = ReasonCode::refused, .detail = "n\xe3o"};
    change.reason->provider_body = Secret(std::string("\xff\0x", 3));
    EXPECT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test", .detail = "n\xe3o"})));
    const auto stands = clock.run(journal->find(made.id)).value().value();
    EXPECT_EQ(stands.reason->detail, "n?o");
    EXPECT_EQ(clock.run(journal->history(made.id)).value().events.at(1).detail, "n?o");
}

TEST_F(PostgresJournalTest, TheTurnToAskForATokenIsAnothersAtOnceWhenItEndsAndNotBefore) {
    const auto other = start("b");
    const auto has_turn = [this](Chain& gateway) { return clock.run(gateway.claim_token()).value().is_ours; };
    EXPECT_TRUE(has_turn(*journal));
    EXPECT_FALSE(has_turn(*other));
    ASSERT_TRUE(clock.run(other->end_token_turn())) << "it has none";
    EXPECT_FALSE(has_turn(*other));
    const KeptToken left{.refresh = Secret("r"), .obtained_at = clock.wall(), .expires_at = clock.wall(), .owner = "o"};
    ASSERT_TRUE(clock.run(journal->save_token(left))) << "the access token was rejected: no other has come yet";
    EXPECT_FALSE(has_turn(*other)) << "what was kept meanwhile is news";
    EXPECT_FALSE(has_turn(*other));
    ASSERT_TRUE(clock.run(journal->end_token_turn()));
    EXPECT_TRUE(has_turn(*other));
    EXPECT_FALSE(has_turn(*journal));
}

TEST_F(PostgresJournalTest, OneOfALeaseThatRanOutRenewsItBeforeItBeginsASale) {
    clock.jump(1h);
    EXPECT_FALSE(journal->may_act());
    EXPECT_TRUE(clock.run(journal->begin(sale("k1"))));
    EXPECT_TRUE(journal->may_act());
}

// This is a journal whose commits end unknown: each was done, or was not.
class DoubtfulPostgresJournal : public PostgresJournalTest, public WithParamInterface<FailingClient::Loss> {
  protected:
    bool is_done() const { return GetParam() == FailingClient::Loss::done; }
    template <class T>
    void expect_unknown(const Result<T>& result) {
        ASSERT_TRUE(result.has_error());
        EXPECT_EQ(result.error(), errc::commit_unknown);
    }
};

TEST_P(DoubtfulPostgresJournal, ABeginIsResolvedByRepeatingIt) {
    const auto made = sale("k1");
    schema.client.loss = GetParam();
    expect_unknown(clock.run(journal->begin(made)));
    EXPECT_FALSE(journal->owns(made.id));
    EXPECT_THAT(clock.run(journal->adopt())->sales, IsEmpty()) << "it is being resolved";
    const auto again = clock.run(journal->begin(made));
    EXPECT_TRUE(again.has_value() && !again->sale && !again->cancelled);
    EXPECT_TRUE(journal->owns(made.id));
    const auto change = cancelling(made, clock.wall());
    EXPECT_TRUE(clock.run(journal->record(made, change, nullptr, {.event = "test"})));
    EXPECT_EQ(clock.run(journal->history(made.id))->events.size(), 2u);
}

TEST_P(DoubtfulPostgresJournal, ARecordIsResolvedByAReread) {
    for (const bool settles : {false, true}) {
        const auto made = sale();
        ASSERT_TRUE(clock.run(journal->begin(made)));
        auto change = cancelling(made, clock.wall());
        if (settles) change.next.state = AttemptState::cancelled;
        change.settled = settles;
        schema.client.loss = GetParam();
        expect_unknown(clock.run(journal->record(made, change, nullptr, {.event = "test"})));
        const auto stands = clock.run(journal->reread(made.id));
        ASSERT_TRUE(stands.has_value());
        EXPECT_EQ(stands->status, is_done() ? Status::CANCELADA : Status::PENDENTE);
        EXPECT_EQ(stands->settled, settles && is_done());
        EXPECT_EQ(journal->owns(made.id), !stands->settled) << "what is settled is nobody's";
        if (stands->settled) continue;
        EXPECT_EQ(schema.sql("SELECT term FROM sales WHERE id = '" + made.id.str() + "'"), "2")
            << "a record that comes about yet finds another term";
        EXPECT_TRUE(clock.run(journal->record(*stands, change, nullptr, {.event = "test"}))) << "it goes on from there";
        EXPECT_EQ(clock.run(journal->history(made.id))->events.size(), is_done() ? 3u : 2u);
    }
}

TEST_P(DoubtfulPostgresJournal, ACancelledKeyIsResolvedByRepeatingIt) {
    schema.client.loss = GetParam();
    expect_unknown(clock.run(journal->cancel_key("caixa-01", "k1")));
    EXPECT_TRUE(clock.run(journal->cancel_key("caixa-01", "k1"))->cancelled);
    EXPECT_TRUE(clock.run(journal->begin(sale("k1")))->cancelled);
}

TEST_P(DoubtfulPostgresJournal, ACloseIsResolvedByRepeatingIt) {
    const CloseKey key{.estabelecimento = "12345678", .day = std::chrono::year(2026) / 11 / 20};
    schema.client.loss = GetParam();
    expect_unknown(clock.run(journal->begin_close(key, clock.wall(), "maria")));
    const auto close = clock.run(journal->begin_close(key, clock.wall(), "rita"));
    EXPECT_EQ(close->made_by, is_done() ? "maria" : "rita");
    EXPECT_EQ(close->number, 1);
}

TEST_P(DoubtfulPostgresJournal, AnAdoptionIsResolvedByTheNextOne) {
    const auto made = sale("k1");
    ASSERT_TRUE(clock.run(journal->begin(made)));
    ASSERT_TRUE(clock.run(journal->give_back()));
    const auto other = start("b");
    schema.client.loss = GetParam();
    expect_unknown(clock.run(other->adopt()));
    EXPECT_FALSE(other->owns(made.id));
    EXPECT_THAT(clock.run(other->adopt()).value().sales, SizeIs(1));
    EXPECT_TRUE(other->owns(made.id));
    EXPECT_EQ(schema.sql("SELECT term FROM sales"), is_done() ? "3" : "2");
}

INSTANTIATE_TEST_SUITE_P(Commits, DoubtfulPostgresJournal,
                         Values(FailingClient::Loss::done, FailingClient::Loss::not_done),
                         [](const TestParamInfo<FailingClient::Loss>& info) {
                             return info.param == FailingClient::Loss::done ? "Done" : "NotDone";
                         });

}  // namespace
}  // namespace gateway::postgres::test
