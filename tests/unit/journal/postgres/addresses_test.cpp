#include "journal/postgres/addresses.hpp"

#include "unit/journal/postgres/rig.hpp"

#include <algorithm>

namespace gateway::postgres::test {
namespace {

class AddressesTest : public PostgresTest {
  protected:
    auto addresses(const Server& server) {
        SocketWait wait(io.get_executor(), clock);
        return run(addresses_of(io.get_executor(), wait, server, Duration(10'000)));
    }
};

TEST_F(AddressesTest, ANameIsLookedUp) {
    const auto found = addresses({"localhost", "", "5432"});
    ASSERT_TRUE(found.has_value()) << found.error();
    EXPECT_TRUE(std::ranges::count(*found, "127.0.0.1") == 1 || std::ranges::count(*found, "::1") == 1);
}

TEST_F(AddressesTest, WhatIsSaidIsNotLookedUp) {
    EXPECT_EQ(*addresses({"no.such.name.example", "192.0.2.1", "5432"}), std::vector<std::string>{"192.0.2.1"});
    EXPECT_EQ(*addresses({"192.0.2.1", "", "5432"}), std::vector<std::string>{"192.0.2.1"});
}

TEST_F(AddressesTest, ASocketHasNone) {
    EXPECT_EQ(*addresses({"/tmp", "", "5432"}), std::vector<std::string>{""});
}

TEST_F(AddressesTest, ANameThatNobodyKnowsIsAFault) {
    const auto found = addresses({"no such name", "", "5432"});
    ASSERT_TRUE(found.has_error());
    EXPECT_TRUE(found.error().starts_with("no such name: ")) << found.error();
}

}  // namespace
}  // namespace gateway::postgres::test
