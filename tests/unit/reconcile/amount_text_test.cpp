#include "reconcile/amount_text.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

std::string said(std::string_view text, AmountUnit unit, Decimals decimals = Decimals::two) {
    const auto read = statement_amount(text, unit, decimals);
    return read ? std::to_string(read->value) : read.error();
}

TEST(StatementAmount, IsReadInItsUnit) {
    EXPECT_EQ(said("104990", AmountUnit::cents), "104990");
    EXPECT_EQ(said("000000000000000000000001", AmountUnit::cents), "1");
    EXPECT_EQ(said("0", AmountUnit::cents), "0");
    EXPECT_EQ(said("1049,90", AmountUnit::comma), "104990");
    EXPECT_EQ(said("1.049,90", AmountUnit::comma), "104990");
    EXPECT_EQ(said("1.234.049,05", AmountUnit::comma), "123404905");
    EXPECT_EQ(said("0,07", AmountUnit::comma), "7");
    EXPECT_EQ(said("1,049.90", AmountUnit::point), "104990");
    EXPECT_EQ(said("99999999999999,99", AmountUnit::comma), "9999999999999999");
}

TEST(StatementAmount, IsNothingElse) {
    for (const auto* const text : {"12,34", "12.34", "x", " 1", "1 ", "1e3", "0x1", "100000000000000"})
        EXPECT_EQ(said(text, AmountUnit::cents), "is no whole number of cents (statement.money)") << text;
    for (const auto* const text : {"1049.90", "10.49,90", ".049,90", "1.0499,90", "1.049.90", ",90", "12,", "12,3x",
                                   "1,2,3", "1.,90", "100000000000000,00", "1234.567,89"})
        EXPECT_EQ(said(text, AmountUnit::comma), "is no amount such as 1049,90") << text;
    EXPECT_EQ(said("1049,90", AmountUnit::point), "is no amount such as 1049.90");
    for (const auto unit : {AmountUnit::cents, AmountUnit::comma, AmountUnit::point}) {
        EXPECT_EQ(said("", unit), "is empty where an amount is expected");
        for (const auto* const text : {"-1", "+1", "1-", "-1,00", "-"})
            EXPECT_EQ(said(text, unit), "has a sign, and an amount of a statement has none") << text;
    }
}

TEST(StatementAmount, HasTwoDecimalsOrIsOfAnotherUnit) {
    EXPECT_EQ(said("12,345", AmountUnit::comma), "has three decimals");
    EXPECT_EQ(said("12.3456", AmountUnit::point), "has 4 decimals");
    EXPECT_EQ(said("12,3", AmountUnit::comma), "has one decimal, and two are expected");
    EXPECT_EQ(said("12", AmountUnit::comma), "has no decimals, and two are expected");
    EXPECT_EQ(said("12,3", AmountUnit::comma, Decimals::up_to_two), "1230");
    EXPECT_EQ(said("12", AmountUnit::point, Decimals::up_to_two), "1200");
    EXPECT_EQ(said("12,345", AmountUnit::comma, Decimals::up_to_two), "has three decimals");
}

TEST(StatementAmount, UnitIsTheOneThatAgrees) {
    EXPECT_EQ(unit_by_agreement("104990", Cents{104990}), AmountUnit::cents);
    EXPECT_EQ(unit_by_agreement("104990", Cents{10499000}), AmountUnit::comma);
    EXPECT_EQ(unit_by_agreement("1.049,9", Cents{104990}), AmountUnit::comma);
    EXPECT_EQ(unit_by_agreement("1049.90", Cents{104990}), AmountUnit::point);
    EXPECT_EQ(unit_by_agreement("1.049", Cents{104900}), AmountUnit::comma);
    EXPECT_EQ(unit_by_agreement("0", Cents{0}), AmountUnit::cents);
    EXPECT_EQ(unit_by_agreement("104991", Cents{104990}), std::nullopt);
    EXPECT_EQ(unit_by_agreement("x", Cents{0}), std::nullopt);
}

}  // namespace
}  // namespace gateway::test
