#include "families/option_reader.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

namespace json = boost::json;

const json::object entry{{"text", "Mensal"}, {"number", 4900},          {"digits", "4900"},
                         {"null", nullptr},  {"array", json::array{1}}, {"minus", -1}};

TEST(OptionReader, ReadsWhatMayComeAsAStringOrAsANumberAndNothingElse) {
    EXPECT_EQ(lenient_text(entry, "text"), "Mensal");
    EXPECT_EQ(lenient_text(entry, "number"), "4900");
    EXPECT_EQ(lenient_text(entry, "array"), "");
    EXPECT_EQ(whole_number(entry, "number"), 4900);
    EXPECT_EQ(whole_number(entry, "digits"), 4900);
    EXPECT_EQ(whole_number(entry, "minus"), std::nullopt);
    EXPECT_EQ(whole_number(entry, "text"), std::nullopt);
    EXPECT_TRUE(is_absent(entry, "null") && is_absent(entry, "missing"));
    EXPECT_FALSE(is_absent(entry, "minus"));
}

TEST(OptionReader, ARangeThatHoldsOneAmountIsAFixedPriceAndAnEmptyOneIsNone) {
    EXPECT_EQ(std::get<Option::Fixed>(range_price(500, 500).value()).valor, Cents{500});
    const auto range = std::get<Option::Range>(range_price(0, 500).value());
    EXPECT_EQ(range.min, Cents{1}) << "nothing is sold for nothing";
    EXPECT_EQ(range.max, Cents{500});
    EXPECT_FALSE(range_price(501, 500));
    EXPECT_FALSE(range_price(std::nullopt, 500));
}

TEST(OptionReader, SaysWhatOfAnAmountAndAQuantityDepartsFromTheOption) {
    const auto option = make_option("", Option::Fixed{Cents{4900}}, {});
    EXPECT_EQ(option.sell.at("valor"), 4900) << "the price leaves no choice";
    EXPECT_EQ(departures(option, Cents{4900}, 1).size(), 0U);
    EXPECT_EQ(departures(option, Cents{4901}, 2).size(), 2U);
    const auto by_piece = make_option("", Option::Unit{.unit = Cents{430}, .max_quantity = 4}, {});
    EXPECT_FALSE(by_piece.sell.contains("valor"));
    EXPECT_EQ(departures(by_piece, Cents{860}, 2).size(), 0U);
    EXPECT_EQ(departures(by_piece, Cents{2150}, 5).size(), 1U) << "five are too many";
}

TEST(OptionReader, AnOrderIsMadeFromAnEntryThatHasTheSameValues) {
    EXPECT_TRUE(same_fields(entry, {{"text", "Mensal"}, {"number", 4900}}, {"text", "number"}));
    EXPECT_FALSE(same_fields(entry, {{"text", "Anual"}, {"number", 4900}}, {"text", "number"}));
    EXPECT_FALSE(same_fields(entry, {{"text", "Mensal"}}, {"text", "number"}));
}

}  // namespace
}  // namespace gateway::test
