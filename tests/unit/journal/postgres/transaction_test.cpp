#include "journal/postgres/transaction.hpp"

#include "journal/postgres/connection.hpp"
#include "journal/postgres/error.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace gateway::postgres {
namespace {

const boost::system::error_code done;
const boost::system::error_code unknown = errc::commit_unknown;
const auto lost = sql_error("08006");

// The replies to BEGIN, INSERT and a third command, and what they mean for a commit that may write, and for one that
// only reads.
struct Case {
    const char* what;
    Exchanged exchanged;
    std::size_t answered;
    boost::system::error_code of_a_write;
    std::optional<boost::system::error_code> of_a_read{};
};

Exchanged refused(const char* state, bool is_lost = false) {
    return {.refused = sql_error(state), .lost = is_lost};
}

TEST(Outcome, IsKnownWhereTheServerSaidItAndUnknownWhereOnlyTheCommitsAnswerIsMissing) {
    const std::vector<Case> cases{
        {"all is done", {.last = "COMMIT"}, 3, done, done},
        {"the connection breaks afterwards", {.last = "COMMIT", .lost = true}, 3, done, done},
        {"the standby may lack it, of which a read promises nothing",
         {.last = "COMMIT", .warned = true},
         3,
         unknown,
         done},
        {"the connection broke once all was sent", {.lost = true}, 0, unknown, lost},
        {"the same after the first answer", {.last = "BEGIN", .lost = true}, 1, unknown, lost},
        {"the same after the second one", {.last = "INSERT 0 1", .lost = true}, 2, unknown, lost},
        {"nothing was sent", {.lost = true, .begun = false}, 0, lost, lost},
        {"a statement was refused", refused("23505"), 1, sql_error("23505")},
        {"the server had skipped the commit, though the connection broke", refused("23505", true), 1,
         sql_error("23505")},
        {"the same with a word that speaks of connections", refused("08006", true), 1, lost},
        {"the commit itself was refused", refused("40001"), 2, sql_error("40001")},
        {"something in between did not hear the answer of the commit", refused("08007"), 2, unknown},
        {"the server does not know how the commit ended", refused("40003"), 2, unknown},
        {"the connection broke, as the refusal says", refused("08006"), 2, unknown},
        {"the commit was a rollback", {.last = "ROLLBACK"}, 3, sql_error("25P02")},
    };
    for (auto [what, exchanged, answered, of_a_write, of_a_read] : cases) {
        exchanged.rows.resize(answered);
        EXPECT_EQ(outcome_of(exchanged, 3, Proof::given), of_a_write) << what;
        if (of_a_read) EXPECT_EQ(outcome_of(exchanged, 3, Proof::not_needed), *of_a_read) << what;
    }
}

}  // namespace
}  // namespace gateway::postgres
