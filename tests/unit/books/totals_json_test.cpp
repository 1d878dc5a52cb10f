#include "books/totals_json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gateway::test {
namespace {

std::string written(const Totals& totals, TotalsOf of) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    write_totals(json, totals, of);
    json.end_object();
    return text;
}

TEST(TotalsJson, OpenAndHeldAreThereWhereSalesMayBe) {
    Totals totals;
    totals.add({.valor = Cents{5}, .status = Status::EFETIVADA});
    totals.add({.valor = Cents{7}, .status = Status::AUTORIZADA, .held = true});
    EXPECT_EQ(written(totals, TotalsOf::final_sales),
              R"({"sold":{"count":1,"valor":5},"cancelled":{"count":0,"valor":0},"refused":{"count":0,"valor":0}})");
    EXPECT_EQ(written(totals, TotalsOf::all_sales),
              R"({"sold":{"count":1,"valor":5},"cancelled":{"count":0,"valor":0},"refused":{"count":0,"valor":0},)"
              R"("open":{"count":0,"valor":0},"held":{"count":1,"valor":7}})");
}

TEST(TotalsJson, AnAmountThatDoesNotFitIsNone) {
    Totals totals;
    totals.add({.valor = Cents{std::numeric_limits<std::int64_t>::max()}, .status = Status::EFETIVADA});
    totals.add({.valor = Cents{1}, .status = Status::EFETIVADA});
    EXPECT_TRUE(written(totals, TotalsOf::final_sales).starts_with(R"({"sold":{"count":2,"valor":null})"));
}

}  // namespace
}  // namespace gateway::test
