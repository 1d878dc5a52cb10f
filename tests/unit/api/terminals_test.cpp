#include "api/terminals.hpp"

#include "base/digest.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

Terminal terminal(std::string id, std::string_view key) {
    return {.id = std::move(id), .key_sha256 = {sha256_hex(key)}, .estabelecimento = "1", .families = {Family::tv}};
}

std::shared_ptr<const Terminal> by_authorization(const Terminals& terminals, std::string_view header) {
    const auto key = Terminals::key_in(header);
    return key ? terminals.by_key(*key) : nullptr;
}

TEST(Terminals, AreFoundByTheKeyInTheHeader) {
    const Terminals terminals({terminal("a", "key-a"), terminal("b", "key-b")});
    ASSERT_NE(by_authorization(terminals, "Bearer key-b"), nullptr);
    EXPECT_EQ(by_authorization(terminals, "Bearer key-b")->id, "b");
}

TEST(Terminals, TheSchemesLetterCaseAndSpacesDoNotMatter) {
    const Terminals terminals({terminal("a", "key-a")});
    EXPECT_NE(by_authorization(terminals, "bearer key-a"), nullptr);
    EXPECT_NE(by_authorization(terminals, "BEARER   key-a"), nullptr);
}

TEST(Terminals, AnythingElseIsNobody) {
    const Terminals terminals({terminal("a", "key-a")});
    for (const auto* header : {"", "Bearer", "Bearer ", "Bearer key-A", "Bearer key-a ", "Bearer key-ab", "key-a",
                               "Basic key-a", "Bearerkey-a", "Bearer key-a,Bearer key-a"})
        EXPECT_EQ(by_authorization(terminals, header), nullptr) << header;
    EXPECT_EQ(by_authorization(terminals, "Bearer " + sha256_hex("key-a")), nullptr) << "the digest is no key";
}

TEST(Terminals, AReplacedTerminalIsUnknownAndStaysWhatItWasForThoseWhoHaveIt) {
    Terminals terminals({terminal("a", "key-a")});
    const auto kept = terminals.by_id("a");
    terminals.reload({terminal("b", "key-b")});
    EXPECT_EQ(terminals.by_id("a"), nullptr);
    EXPECT_EQ(by_authorization(terminals, "Bearer key-a"), nullptr);
    EXPECT_NE(terminals.by_id("b"), nullptr);
    EXPECT_EQ(kept->id, "a");
}

TEST(Terminals, AreFoundAmongManyWhereverTheyStand) {
    std::vector<Terminal> many;
    for (int i = 0; i < 50; ++i)
        many.push_back(terminal(std::to_string(i), "key-" + std::to_string(i)));
    const Terminals terminals(many);
    for (const int i : {0, 24, 49}) {
        const auto found = by_authorization(terminals, "Bearer key-" + std::to_string(i));
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->id, std::to_string(i));
    }
}

TEST(Terminals, AreFoundByEachOfTheirKeys) {
    auto two = terminal("b", "old");
    two.key_sha256.push_back(sha256_hex("new"));
    const Terminals terminals({terminal("a", "key-a"), two, terminal("c", "key-c")});
    for (const auto* key : {"old", "new"}) {
        const auto found = terminals.by_key(key);
        ASSERT_NE(found, nullptr) << key;
        EXPECT_EQ(found->id, "b");
    }
    EXPECT_EQ(terminals.by_key("older"), nullptr);
}

TEST(Terminals, KnowWhichEstablishmentsAreOfOthers) {
    auto other = terminal("b", "key-b");
    other.estabelecimento = "2";
    const Terminals terminals({terminal("a", "key-a"), other});
    EXPECT_TRUE(terminals.is_of_others("2", *terminals.by_id("a")));
    EXPECT_FALSE(terminals.is_of_others("1", *terminals.by_id("a")));
    EXPECT_FALSE(terminals.is_of_others("3", *terminals.by_id("a"))) << "of nobody";
}

TEST(Terminals, SellTheirFamiliesOnly) {
    const auto one = terminal("a", "k");
    EXPECT_TRUE(one.may_sell(Family::tv));
    EXPECT_FALSE(one.may_sell(Family::esim));
}

}  // namespace
}  // namespace gateway
