#include "journal/chain/acknowledged_commits.hpp"

#include "journal/chain/without_gateway.hpp"
#include "unit/journal/postgres/journal_rig.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace gateway::postgres::test {
namespace {

using namespace testing;

class AcknowledgedCommitsTest : public JournalTest {
  protected:
    PostgresOptions options(const std::string& gateway) {
        auto wanted = schema.options(gateway);
        wanted.session.log = &log;
        wanted.tally_file = folder.path("tally-" + gateway);
        return wanted;
    }
    std::unique_ptr<PostgresJournal> good(const std::string& gateway) {
        auto opened = open(options(gateway));
        EXPECT_TRUE(opened.has_value()) << opened.error();
        return opened.has_value() ? std::move(*opened) : nullptr;
    }
    MarkedRestored mark() {
        Session uncounted(io.get_executor(), clock, schema.client, schema.session_options());
        auto marked = clock.run(mark_restored(uncounted, clock.wall()));
        EXPECT_TRUE(marked.has_value()) << marked.error();
        return marked.has_value() ? *marked : MarkedRestored();
    }
    // Leaves of the count what a restore leaves, or a promotion that loses commits.
    void lose_of(const std::string& gateway, int connection) {
        schema.sql("UPDATE commits SET made = made - 1 WHERE gateway = '" + gateway +
                   "' AND connection = " + std::to_string(connection));
    }

