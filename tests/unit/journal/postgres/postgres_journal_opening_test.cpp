#include "journal/chain/lease.hpp"
#include "journal/postgres/postgres_journal.hpp"
#include "unit/journal/postgres/journal_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

using namespace testing;

class OpenPostgresJournal : public JournalTest {
  protected:
    const Secret key{std::string(32, 'a')};
    const Secret other_key{std::string(32, 'b')};
};

TEST_F(OpenPostgresJournal, BeginsWithALeaseThatIsTrusted) {
    const auto journal = open(schema.options("a"));
    ASSERT_TRUE(journal.has_value()) << journal.error();
    EXPECT_TRUE((*journal)->may_act());
    EXPECT_TRUE((*journal)->chain() != nullptr);
    EXPECT_THAT((*journal)->run(), StartsWith("a."));
    EXPECT_EQ(schema.sql("SELECT name, ended FROM gateways"), "a|0");
}

TEST_F(OpenPostgresJournal, AServerThatIsNotTakenIsSaidInItsOwnWords) {
    auto wanted = schema.options("a");
    wanted.session.opened = [](Transaction&) -> Job<std::string> {
        co_return std::string("the database server has fsync=off");
    };
    EXPECT_THAT(refusal(std::move(wanted)), AllOf(StartsWith("the journal postgresql://"),
                                                  EndsWith(" cannot be used: the database server has fsync=off")));
}

TEST_F(OpenPostgresJournal, TwoGatewaysThatStartAtOnceMakeTheTablesOnce) {
    std::optional<Opened> first;
    begin(schema.opening(io.get_executor(), clock, schema.options("a")), first);
    const auto second = open(schema.options("b"));
    EXPECT_TRUE(second.has_value()) << second.error();
    while (!first)
        io.run_one();
    EXPECT_TRUE(first->has_value()) << first->error();
}

TEST_F(OpenPostgresJournal, AKeyThatIsMissingIsNamed) {
    ASSERT_TRUE(open(schema.options("a", {key})).has_value());
    schema.end_all_runs();
    EXPECT_THAT(refusal(schema.options("a")), HasSubstr("no journal.key_file is configured"));
    EXPECT_THAT(refusal(schema.options("a", {other_key})), HasSubstr("which journal.key_file does not hold"));
    EXPECT_EQ(refusal(schema.options("a", {other_key, key})), "opened");
}

TEST_F(OpenPostgresJournal, AnotherProgramsDatabaseIsLeftAlone) {
    schema.sql("CREATE TABLE sales (id integer)");
    EXPECT_THAT(refusal(schema.options("a")), HasSubstr("another program's database"));
    EXPECT_EQ(schema.sql("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"), "1");
}

TEST_F(OpenPostgresJournal, ARunOfTheSameNameThatIsDeadIsWaitedOut) {
    ASSERT_TRUE(open(schema.options("a")).has_value());
    const auto began = clock.now();
    const auto again = open_in_time(schema.options("a"));
    EXPECT_TRUE(again.has_value()) << again.error();
    EXPECT_GE(clock.now() - began, dead_after);
}

TEST_F(OpenPostgresJournal, AGatewayWithAnotherProviderRefusesItAsLongAsItLives) {
    const auto first = open(schema.options("a"));
    ASSERT_TRUE(first.has_value());
    auto wanted = schema.options("b");
    wanted.identity.provider = "another";
    const auto second = open_in_time(wanted, {first->get()});
    ASSERT_TRUE(second.has_error());
    EXPECT_THAT(second.error(), HasSubstr("the gateway a that is running on it has another provider"));
    EXPECT_TRUE(open_in_time(wanted).has_value());
}

TEST_F(OpenPostgresJournal, OneThatIsRefusedForItsKeyHasNotMadeThatTheCurrentOne) {
    const auto first = open(schema.options("a", {key}));
    ASSERT_TRUE(first.has_value());
    const auto second = open_in_time(schema.options("b", {other_key, key}), {first->get()});
    ASSERT_TRUE(second.has_error());
    EXPECT_THAT(second.error(), HasSubstr("another key file"));
    EXPECT_EQ(schema.sql("SELECT count(*) FROM sealing_keys"), "1");
    schema.end_all_runs();
    EXPECT_EQ(refusal(schema.options("a", {key})), "opened");
}

TEST_F(OpenPostgresJournal, RemembersEveryPrefixThatAnIdExternoMayHave) {
    auto wanted = schema.options("a");
    wanted.id_prefix = "LOJA";
    const auto journal = open(wanted);
    ASSERT_TRUE(journal.has_value());
    EXPECT_THAT(clock.run((*journal)->id_prefixes()).value(), ElementsAre("LOJA"));
}

}  // namespace
}  // namespace gateway::postgres::test
