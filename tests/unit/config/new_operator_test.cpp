#include "config/new_operator.hpp"

#include "base/password.hpp"
#include "unit/support/seeded_random.hpp"

#include <gtest/gtest.h>
#include <toml++/toml.h>

namespace gateway {
namespace {

TEST(NewOperator, TheLinesAreTomlAndHoldNoPassword) {
    test::SeededRandom random;
    const auto lines = operator_lines(R"(Ana "\" Lima)", "settle", Secret("a bela e a fera"), random);
    EXPECT_EQ(lines.find("fera"), std::string::npos);
    const auto table = toml::parse(lines);
    const auto& person = *(*table["operators"].as_array())[0].as_table();
    EXPECT_EQ(person["name"].value_or<std::string>(""), R"(Ana "\" Lima)");
    EXPECT_EQ(person["role"].value_or<std::string>(""), "settle");
    const auto hash = PasswordHash::parse(person["password"].value_or<std::string>(""));
    ASSERT_TRUE(hash);
    EXPECT_TRUE(hash->matches(Secret("a bela e a fera")));
}

TEST(NewOperator, APasswordIsLongEnoughAndCanBeTyped) {
    EXPECT_FALSE(password_trouble(Secret("ção-ção-ção")));
    EXPECT_TRUE(password_trouble(Secret("")));
    EXPECT_TRUE(password_trouble(Secret("çãoçãoção")));  // these are nine letters, however many bytes
    EXPECT_TRUE(password_trouble(Secret("a line\nand another")));
    EXPECT_TRUE(password_trouble(Secret(std::string(251, 'x'))));
}

}  // namespace
}  // namespace gateway
