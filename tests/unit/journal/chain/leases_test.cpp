#include "journal/chain/leases.hpp"

#include "journal/chain/lease.hpp"
#include "unit/journal/postgres/journal_rig.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace gateway::postgres::test {
namespace {

using namespace testing;

// Processes that are set up with a name each, and some of them with one name; each box has a tally file of its own.
class LeasesTest : public JournalTest {
  protected:
    PostgresOptions of(const std::string& name, const std::string& box) {
        auto wanted = schema.options(name);
        if (!box.empty()) wanted.tally_file = folder.path(box);
        return wanted;
    }
    std::unique_ptr<PostgresJournal> start(const std::string& name, const std::string& box) {
        auto opened = open_in_time(of(name, box));
        EXPECT_TRUE(opened.has_value()) << opened.error();
        return opened.has_value() ? std::move(*opened) : nullptr;
    }
    Sale begin_sale(PostgresJournal& by) {
        auto made = sale();
        EXPECT_TRUE(clock.run(by.begin(made)));
        return made;
    }
    std::size_t adopted(PostgresJournal& by) { return clock.run(by.adopt()).value().sales.size(); }
    std::size_t commands(PostgresJournal& of) { return clock.run(of.forwarded_commands()).value().size(); }
    std::string living() { return schema.sql("SELECT count(*) FROM gateways WHERE ended = 0"); }
    // Does what takes the sale, while a run that is beginning stands still with the lock of the runs. It goes on once
    // the taking has come to something, or waits for that lock.
    template <class T>
    T while_a_run_begins(boost::asio::awaitable<T> taking) {
        auto wanted = of("b", "box-of-b");
        for (auto& [name, value] : wanted.session.connection.settings)
            if (name == "options") value += " -cidle_in_transaction_session_timeout=0";  // or the server ends it
        std::optional<Opened> beginning;
        schema.client.stands_still_at = "enter_run";
        begin(schema.opening(io.get_executor(), clock, std::move(wanted)), beginning);
        while (!schema.client.stands_still)
            run_one();
        std::optional<T> taken;
        begin(std::move(taking), taken);
        // The run that stands still asks again and again whether it may go on, so that the loop never runs dry.
        while (!taken && schema.sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") == "0")
            for (int i = 0; i < 50; ++i)
                run_one();
        EXPECT_FALSE(taken) << "it did not wait";
        EXPECT_EQ(schema.sql("SELECT term FROM sales"), "1");
        schema.client.stands_still = false;
        while (!beginning || !taken)
            run_one();
        EXPECT_TRUE(beginning->has_value()) << beginning->error();
        EXPECT_EQ(schema.sql("SELECT term FROM sales"), "2");
        return std::move(*taken);
    }

    const gateway::test::TemporaryFolder folder;
};

TEST_F(LeasesTest, OneThatIsPausedBeforeItBeginsLooksOnlyThen) {
    std::optional<Opened> first;
    schema.client.stands_still_at = "lock_alone";
    begin(schema.opening(io.get_executor(), clock, of("a", "box-1")), first);
    while (!schema.client.stands_still)
        run_one();
    const auto second = start("a", "box-2");
    schema.client.stands_still = false;
    while (!has_come(first))
        pass_a_second({second.get()});
    ASSERT_TRUE(first->has_error());
    EXPECT_THAT(first->error(),
                HasSubstr("another gateway with the name a is running on it: each needs a name of its own"));
    EXPECT_EQ(living(), "1");
}

TEST_F(LeasesTest, AnAdoptionWaitsForARunThatBegins) {
    const auto made = begin_sale(*start("a", "box-1"));
    const auto namesake = start("a", "box-2");
    const auto adopted = while_a_run_begins(namesake->adopt());
    ASSERT_TRUE(adopted.has_value());
    ASSERT_EQ(adopted->sales.size(), 1u);
    EXPECT_EQ(adopted->sales[0].id, made.id);
}

TEST_F(LeasesTest, AClaimOfADeadRunsSaleWaitsForARunThatBegins) {
    const auto made = begin_sale(*start("a", "box-1"));
    const auto namesake = start("a", "box-2");
    const auto claimed = while_a_run_begins(namesake->claim(made.id));
    ASSERT_TRUE(claimed.has_value());
    EXPECT_TRUE(namesake->owns(made.id));
}

TEST_F(LeasesTest, OneWhoseRunWasEndedLooksBeforeItGoesOnAndSaysWhatIsInItsWay) {
    const auto paused = start("a", "box-1");
    const auto namesake = start("a", "box-2");
    for (int i = 0; i < 3; ++i)
        pass_a_second({paused.get(), namesake.get()});
    EXPECT_FALSE(paused->may_act());
    EXPECT_FALSE(paused->healthy());
    EXPECT_THAT(paused->stats().detail, HasSubstr("another gateway with the name a is running"));
    EXPECT_TRUE(clock.run(paused->probe()).has_error());
    EXPECT_TRUE(namesake->may_act());
    EXPECT_EQ(living(), "1");
    ASSERT_TRUE(clock.run(namesake->give_back()));
    renew(*paused);
    EXPECT_TRUE(paused->may_act());
    EXPECT_TRUE(paused->healthy());
}

TEST_F(LeasesTest, OneWhoseRunWasEndedWaitsOutWhatStandsStillInItsWay) {
    const auto paused = start("a", "box-1");
    start("a", "box-2");
    const auto from = clock.now();
    renew(*paused);
    while (!paused->may_act())
        pass_a_second({paused.get()});
    EXPECT_GE(clock.now() - from, dead_after);
    EXPECT_EQ(living(), "1");
    EXPECT_TRUE(paused->healthy());
}

boost::asio::awaitable<void> commit(Session& session, const Engine::Work& work, int& done) {
    (void)co_await session.commit(Engine::Access::write, work);
    ++done;
}

boost::asio::awaitable<void> renew_lease(PostgresJournal& journal, const int& done, std::optional<int>& before) {
    co_await journal.renew_lease();
    before = done;
}

TEST_F(LeasesTest, ARenewalGoesAheadOfAQueueThatIsLongerThanACommit) {
    const auto process = start("a", "box-1");
    const Engine::Work work = [](Transaction& tx) -> Job<void> { (void)co_await tx.ask("SELECT 1"); };
    constexpr int waiting = 1'100;
    int done = 0;
    for (int i = 0; i < waiting; ++i)
        boost::asio::co_spawn(io, commit(process->writer(), work, done), boost::asio::detached);
    std::optional<int> done_before;
    boost::asio::co_spawn(io, renew_lease(*process, done, done_before), boost::asio::detached);
    while (done < waiting)
        renew(*process);
    ASSERT_TRUE(done_before);
    EXPECT_LT(*done_before, waiting);
}

TEST_F(LeasesTest, AnEarlierRunOfTheSameProcessIsEndedByItsNext) {
    const auto process = start("a", "box-1");
    schema.client.loss = FailingClient::Loss::not_done;
    ASSERT_TRUE(clock.run(process->give_back()).has_error());
    EXPECT_EQ(living(), "1") << "it does not know whether its run has ended";
    renew(*process);
    EXPECT_TRUE(process->may_act());
    EXPECT_EQ(living(), "1");
}

TEST_F(LeasesTest, ABeginningWhoseCommitEndedUnknownIsMetByTheNextTry) {
    for (const auto loss : {FailingClient::Loss::done, FailingClient::Loss::not_done}) {
        const auto process = start("a", "box-1");
        schema.end_all_runs();
        renew(*process);
        schema.client.loss = loss;
        renew(*process);
        EXPECT_FALSE(process->may_act());
        renew(*process);
        EXPECT_TRUE(process->may_act());
        EXPECT_EQ(living(), "1");
        ASSERT_TRUE(clock.run(process->give_back()));
    }
}

TEST_F(LeasesTest, WhatMayBeSentLateWaitsForTheNextStartOfItsTallyFileThoughThatIsRefused) {
    auto killed = start("a", "box-1");
    const auto made = begin_sale(*killed);
    const auto namesake = start("a", "box-2");
    ASSERT_EQ(adopted(*namesake), 1u);
    EXPECT_EQ(commands(*namesake), 0u) << "its process may wake up yet";
    killed.reset();
    const auto refused = open_in_time(of("a", "box-1"), {namesake.get()});
    ASSERT_TRUE(refused.has_error());
    const auto heard = clock.run(namesake->forwarded_commands()).value();
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<SentLate>(heard[0].event));
    EXPECT_EQ(heard[0].attempt, made.current().id_externo);
    EXPECT_EQ(schema.sql("SELECT count(*) FROM sales WHERE taken_from IS NOT NULL"), "0");
}

TEST_F(LeasesTest, OneThatWakesUpBesideItsNamesakeSaysWhatItMayHaveSent) {
    const auto paused = start("a", "box-1");
    begin_sale(*paused);
    const auto namesake = start("a", "box-2");
    ASSERT_EQ(adopted(*namesake), 1u);
    renew(*paused);
    EXPECT_EQ(commands(*namesake), 0u) << "it has not begun anew";
    renew(*paused);
    EXPECT_FALSE(paused->may_act());
    EXPECT_EQ(commands(*namesake), 1u);
}

TEST_F(LeasesTest, WhatWaitsForAMachineThatWillNotReturnIsLetGoOfByItsName) {
    begin_sale(*start("a", "box-1"));
    const auto other = start("b", "box-3");
    for (int i = 0; i < 8; ++i)
        pass_a_second({other.get()});
    ASSERT_EQ(adopted(*other), 1u);
    const auto as_that_one = start("a", "");
    EXPECT_EQ(commands(*other), 0u);
    ASSERT_TRUE(clock.run(as_that_one->leases().let_go_of_name()));
    EXPECT_EQ(commands(*other), 1u);
}

TEST_F(LeasesTest, WhatAnEarlierVersionNotedIsSaidByTheNextRunOfTheName) {
    const auto made = begin_sale(*start("a", "box-1"));
    schema.sql("UPDATE sales SET taken_from = jsonb_build_array(jsonb_build_object('gateway', 'a', 'idExterno', '" +
               made.current().id_externo.str() + "'))");
    schema.end_all_runs();
    const auto again = start("a", "box-2");
    EXPECT_EQ(commands(*again), 1u);
    EXPECT_EQ(schema.sql("SELECT taken_from IS NULL FROM sales"), "t");
}

TEST_F(LeasesTest, ACopyOfABoxIsRefusedWithWhatToDo) {
    const auto first = start("a", "box-1");
    renew(*first);
    std::filesystem::copy_file(folder.path("box-1"), folder.path("box-2"));
    const auto copy = open_in_time(of("a", "box-2"), {first.get()});
    ASSERT_TRUE(copy.has_error());
    EXPECT_THAT(copy.error(), AllOf(HasSubstr("the gateway a that is running on it has the same journal.tally_file"),
                                    HasSubstr("remove " + folder.path("box-2"))));
    std::filesystem::remove(folder.path("box-2"));
    EXPECT_TRUE(open_in_time(of("b", "box-2"), {first.get()}).has_value());
}

TEST_F(LeasesTest, ASecondProcessWithTheSameTallyFileIsRefusedAtOnce) {
    const auto first = start("a", "box-1");
    clock.jump(dead_after);
    const auto second = open_in_time(of("a", "box-1"));
    ASSERT_TRUE(second.has_error());
    EXPECT_THAT(second.error(), HasSubstr("is in use by another process"));
    renew(*first);
    EXPECT_TRUE(first->may_act());
}

}  // namespace
}  // namespace gateway::postgres::test