    const gateway::test::TemporaryFolder folder;
    MemoryLog log;
};

TEST_F(AcknowledgedCommitsTest, ALossIsNoticedByTheNextCommitAndStopsEveryGateway) {
    const auto a = good("a");
    const auto b = good("b");
    const auto known = sale();
    ASSERT_TRUE(clock.run(a->begin(known)));
    lose_of("a", 0);
    const auto refused = clock.run(a->begin(sale()));
    ASSERT_TRUE(refused.has_error());
    EXPECT_THAT(refused.error().message(), HasSubstr("sales-gateway mark-restored"));
    EXPECT_FALSE(a->may_act());
    EXPECT_FALSE(a->healthy());
    EXPECT_EQ(schema.sql("SELECT count(*) FROM sales"), "1");
    EXPECT_TRUE(b->may_act()) << "nobody has told it yet";
    renew(*a);
    EXPECT_FALSE(a->may_act());
    EXPECT_FALSE(a->owns(known.id));
    EXPECT_EQ(schema.sql("SELECT lost_by FROM epoch"), "a");
    EXPECT_EQ(log.count("error journal.lost"), 1u);
    EXPECT_TRUE(log.has("of this machine is the right one")) << "which server it is";
    EXPECT_TRUE(clock.run(b->begin(sale())).has_error());
    EXPECT_FALSE(b->may_act());
    renew(*a);
    EXPECT_EQ(log.count("error journal.lost"), 1u) << "it is said once";
    EXPECT_THAT(refusal(options("c")), HasSubstr("as the gateway a noticed"));
}

TEST_F(AcknowledgedCommitsTest, WhatIsToldIsReadFromAJournalThatLostNothing) {
    const auto journal = good("a");
    const auto known = sale();
    ASSERT_TRUE(clock.run(journal->begin(known)));
    ASSERT_TRUE(clock.run(journal->marked()));
    lose_of("a", 1);
    EXPECT_TRUE(clock.run(journal->marked()).has_error());
    EXPECT_FALSE(journal->may_act());
}

TEST_F(AcknowledgedCommitsTest, AnOperatorLeavesWhatIsOpenToAPersonAndAllGatewaysGoOn) {
    const auto a = good("a");
    const auto b = good("b");
    const auto known = sale();
    ASSERT_TRUE(clock.run(a->begin(known)));
    schema.sql("UPDATE token SET access = 't', owner = 'x'");
    lose_of("a", 0);
    ASSERT_TRUE(clock.run(a->begin(sale())).has_error());
    renew(*a);
    const auto marked = mark();
    EXPECT_EQ(marked.lost_by, "a");
    EXPECT_EQ(marked.sales, 1);
    EXPECT_EQ(marked.open, 1);
    EXPECT_EQ(marked.unsure, 1);
    EXPECT_EQ(schema.sql("SELECT attention, status, owner, term, strpos(story, 'restored') > 0 FROM sales"),
              "restored|AUTORIZADA||2|t");
    EXPECT_EQ(schema.sql("SELECT series FROM close_series"), "2");
    EXPECT_EQ(schema.sql("SELECT access IS NULL FROM token"), "t");
    for (auto* journal : {a.get(), b.get()}) {
        EXPECT_TRUE(clock.run(journal->begin(sale())).has_error()) << "it has not begun anew";
        renew(*journal);
        renew(*journal);
        EXPECT_TRUE(journal->may_act());
        EXPECT_TRUE(clock.run(journal->begin(sale())).has_value());
    }
    EXPECT_TRUE(log.has("warn journal.marked_restored"));
    const auto adopted = clock.run(a->adopt());
    ASSERT_TRUE(adopted.has_value());
    ASSERT_THAT(adopted->sales, SizeIs(1)) << "the other ones are owned";
    EXPECT_EQ(adopted->sales[0].current().state, AttemptState::disputing);
}

TEST_F(AcknowledgedCommitsTest, ARestoreIsNoticedByTheNextStart) {
    good("a");
    schema.end_all_runs();
    EXPECT_EQ(refusal(options("a")), "opened") << "nothing is lost";
    for (const auto* restored : {"UPDATE commits SET made = made - 1 WHERE gateway = 'a' AND connection = 0",
                                 "DELETE FROM commits",  // it is older than this gateway
                                 "UPDATE epoch SET number = number - 1; UPDATE commits SET made = made + 1000000"}) {
        schema.end_all_runs();
        schema.sql(restored);
        EXPECT_THAT(refusal(options("a")),
                    AllOf(HasSubstr("has lost commits"), HasSubstr("chain-operate.md says what to do")))
            << restored;
        EXPECT_THAT(refusal(options("b")), HasSubstr("as the gateway a noticed")) << restored;
        mark();
        EXPECT_EQ(refusal(options("a")), "opened") << restored;
    }
}

TEST_F(AcknowledgedCommitsTest, AnotherJournalAndAnotherGatewaysFileAreRefusedWithWhatToDo) {
    good("a");
    schema.end_all_runs();
    auto of_a = options("b");
    of_a.tally_file = options("a").tally_file;
    EXPECT_THAT(refusal(of_a), AllOf(HasSubstr("is the gateway a's"), HasSubstr("move the file away")));
    schema.sql("UPDATE epoch SET journal = 'another'");
    EXPECT_THAT(refusal(options("a")), AllOf(HasSubstr("another journal"), HasSubstr("move the file away")));
    EXPECT_EQ(schema.sql("SELECT lost_by FROM epoch"), "") << "nothing was lost";
}

TEST_F(AcknowledgedCommitsTest, WhereTheFileCannotBeKeptTheGatewaySaysSoOnceAndSells) {
    auto wanted = options("a");
    wanted.tally_file = folder.path("absent/tally");
    const auto opened = open(std::move(wanted));
    ASSERT_TRUE(opened.has_value()) << opened.error();
    renew(**opened);
    EXPECT_TRUE((*opened)->may_act());
    EXPECT_EQ(log.count("warn journal.tally_failed"), 1u);
}

TEST_F(AcknowledgedCommitsTest, TheFileIsMadeAnewWhereItWasRemoved) {
    const auto journal = good("a");
    const auto file = options("a").tally_file;
    ASSERT_TRUE(std::filesystem::remove(file));
    ASSERT_TRUE(clock.run(journal->begin(sale())));
    renew(*journal);
    EXPECT_TRUE(std::filesystem::exists(file));
    EXPECT_EQ(log.count("journal.tally_failed"), 0u);
}

TEST_F(AcknowledgedCommitsTest, AGatewayThatIsRefusedRemembersNothingAndOneWhoseFileIsGoneSaysSo) {
    good("a");
    schema.end_all_runs();
    const auto file = options("a").tally_file;
    ASSERT_TRUE(std::filesystem::remove(file));
    schema.sql("UPDATE epoch SET lost_by = 'b', lost_at = 0");
    ASSERT_NE(refusal(options("a")), "opened");
    EXPECT_EQ(*TallyFile(file, "").open(), std::nullopt);
    EXPECT_EQ(log.count("journal.tally_failed"), 0u);
    schema.sql("UPDATE epoch SET lost_by = '', lost_at = NULL");
    EXPECT_EQ(refusal(options("a")), "opened");
    EXPECT_TRUE(std::filesystem::exists(file));
    EXPECT_EQ(log.count("warn journal.tally_failed"), 1u);
    schema.end_all_runs();
    EXPECT_EQ(refusal(options("a")), "opened");
    EXPECT_EQ(log.count("warn journal.tally_failed"), 1u) << "it has one again";
}

// The server gets back, an hour later, a copy of everything on its disk.
TEST_F(AcknowledgedCommitsTest, AServerThatWasRestoredFromACopyIsNoticedByTheGatewayThatRuns) {
    gateway::test::PostgresCluster server;
    auto wanted = options("a");
    auto read = read_url(built_client(), server.url(), Secret(""));
    ASSERT_TRUE(read.has_value());
    wanted.session.connection = std::move(*read);
    const auto opened = open(std::move(wanted));
    ASSERT_TRUE(opened.has_value()) << opened.error();
    auto& journal = **opened;
    const auto before = sale();
    ASSERT_TRUE(clock.run(journal.begin(before)));
    const auto data = std::filesystem::path(server.path("")).parent_path();
    const auto copy = data.parent_path() / "copy";
    server.stop();
    // The files keep their owner, who is the server's user.
    ASSERT_EQ(std::system(("cp -a " + data.string() + " " + copy.string()).c_str()), 0);
    server.start();
    renew(journal);
    const auto lost = sale();
    while (clock.run(journal.begin(lost)).has_error())
        renew(journal);
    server.stop();
    std::filesystem::remove_all(data);
    std::filesystem::rename(copy, data);
    server.start();
    while (!log.has("error journal.lost"))
        renew(journal);
    EXPECT_FALSE(journal.may_act());
    EXPECT_FALSE(journal.owns(before.id));
    EXPECT_TRUE(clock.run(journal.find(lost.id)).has_error()) << "that it is not there is told to nobody";
}

}  // namespace
}  // namespace gateway::postgres::test
