#include "base/password.hpp"

#include "unit/support/seeded_random.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

// This is the result of Python's hashlib.scrypt(b"correct horse", salt=bytes(range(16)), n=32768, r=8, p=1,
// maxmem=2**26, dklen=32).
constexpr auto from_elsewhere =
    "$scrypt$ln=15,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$XGYmKKxOsQaKKH4qoqICriSOmNsE1h0zJ+c0LbbscJc";

TEST(PasswordHash, MatchesThePasswordItWasMadeOf) {
    test::SeededRandom random;
    const auto hash = PasswordHash::make(Secret("segredo à prova"), random);
    EXPECT_TRUE(hash.matches(Secret("segredo à prova")));
    EXPECT_FALSE(hash.matches(Secret("segredo a prova")));
    EXPECT_FALSE(hash.matches(Secret("")));
    EXPECT_EQ(PasswordHash::parse(hash.text()), hash);
}

TEST(PasswordHash, TwoOfOnePasswordDiffer) {
    test::SeededRandom random;
    EXPECT_NE(PasswordHash::make(Secret("x"), random).text(), PasswordHash::make(Secret("x"), random).text());
}

TEST(PasswordHash, IsTheStandardsScrypt) {
    const auto hash = PasswordHash::parse(from_elsewhere);
    ASSERT_TRUE(hash);
    EXPECT_TRUE(hash->matches(Secret("correct horse")));
    EXPECT_EQ(hash->text(), from_elsewhere);
}

TEST(PasswordHash, WhatIsNoneIsRefused) {
    const std::string good = from_elsewhere;
    EXPECT_FALSE(PasswordHash::parse(""));
    EXPECT_FALSE(PasswordHash::parse("correct horse"));
    EXPECT_FALSE(PasswordHash::parse(good + "A"));
    EXPECT_FALSE(PasswordHash::parse(good.substr(0, good.size() - 1)));
    EXPECT_FALSE(PasswordHash::parse(good.substr(0, good.rfind('$'))));
    // With less work than is required here, a hash is as good as a password in clear. With more, it would stop the
    // gateway.
    EXPECT_FALSE(PasswordHash::parse("$scrypt$ln=1" + good.substr(good.find(",r="))));
    EXPECT_FALSE(PasswordHash::parse("$scrypt$ln=30" + good.substr(good.find(",r="))));
    // These are other letters for the same bytes.
    auto bits = good;
    bits.back() = static_cast<char>(bits.back() + 1);
    EXPECT_FALSE(PasswordHash::parse(bits));
    auto blank = good;
    blank[blank.rfind('$') + 1] = ' ';
    EXPECT_FALSE(PasswordHash::parse(blank));
}

}  // namespace
}  // namespace gateway
