// Tests which statements an erasure runs, and at which bounds. journal_erasure_conformance.hpp tests what it erases.
#include "journal/erasure.hpp"

#include "journal/rows.hpp"
#include "unit/journal/scripted_transaction.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class ErasureTest : public Test {
  protected:
    using Lines = std::vector<ScriptedTransaction::Cells>;

    erasure::Round round(const Lines& next, const Lines& postponed, std::int64_t notes = 0) {
        rig.script.answer("next_to_erase", next);
        rig.script.answer("postponed_erasure", postponed);
        rig.script.changes("erase_notes_of_no_sale", notes);
        rig.script.did.clear();
        const auto erase = [&](Tx& tx) { return erasure::erase_some(tx, cutoff, "", encrypted::tables_of_several); };
        return rig.run(erase).value();
    }
    static Lines many(const ScriptedTransaction::Cells& after_id) {
        Lines rows;
        for (int i = 100; i < 300; ++i) {
            rows.push_back({fmt::format("S{}", i)});
            rows.back().insert(rows.back().end(), after_id.begin(), after_id.end());
        }
        return rows;
    }

    ScriptedRig rig;
    WallTime cutoff = rig.clock.wall() - 24h;
    std::int64_t now = rows::milliseconds(rig.clock.wall());
    std::int64_t before = rows::milliseconds(cutoff);
};

TEST_F(ErasureTest, SettledSalesAreErasedTableByTableAndOpenOnesAreErasedLater) {
    const auto done =
        round({{"S1", std::int64_t{1}}, {"S2", std::int64_t{0}}, {"S3", std::int64_t{1}}, {"S4", "x"}}, {});
    EXPECT_EQ(done.erased.sales, 2u);
    EXPECT_FALSE(done.erased.more);
    EXPECT_THAT(rig.script.did,
                ElementsAre("next_to_erase", "erase_open_sale_later", "erase_open_sale_later",
                            AllOf(StartsWith("UPDATE sales SET request = NULL, "), EndsWith(" WHERE id IN (?1, ?2)")),
                            "UPDATE callbacks SET body = NULL WHERE sale IN (?1, ?2)",
                            "UPDATE notes SET note = NULL WHERE sale IN (?1, ?2)",
                            "UPDATE findings SET note = NULL WHERE sale IN (?1, ?2)",
                            "DELETE FROM forwarded_commands WHERE sale IN (?1, ?2)",
                            "DELETE FROM erase_later WHERE sale IN (?1, ?2)", "set_erased_until", "postponed_erasure",
                            "erase_notes_of_no_sale"));
    EXPECT_THAT(rig.script.values["DELETE FROM erase_later WHERE sale IN (?1, ?2)"], ElementsAre("S1", "S3"));
    EXPECT_THAT(rig.script.values["set_erased_until"], ElementsAre("S4"));
}

TEST_F(ErasureTest, NoSaleMeansNoStatementAboutOne) {
    round({}, {});
    EXPECT_THAT(rig.script.did, ElementsAre("next_to_erase", "postponed_erasure", "erase_notes_of_no_sale"));
    round({{"S1", std::int64_t{0}}}, {});
    EXPECT_THAT(rig.script.did, ElementsAre("next_to_erase", "erase_open_sale_later", "set_erased_until",
                                            "postponed_erasure", "erase_notes_of_no_sale"));
}

TEST_F(ErasureTest, AFullPortionOfAnythingMeansThatMoreIsWaiting) {
    const Lines next = many({std::int64_t{0}});
    EXPECT_TRUE(round(next, {}).erased.more);
    EXPECT_FALSE(round({next.begin(), next.end() - 1}, {}).erased.more);
    const Lines postponed = many({std::nullopt, std::int64_t{0}});
    const auto came = round({}, postponed);
    EXPECT_TRUE(came.erased.more);
    EXPECT_EQ(came.came_back_to, "S299");
    const auto last = round({}, {postponed.begin(), postponed.end() - 1});
    EXPECT_FALSE(last.erased.more);
    EXPECT_EQ(last.came_back_to, "");
    EXPECT_TRUE(round({}, {}, 200).erased.more);
    EXPECT_FALSE(round({}, {}, 199).erased.more);
}

TEST_F(ErasureTest, APostponedSaleIsErasedWhereItWasMetBeforeTheCutoffAndIsSettled) {
    struct Case {
        ScriptedTransaction::Cell met_at;
        std::int64_t settled;
        const char* what;
    };
    const Case cases[] = {
        {std::nullopt, 1, "met"},
        {now + 1, 1, "met"},
        {now, 1, "left"},
        {before, 1, "left"},
        {before - 1, 1, "erased"},
        {before - 1, 0, "left"},
        {std::int64_t{0}, 1, "erased"},
    };
    for (const auto& one : cases) {
        const auto done = round({}, {{"S1", one.met_at, one.settled}});
        const auto& did = rig.script.did;
        const std::string what = done.erased.sales > 0                                        ? "erased"
                                 : std::ranges::count(did, std::string("meet_postponed")) > 0 ? "met"
                                                                                              : "left";
        EXPECT_EQ(what, one.what) << "case " << &one - &cases[0];
    }
}

}  // namespace
}  // namespace gateway::test
