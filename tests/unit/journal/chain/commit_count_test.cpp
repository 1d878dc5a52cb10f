#include "journal/chain/commit_count.hpp"

#include "journal/postgres/error.hpp"

#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

TEST(CommitCount, AsksTheDatabaseWhetherItKnowsWhatWasAcknowledged) {
    CommitCount count("box-1", 1);
    count.begin(7, 40);
    count.done(42);
    count.done(41);
    const auto command = count.command();
    ASSERT_EQ(command.parameters->size(), 4u);
    const auto text = [&](std::size_t i) { return std::string(command.parameters->at(i).data); };
    EXPECT_EQ(text(0) + " " + text(1) + " " + text(2) + " " + text(3), "box-1 1 7 42");
}

TEST(CommitCount, KnowsALossAndARestoreByTheirErrorsAlone) {
    CommitCount count("box-1", 0);
    count.refused(sql_error("53100"));
    count.refused(errc::commit_unknown);
    EXPECT_EQ(count.state(), CommitCount::State::whole);
    count.refused(sql_error("SG001"));
    EXPECT_EQ(count.state(), CommitCount::State::lost);
    count.refused(sql_error("SG002"));
    EXPECT_EQ(count.state(), CommitCount::State::over);
    count.begin(8, 0);
    EXPECT_EQ(count.state(), CommitCount::State::whole);
    EXPECT_EQ(count.acknowledged(), 0);
}

}  // namespace
}  // namespace gateway::postgres::test
