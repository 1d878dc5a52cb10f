#include "journal/postgres/transaction.hpp"

#include "journal/postgres/connection.hpp"
#include "journal/postgres/error.hpp"

#include <gtest/gtest.h>

namespace gateway::postgres {
namespace {

// What came back for a command, without a server.
class Said final : public Reply {
  public:
    explicit Said(std::string_view command) : command_(command) {}
    Kind kind() const noexcept override { return Kind::done; }
    std::string_view command() const noexcept override { return command_; }
    std::int64_t affected() const noexcept override { return 0; }
    int rows() const noexcept override { return 0; }
    int columns() const noexcept override { return 0; }
    unsigned type(int) const noexcept override { return 0; }
    bool is_null(int, int) const noexcept override { return true; }
    std::string_view value(int, int) const noexcept override { return {}; }
    std::string_view state() const noexcept override { return {}; }
    std::string_view message() const noexcept override { return {}; }

  private:
    const std::string_view command_;
};

Exchanged after(std::initializer_list<std::string_view> commands) {
    Exchanged exchanged;
    for (const auto command : commands)
        exchanged.rows.emplace_back(std::make_unique<Said>(command));
    return exchanged;
}

constexpr std::size_t commands = 3;
const auto lost = sql_error("08006");

boost::system::error_code of_a_write(const Exchanged& exchanged) {
    return outcome_of(exchanged, commands, Proof::given);
}
boost::system::error_code of_a_read(const Exchanged& exchanged) {
    return outcome_of(exchanged, commands, Proof::not_needed);
}

TEST(Outcome, IsDoneWhereTheCommitIs) {
    const auto all = after({"BEGIN", "INSERT 0 1", "COMMIT"});
    EXPECT_EQ(of_a_write(all), boost::system::error_code());
    EXPECT_EQ(of_a_read(all), boost::system::error_code());
}

TEST(Outcome, IsDoneWhereTheConnectionBreaksAfterwards) {
    auto all = after({"BEGIN", "INSERT 0 1", "COMMIT"});
    all.lost = true;
    EXPECT_EQ(of_a_write(all), boost::system::error_code());
}

TEST(Outcome, IsUnknownWhereTheStandbyMayLackIt) {
    auto warned = after({"BEGIN", "INSERT 0 1", "COMMIT"});
    warned.warned = true;
    EXPECT_EQ(of_a_write(warned), errc::commit_unknown);
    EXPECT_EQ(of_a_read(warned), boost::system::error_code());  // it promises nothing of a standby
}

TEST(Outcome, IsUnknownWhereTheConnectionBrokeOnceItWasSent) {
    for (auto broken : {after({}), after({"BEGIN"}), after({"BEGIN", "INSERT 0 1"})}) {
        broken.lost = true;
        EXPECT_EQ(of_a_write(broken), errc::commit_unknown);
        EXPECT_EQ(of_a_read(broken), lost);
    }
}

TEST(Outcome, IsNotDoneWhereNothingWasSent) {
    auto nothing = after({});
    nothing.lost = true;
    nothing.begun = false;
    EXPECT_EQ(of_a_write(nothing), lost);
}

TEST(Outcome, IsNotDoneWhereAStatementWasRefused) {
    auto refused = after({"BEGIN"});
    refused.refused = sql_error("23505");
    EXPECT_EQ(of_a_write(refused), sql_error("23505"));
    refused.lost = true;
    EXPECT_EQ(of_a_write(refused), sql_error("23505"));  // the server had skipped the commit
    refused.refused = sql_error("08006");
    EXPECT_EQ(of_a_write(refused), sql_error("08006"));
}

TEST(Outcome, IsNotDoneWhereTheCommitItselfWasRefused) {
    auto refused = after({"BEGIN", "INSERT 0 1"});
    refused.refused = sql_error("40001");
    EXPECT_EQ(of_a_write(refused), sql_error("40001"));
}

// It speaks for something that stands between, which did not hear the answer.
TEST(Outcome, IsUnknownWhereTheRefusalSaysSo) {
    auto refused = after({"BEGIN", "INSERT 0 1"});
    for (const auto* state : {"08007", "40003", "08006"}) {
        refused.refused = sql_error(state);
        EXPECT_EQ(of_a_write(refused), errc::commit_unknown) << state;
    }
}

TEST(Outcome, IsNotDoneWhereTheCommitWasARollback) {
    EXPECT_EQ(sql_state(of_a_write(after({"BEGIN", "INSERT 0 1", "ROLLBACK"}))), "25P02");
}

}  // namespace
}  // namespace gateway::postgres
