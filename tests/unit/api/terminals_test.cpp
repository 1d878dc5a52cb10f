#include "api/terminals.hpp"

#include "base/digest.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

Terminal terminal(std::string id, std::string_view key) {
    return {.id = std::move(id), .key_sha256 = sha256_hex(key), .estabelecimento = "1", .families = {Family::tv}};
}

TEST(Terminals, AreFoundByTheKeyInTheHeader) {
    const Terminals terminals({terminal("a", "key-a"), terminal("b", "key-b")});
    ASSERT_NE(terminals.by_authorization("Bearer key-b"), nullptr);
    EXPECT_EQ(terminals.by_authorization("Bearer key-b")->id, "b");
}

TEST(Terminals, TheSchemesLetterCaseAndSpacesDoNotMatter) {
    const Terminals terminals({terminal("a", "key-a")});
    EXPECT_NE(terminals.by_authorization("bearer key-a"), nullptr);
    EXPECT_NE(terminals.by_authorization("BEARER   key-a"), nullptr);
}

TEST(Terminals, AnythingElseIsNobody) {
    const Terminals terminals({terminal("a", "key-a")});
    for (const auto* header : {"", "Bearer", "Bearer ", "Bearer key-A", "Bearer key-a ", "Bearer key-ab", "key-a",
                               "Basic key-a", "Bearerkey-a", "Bearer key-a,Bearer key-a"})
        EXPECT_EQ(terminals.by_authorization(header), nullptr) << header;
    EXPECT_EQ(terminals.by_authorization("Bearer " + sha256_hex("key-a")), nullptr) << "the digest is no key";
}

TEST(Terminals, AReplacedTerminalIsUnknownAndStaysWhatItWasForWhoHasIt) {
    Terminals terminals({terminal("a", "key-a")});
    const auto kept = terminals.by_id("a");
    terminals.replace({terminal("b", "key-b")});
    EXPECT_EQ(terminals.by_id("a"), nullptr);
    EXPECT_EQ(terminals.by_authorization("Bearer key-a"), nullptr);
    EXPECT_NE(terminals.by_id("b"), nullptr);
    EXPECT_EQ(kept->id, "a");
}

TEST(Terminals, SellTheirFamiliesOnly) {
    const auto one = terminal("a", "k");
    EXPECT_TRUE(one.may_sell(Family::tv));
    EXPECT_FALSE(one.may_sell(Family::esim));
}

}  // namespace
}  // namespace gateway
