#include "journal/token.hpp"

#include "journal/chain.hpp"
#include "unit/journal/tx_rig.hpp"
#include "unit/journal/written_row.hpp"

namespace gateway::test {
namespace {

TEST(SharedTokenTurn, IsAnothersUnlessItIsSaidToBeOurs) {
    EXPECT_FALSE(TokenTurn().is_ours);
}

TEST(TokenTable, HasOneTokenOrNoneAndOneThatMakesNoSenseIsNoneAndIsCounted) {
    TxRig rig;
    const auto load = [](Tx& tx) { return token::load(tx); };
    const auto save = [&](std::optional<KeptToken> kept) {
        return rig.run([kept](Tx& tx) -> Job<void> { co_await token::save(tx, kept); });
    };
    EXPECT_FALSE(*rig.run(load));
    const KeptToken kept{.access = Secret("a"),
                         .refresh = Secret("r"),
                         .obtained_at = rig.clock.wall(),
                         .expires_at = rig.clock.wall() + std::chrono::minutes(5),
                         .owner = "o"};
    ASSERT_TRUE(save(kept));
    const auto read = *rig.run(load);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->access.reveal(), "a");
    EXPECT_EQ(read->obtained_at, kept.obtained_at);
    EXPECT_EQ(read->expires_at, kept.expires_at);
    EXPECT_EQ(rig.unreadable_counts.met, 0U);

    ASSERT_TRUE(rig.database.run("UPDATE token SET expires_at = 9223372036854775807").has_value());
    EXPECT_FALSE(*rig.run(load)) << "no token lives so long";
    EXPECT_EQ(rig.unreadable_counts.met, 1U);
    ASSERT_TRUE(save(std::nullopt));
    EXPECT_FALSE(*rig.run(load));
    EXPECT_EQ(rig.unreadable_counts.met, 1U) << "there is none";
}

TEST(TokenTable, ATokenHasTwoTimesThatLieAHundredYearsApartAtMost) {
    constexpr auto life = Duration(std::chrono::years(100)).count();
    FieldCipher cipher;
    const auto is_read = [&](WrittenRow::Value obtained_at, WrittenRow::Value expires_at) {
        WrittenRow row;
        row.columns = {{0, "a"}, {1, "r"}, {2, std::move(obtained_at)}, {3, std::move(expires_at)}, {4, "o"}};
        return read_token(row, cipher).has_value();
    };
    EXPECT_TRUE(is_read(std::int64_t{1000}, std::int64_t{1000 + life}));
    EXPECT_FALSE(is_read(std::int64_t{1000}, std::int64_t{1001 + life}));
    EXPECT_FALSE(is_read("x", std::int64_t{1000}));
    EXPECT_FALSE(is_read(std::int64_t{1000}, "x"));
}

}  // namespace
}  // namespace gateway::test
