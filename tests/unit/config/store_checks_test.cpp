#include "config/checks.hpp"
#include "unit/config/config_text.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace gateway {

namespace {

using test::ConfigText;
using test::good;
using test::only_error;
using test::TemporaryFolder;

ConfigText with(std::string_view key, std::string_view value) {
    return ConfigText().set(std::string(key), "\"" + std::string(value) + "\"");
}

}  // namespace

TEST(StoreCheck, AStoreNeedNotNameItself) {
    const auto config = good(ConfigText());
    EXPECT_TRUE(config.store.letterhead.empty());
    EXPECT_TRUE(config.colour.empty());
    EXPECT_TRUE(config.provider_phone.empty());
}

TEST(StoreCheck, TheNameIsOneThatFitsAHeading) {
    EXPECT_EQ(good(with("store.name", "Mercadinho da Praça")).store.letterhead.name, "Mercadinho da Praça");
    EXPECT_EQ(only_error(with("store.name", std::string(65, 'x'))),
              "store.name: must be a text of 1 to 64 characters without control characters");
}

TEST(StoreCheck, TheCnpjIsKeptAsItIsShown) {
    for (const auto* written : {"12345678000195", "12.345.678/0001-95"})
        EXPECT_EQ(good(with("store.cnpj", written)).store.letterhead.cnpj, "12.345.678/0001-95") << written;
    EXPECT_EQ(good(with("store.cnpj", "12abc34501de35")).store.letterhead.cnpj, "12.ABC.345/01DE-35");
    for (const auto* wrong : {"12.345.678/0001-96", "1234567800019", "52998224725", "none"})
        EXPECT_EQ(only_error(with("store.cnpj", wrong)),
                  "store.cnpj: is no CNPJ: it has another form than \"12.345.678/0001-95\", or wrong check digits")
            << wrong;
}

TEST(StoreCheck, AColourIsOneOfSixHexadecimalDigits) {
    for (const auto* colour : {"#1a5fb4", "#1A5FB4", "#000000"})
        EXPECT_EQ(good(with("console.colour", colour)).colour, colour);
    for (const auto* wrong : {"1a5fb4", "#1a5fb", "#1a5fb44", "#1a5fbg", "#fff", "blue", "#1a5fb4;"})
        EXPECT_EQ(only_error(with("console.colour", wrong)),
                  "console.colour: must be a colour as \"#1a5fb4\" is one: # and six hexadecimal digits")
            << wrong;
}

TEST(StoreCheck, ATelephoneHasANumber) {
    for (const auto* phone : {"0800 123 4567", "+55 (11) 5555-0100", "(11) 5555-0100, ramal 12"})
        EXPECT_EQ(good(with("provider.phone", phone)).provider_phone, phone);
    for (const auto& wrong : {std::string("ask Maria"), std::string(65, '1')})
        EXPECT_EQ(only_error(with("provider.phone", wrong)),
                  "provider.phone: must be a telephone number, such as \"0800 123 4567\", in 1 to 64 characters")
            << wrong;
}

// A command that works on the journal reads it from a file that may be wrong elsewhere.
TEST(StoreCheck, TheTelephoneIsReadAlone) {
    const TemporaryFolder folder;
    const auto file = folder.write("gateway.toml", "[provider]\nphone = \"0800 123 4567\"\nwrong = 1\n");
    EXPECT_EQ(load_provider_phone(file), "0800 123 4567");
    EXPECT_EQ(load_provider_phone(folder.write("other.toml", "[provider]\nphone = 800\n")), "");
    EXPECT_EQ(load_provider_phone(folder.path("none.toml")), "");
}

}  // namespace gateway
