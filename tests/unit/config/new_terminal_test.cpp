#include "config/new_terminal.hpp"

#include "base/digest.hpp"
#include "unit/config/config_text.hpp"
#include "unit/support/seeded_random.hpp"

#include <gtest/gtest.h>

namespace gateway {

TEST(NewTerminal, LinesAreGoodInAConfigurationAndMatchTheKey) {
    test::SeededRandom random(1);
    const auto made = make_terminal("caixa-07", random);
    const auto reading = read_config(test::ConfigText().no_terminals().text() + made.lines);
    EXPECT_EQ(test::lines(reading.errors), "");
    ASSERT_TRUE(reading.config);
    EXPECT_EQ(reading.config->terminals.at(0).id, "caixa-07");
    EXPECT_EQ(reading.config->terminals.at(0).key_sha256.all, std::vector{sha256_hex(made.key.reveal())});
}

TEST(NewTerminal, KeyIsLongOfUrlSafeLettersAndNeverTheSame) {
    test::SeededRandom random(1);
    const auto one = make_terminal("a", random).key.reveal();
    const auto other = make_terminal("a", random).key.reveal();
    EXPECT_NE(one, other);
    EXPECT_EQ(one.size(), 43U);
    EXPECT_EQ(one.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), one.npos);
}

TEST(NewTerminal, KeyIsNotInTheLines) {
    test::SeededRandom random(1);
    const auto made = make_terminal("caixa-07", random);
    EXPECT_EQ(made.lines.find(made.key.reveal()), std::string::npos);
}

TEST(TerminalId, IsOneToSixtyFourPlainCharacters) {
    for (const auto& id : {std::string("a"), std::string("Caixa-01.b_2"), std::string(64, 'x')}) {
        EXPECT_TRUE(is_terminal_id(id)) << id;
    }
    for (const auto& id :
         {std::string(), std::string("a b"), std::string("a\""), std::string("á"), std::string(65, 'x')}) {
        EXPECT_FALSE(is_terminal_id(id)) << id;
    }
}

}  // namespace gateway
