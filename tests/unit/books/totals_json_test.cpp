#include "books/totals_json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gateway::test {
namespace {

std::string written(const Totals& totals) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    write_totals(json, totals);
    json.end_object();
    return text;
}

TEST(TotalsJson, ACloseCountsWhatIsFinal) {
    Totals totals;
    totals.add({.valor = Cents{5}, .status = Status::EFETIVADA});
    totals.add({.valor = Cents{7}, .status = Status::AUTORIZADA, .held = true});
    EXPECT_EQ(written(totals),
              R"({"sold":{"count":1,"valor":5},"cancelled":{"count":0,"valor":0},"refused":{"count":0,"valor":0}})");
}

TEST(TotalsJson, AnAmountThatDoesNotFitIsNone) {
    Totals totals;
    totals.add({.valor = Cents{std::numeric_limits<std::int64_t>::max()}, .status = Status::EFETIVADA});
    totals.add({.valor = Cents{1}, .status = Status::EFETIVADA});
    EXPECT_TRUE(written(totals).starts_with(R"({"sold":{"count":2,"valor":null})"));
}

}  // namespace
}  // namespace gateway::test
