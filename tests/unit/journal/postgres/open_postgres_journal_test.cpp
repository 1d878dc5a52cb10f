#include "journal/postgres/open_postgres_journal.hpp"

#include "journal/chain/lease.hpp"
#include "unit/journal/postgres/journal_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

using namespace testing;

class OpenPostgresJournal : public Test {
  protected:
    using Opened = JournalSchema::Opened;

    Opened open(PostgresOptions wanted) {
        clock.wait_for_sockets();
        return clock.run(schema.opening(io.get_executor(), clock, std::move(wanted)));
    }
    std::string refusal(PostgresOptions wanted) {
        auto opened = open(std::move(wanted));
        return opened.has_value() ? "opened" : opened.error();
    }
    // The same while time passes, second by second, in which `beside` renews its lease, where it is one.
    Opened open_in_time(PostgresOptions wanted, PostgresJournal* beside) {
        std::optional<Opened> opened;
        auto opening = schema.opening(io.get_executor(), clock, std::move(wanted));
        boost::asio::co_spawn(io, keep(std::move(opening), opened), boost::asio::detached);
        const auto session =
            std::make_unique<Session>(io.get_executor(), clock, schema.client, schema.session_options());
        while (!opened) {
            clock.run(passing(beside, *session));
            clock.jump(renew_every);
        }
        return std::move(*opened);
    }
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<Opened> opening, std::optional<Opened>& opened) {
        opened.emplace(co_await std::move(opening));
    }
    // Lets what is under way go on: in this time the database answers that, too.
    static boost::asio::awaitable<bool> passing(PostgresJournal* beside, Session& session) {
        (void)co_await answering(session, 200);
        if (beside != nullptr) co_await beside->renew_lease();
        co_return true;
    }

    JournalSchema schema;
    boost::asio::io_context io;
    gateway::test::VirtualClock clock{io};
    const Secret key{std::string(32, 'a')};
    const Secret other_key{std::string(32, 'b')};
};

TEST_F(OpenPostgresJournal, BeginsWithALeaseThatIsTrusted) {
    const auto journal = open(schema.options("a"));
    ASSERT_TRUE(journal.has_value()) << journal.error();
    EXPECT_TRUE((*journal)->may_act());
    EXPECT_TRUE((*journal)->shared());
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
    auto opening = schema.opening(io.get_executor(), clock, schema.options("a"));
    boost::asio::co_spawn(io, keep(std::move(opening), first), boost::asio::detached);
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

TEST_F(OpenPostgresJournal, ADatabaseOfANewerVersionIsRefused) {
    ASSERT_TRUE(open(schema.options("a")).has_value());
    schema.sql("INSERT INTO journal_migrations VALUES (999, 'x')");
    EXPECT_THAT(refusal(schema.options("a")), HasSubstr("newer version of this program (schema 999"));
}

TEST_F(OpenPostgresJournal, ARunOfTheSameNameThatIsDeadIsWaitedOut) {
    ASSERT_TRUE(open(schema.options("a")).has_value());
    const auto began = clock.now();
    const auto again = open_in_time(schema.options("a"), nullptr);
    EXPECT_TRUE(again.has_value()) << again.error();
    EXPECT_GE(clock.now() - began, dead_after);
}

TEST_F(OpenPostgresJournal, AGatewayOfTheSameNameThatLivesRefusesIt) {
    const auto first = open(schema.options("a"));
    ASSERT_TRUE(first.has_value());
    const auto second = open_in_time(schema.options("a"), first->get());
    ASSERT_TRUE(second.has_error());
    EXPECT_THAT(second.error(), HasSubstr("another gateway with the name a is running"));
}

TEST_F(OpenPostgresJournal, AGatewayWithAnotherProviderRefusesItAsLongAsItLives) {
    const auto first = open(schema.options("a"));
    ASSERT_TRUE(first.has_value());
    auto wanted = schema.options("b");
    wanted.identity.provider = "another";
    const auto second = open_in_time(wanted, first->get());
    ASSERT_TRUE(second.has_error());
    EXPECT_THAT(second.error(), HasSubstr("the gateway a that is running on it has another provider"));
    EXPECT_TRUE(open_in_time(wanted, nullptr).has_value());
}

TEST_F(OpenPostgresJournal, OneThatIsRefusedForItsKeyHasNotMadeThatTheCurrentOne) {
    const auto first = open(schema.options("a", {key}));
    ASSERT_TRUE(first.has_value());
    const auto second = open_in_time(schema.options("b", {other_key, key}), first->get());
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
