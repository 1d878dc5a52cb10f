#include "api/close_json.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

Close a_close() {
    Close made{.estabelecimento = "12345678", .series = 2, .number = 326, .day = *parse_day("2026-11-20")};
    made.open = "[]";
    made.totals =
        R"({"sales":1,"late":0,"lateSales":[],"unreadable":0,"first":null,"last":null,"previous":"p",
            "total":{"sold":{"count":1,"valor":5}},"families":{},
            "terminals":{"=caixa;1":{"sold":{"count":1,"valor":null}}}})";
    made.digest = "d";
    return made;
}

TEST(CloseJson, HasWhatTheJournalKeeps) {
    const auto json = boost::json::parse(close_json(a_close())).get_object();
    EXPECT_EQ(json.at("name").as_string(), "326-2");
    EXPECT_EQ(json.at("series").as_int64(), 2);
    EXPECT_TRUE(json.at("by").is_null());
    EXPECT_EQ(json.at("previous").as_string(), "p");
    EXPECT_EQ(json.at("totals").at("total").at("sold").at("valor").as_int64(), 5);
    EXPECT_FALSE(json.contains("total"));
}

TEST(CloseJson, NamesTheCashiersWhereTheyWereSummedUp) {
    GroupedTotals cashiers({TotalsBy::cashier});
    cashiers.add({.cashier = "Rita \"R\"", .valor = Cents{5}, .status = Status::EFETIVADA});
    cashiers.add({.valor = Cents{7}, .status = Status::CANCELADA});
    const auto json = boost::json::parse(close_json(a_close(), &cashiers)).get_object();
    const auto& named = json.at("totals").at("cashiers");
    EXPECT_EQ(named.at("Rita \"R\"").at("sold").at("valor").as_int64(), 5);
    EXPECT_EQ(named.at("").at("cancelled").at("count").as_int64(), 1);
    EXPECT_FALSE(boost::json::parse(close_json(a_close())).at("totals").as_object().contains("cashiers"));
    EXPECT_TRUE(close_csv(a_close(), Language::english, &cashiers)
                    .ends_with(R"("326/2","12345678","2026-11-20","cashier","Rita ""R""",1,0.05,0,0.00,0,0.00)"
                               "\r\n"));
}

TEST(CloseJson, ALineOfCsvForAllAndForEachGroup) {
    EXPECT_EQ(close_csv(a_close(), Language::english),
              R"("close","store","day","group","name","sold","sold amount","cancelled","cancelled amount",)"
              R"("refused","refused amount")"
              "\r\n"
              R"("326/2","12345678","2026-11-20","total","",1,0.05,,,,)"
              "\r\n"
              R"("326/2","12345678","2026-11-20","terminal","'=caixa;1",1,,,,,)"
              "\r\n");
    EXPECT_TRUE(close_csv(a_close(), Language::portuguese)
                    .ends_with(R"("326/2";"12345678";"20/11/2026";"terminal";"'=caixa;1";1;;;;;)"
                               "\r\n"));
}

}  // namespace
}  // namespace gateway::test
