#include "reconcile/close_digest.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

const SaleId first_sale(Ulid::first_at(WallTime(std::chrono::milliseconds(1))));
const SaleId second_sale(Ulid::first_at(WallTime(std::chrono::milliseconds(2))));

TEST(CloseDigest, IsThatOfTheseLines) {
    CloseDigest digest("abc");
    digest.add(first_sale, Cents{1049}, Status::EFETIVADA);
    digest.add(second_sale, Cents{500}, Status::CANCELADA);
    EXPECT_EQ(digest.finish(),
              sha256_hex("abc\n" + first_sale.str() + ";1049;EFETIVADA\n" + second_sale.str() + ";500;CANCELADA\n"));
}

TEST(CloseDigest, FirstCloseHasAnEmptyLineInFront) {
    EXPECT_EQ(CloseDigest("").finish(), sha256_hex("\n"));
}

TEST(CloseDigest, ChangesWithEverythingInIt) {
    const auto digest_of = [](std::string_view previous, std::int64_t cents, Status status) {
        CloseDigest digest(previous);
        digest.add(first_sale, Cents{cents}, status);
        return digest.finish();
    };
    const auto one = digest_of("a", 1, Status::EFETIVADA);
    EXPECT_EQ(one, digest_of("a", 1, Status::EFETIVADA));
    EXPECT_NE(one, digest_of("b", 1, Status::EFETIVADA));
    EXPECT_NE(one, digest_of("a", 2, Status::EFETIVADA));
    EXPECT_NE(one, digest_of("a", 1, Status::NEGADA));
}

}  // namespace
}  // namespace gateway::test
