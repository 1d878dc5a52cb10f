#include "journal/statements.hpp"

#include "unit/journal/tx_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

const KeptStatement a_statement{
    .day = parse_day("2026-11-20").value(), .source = "file", .digest = "a", .reading = "r"};

struct StatementsRig : TxRig {
    StatementsRig() { EXPECT_EQ(insert(a_statement).id, 1); }

    void change(const std::string& sql) { ASSERT_TRUE(database.run(sql.c_str()).has_value()) << database.message(); }
    KeptStatement insert(const KeptStatement& statement) {
        return run([&](Tx& tx) { return statements::insert(tx, statement); }).value();
    }
    std::optional<KeptStatement> find() {
        return run([](Tx& tx) { return statements::find(tx, "a", "r"); }).value();
    }
    std::optional<KeptStatement> last(const std::string& source) {
        return run([&](Tx& tx) { return statements::last(tx, source); }).value();
    }
    std::vector<std::int64_t> page(std::optional<std::int64_t> before, std::size_t limit) {
        std::vector<std::int64_t> ids;
        for (const auto& statement : run([&](Tx& tx) { return statements::list(tx, before, limit); }).value())
            ids.push_back(statement.id);
        return ids;
    }
};

TEST(Statements, ADamagedRowIsNotKnownAndCountedOnce) {
    for (const std::string damage :
         {"day = 'x'", "source = x'00'", "network = CAST(x'ff' AS TEXT)", "read_at = 'x'", "read_by = x'00'",
          "header_money = x'00'", "rows = -1", "matched = 'x'", "others = 'x'", "findings = 'x'"}) {
        SCOPED_TRACE(damage);
        StatementsRig rig;
        EXPECT_EQ(rig.find()->source, "file");
        rig.change("UPDATE statements SET " + damage);
        for (int i = 0; i < 2; ++i)
            EXPECT_FALSE(rig.find());
        EXPECT_THAT(rig.page(std::nullopt, 10), IsEmpty());
        EXPECT_EQ(rig.unreadable_counts.met, 1U);
    }
}

TEST(Statements, DamagedRowsMakeNoPageShorterAndHideNoneBeforeThem) {
    StatementsRig rig;
    for (int i = 0; i < 5; ++i)
        rig.insert(a_statement);
    rig.change("UPDATE statements SET rows = -1 WHERE id IN (3, 4, 6)");
    EXPECT_THAT(rig.page(std::nullopt, 2), ElementsAre(5, 2));
    EXPECT_THAT(rig.page(2, 2), ElementsAre(1));
    EXPECT_EQ(rig.last("file")->id, 5);
    EXPECT_EQ(rig.find()->id, 5);
    EXPECT_EQ(rig.unreadable_counts.met, 3U);
}

}  // namespace
}  // namespace gateway::test
