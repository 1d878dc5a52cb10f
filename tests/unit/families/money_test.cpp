#include "families/money.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway {
namespace {

TEST(Money, DigitsAreCents) {
    EXPECT_EQ(cents_from_digits("1099"), Cents{1099});
    EXPECT_EQ(cents_from_digits("0"), Cents{0});
    EXPECT_EQ(cents_from_digits("000000001099"), Cents{1099});
    EXPECT_EQ(cents_from_digits("99999999"), max_valor);
}

TEST(Money, WhatIsNotDigitsOrTooMuchIsNoAmountInCents) {
    for (const auto* text : {"", " 1", "1 ", "+1", "-1", "10,99", "10.99", "1e3", "0x10", "100000000", "٣",
                             "0000000000001", "99999999999999999999999999"})
        EXPECT_EQ(cents_from_digits(text), std::nullopt) << text;
}

TEST(Money, ADecimalHasACommaOrIsWhole) {
    EXPECT_EQ(cents_from_decimal("49,90"), Cents{4990});
    EXPECT_EQ(cents_from_decimal("49,9"), Cents{4990});
    EXPECT_EQ(cents_from_decimal("49,09"), Cents{4909});
    EXPECT_EQ(cents_from_decimal("49"), Cents{4900});
    EXPECT_EQ(cents_from_decimal("0,01"), Cents{1});
    EXPECT_EQ(cents_from_decimal("1.049,90"), Cents{104990});
    EXPECT_EQ(cents_from_decimal("999.999,99"), max_valor);
    EXPECT_EQ(cents_from_decimal("12.345,00"), Cents{1234500});
    EXPECT_EQ(cents_from_decimal("1049,90"), Cents{104990});
}

TEST(Money, WhatCouldBeReadTwoWaysIsNoDecimal) {
    for (const auto* text : {"",
                             ",",
                             "49,",
                             ",90",
                             "49,900",
                             "49.90",
                             "1.049",
                             "1.04,90",
                             "1.0490,90",
                             "1049.900,00",
                             ".049,90",
                             "0001.049,90",
                             "1..049,90",
                             "1.049.,90",
                             "-49,90",
                             "R$ 49,90",
                             " 49,90",
                             "49,9 ",
                             "49,-1",
                             "4 9,90",
                             "1.000.000,00",
                             "1000000,00",
                             "1,000.00",
                             "49,90,10",
                             "999999999999999999999,00",
                             "12345.678,90"})
        EXPECT_EQ(cents_from_decimal(text), std::nullopt) << text;
}

TEST(Money, ValorOfASellIsAnIntegerOrDigitsAboveZero) {
    EXPECT_EQ(sellable_from_json(1099), Cents{1099});
    EXPECT_EQ(sellable_from_json("1099"), Cents{1099});
    EXPECT_EQ(sellable_from_json(1), Cents{1});
    EXPECT_EQ(sellable_from_json(99'999'999), max_valor);
    for (const boost::json::value& value :
         {boost::json::value(0), boost::json::value("0"), boost::json::value(-1), boost::json::value(100'000'000),
          boost::json::value(1099.0), boost::json::value("10,99"), boost::json::value(nullptr),
          boost::json::value(true), boost::json::value(boost::json::array{1099}),
          boost::json::value(std::uint64_t(1) << 63)})
        EXPECT_EQ(sellable_from_json(value), std::nullopt) << value;
}

TEST(Money, AWholeAmountWrittenAsAFractionIsRefusedAsTheContractSays) {
    EXPECT_EQ(sellable_from_json(boost::json::parse("1099.0")), std::nullopt);
    EXPECT_EQ(sellable_from_json(boost::json::parse("1e3")), std::nullopt);
}

TEST(Money, IsWrittenInCentsForTheProviderAndInReaisForPeople) {
    EXPECT_EQ(digits_of(Cents{1099}), "1099");
    EXPECT_EQ(money_text(Cents{1}), "R$ 0,01");
    EXPECT_EQ(money_text(Cents{1099}), "R$ 10,99");
    EXPECT_EQ(money_text(Cents{99'999}), "R$ 999,99");
    EXPECT_EQ(money_text(Cents{104'990}), "R$ 1.049,90");
    EXPECT_EQ(money_text(max_valor), "R$ 999.999,99");
    EXPECT_EQ(money_text(Cents{123'456'789'00}), "R$ 123.456.789,00");
}

TEST(Money, AColumnOfAmountsNeedsNoSign) {
    EXPECT_EQ(amount_text(Cents{204590}), "2.045,90");
    EXPECT_EQ(amount_text(Cents{0}), "0,00");
}

TEST(Money, EveryAmountSurvivesBeingWrittenAndRead) {
    for (std::int64_t value = 0; value <= max_valor.value; value += 9'973) {
        const Cents amount{value};
        EXPECT_EQ(cents_from_digits(digits_of(amount)), amount);
        EXPECT_EQ(cents_from_decimal(money_text(amount).substr(3)), amount);
    }
}

}  // namespace
}  // namespace gateway
