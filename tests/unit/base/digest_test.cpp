#include "base/digest.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gateway::test {
namespace {

// These are the examples of FIPS 180-4.
TEST(Digest, IsSha256InLowerCaseHex) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, CountsEveryByteTheZeroesToo) {
    EXPECT_NE(sha256_hex(std::string(1, '\0')), sha256_hex(""));
    EXPECT_NE(sha256_hex(std::string("a\0b", 3)), sha256_hex("a"));
}

TEST(Digest, OfPiecesIsThatOfTheWhole) {
    Sha256 digest;
    for (const auto* const piece : {"abcdbcdecdefdefgefghfghighijhijk", "", "ijkljklmklmnlmnomnopnopq"})
        digest.add(piece);
    EXPECT_EQ(digest.hex(), sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"));
    EXPECT_EQ(Sha256().hex(), sha256_hex(""));
}

TEST(Digest, TextsAreComparedByAllTheirBytes) {
    EXPECT_TRUE(equal_in_constant_time("", ""));
    EXPECT_TRUE(equal_in_constant_time("same", "same"));
    EXPECT_FALSE(equal_in_constant_time("same", "samf"));
    EXPECT_FALSE(equal_in_constant_time("same", "Same"));
    EXPECT_FALSE(equal_in_constant_time("same", "same "));
    EXPECT_FALSE(equal_in_constant_time("same", ""));
    EXPECT_TRUE(equal_in_constant_time(std::string("a\0b", 3), std::string("a\0b", 3)));
    EXPECT_FALSE(equal_in_constant_time(std::string("a\0b", 3), std::string("a\0c", 3)));
}

}  // namespace
}  // namespace gateway::test
