#include "api/closes.hpp"

#include "journal/sqlite/database.hpp"
#include "unit/api/books_rig.hpp"
#include "unit/support/sqlite_sleep.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ending = DoubtfulJournal::Ending;

class ClosesApiTest : public BooksApiTest {
  protected:
    static std::vector<std::string> names(const Told& told) {
        std::vector<std::string> all;
        const auto json = told.json();
        for (const auto& close : json.at("closes").as_array())
            all.push_back(std::string(close.at("estabelecimento").as_string()) + " " +
                          std::string(close.at("name").as_string()) + " " + std::string(close.at("day").as_string()));
        return all;
    }
    sqlite::Database another() { return *sqlite::Database::open(api.flow.folder.path("journal.db"), nullptr); }

    const SqliteSleep sleep;
};

TEST_F(ClosesApiTest, ADayOfEveryEstablishmentIsClosedOnce) {
    sold();
    const auto made = close();
    EXPECT_EQ(made.status(), 201u);
    EXPECT_THAT(names(made), ElementsAre("12345678 1 2024-05-02", "87654321 1 2024-05-02"));
    const auto first = made.json().at("closes").at(0);
    EXPECT_EQ(first.at("by").as_string(), "maria");
    EXPECT_EQ(first.at("sales").as_int64(), 1);
    EXPECT_EQ(first.at("totals").at("families").at("tv").at("sold").at("valor").as_int64(), 2500);
    const auto again = close(R"({"day":"2024-05-02","by":"joana"})");
    EXPECT_EQ(again.status(), 200u);
    EXPECT_EQ(again.response.body, made.response.body);
    const auto more = close(R"({"day":"2024-05-01","estabelecimento":"12345678"})");
    EXPECT_EQ(more.status(), 201u);
    EXPECT_THAT(names(more), ElementsAre("12345678 2 2024-05-01"));
    EXPECT_TRUE(more.json().at("closes").at(0).at("by").is_null());
    EXPECT_FALSE(more.json().at("closes").at(0).at("automatic").as_bool()) << "a person closed, and gave no name";
    const auto paper = api.ask(api.admin_routes, ApiRig::request(http::verb::get, "/v1/closes/12345678/2/receipt"));
    EXPECT_THAT(paper.response.body, testing::HasSubstr("\npor pessoa sem nome informado\n"));
    EXPECT_THAT(paper.response.body, testing::Not(testing::HasSubstr("automático")));
}

TEST_F(ClosesApiTest, TheStoreNamesItselfInEveryAnswerThatIsReadOnPaper) {
    EXPECT_FALSE(close().json().contains("letterhead")) << "and a store that does not leaves no hole";
    ClosesApi named{books, *api.flow.doubtful, {.name = "Mercadinho da Praça", .cnpj = "12.345.678/0001-95"}};
    http::Router router;
    add_routes(router, on_admin, Parts(named));
    const auto head = R"({"name":"Mercadinho da Praça","cnpj":"12.345.678/0001-95"})";
    const auto told = [&](const Told& answer) { return boost::json::serialize(answer.json().at("letterhead")); };
    EXPECT_EQ(told(api.ask(router, ApiRig::request(http::verb::get, "/v1/closes"))), head);
    EXPECT_EQ(told(api.ask(router, ApiRig::request(http::verb::post, "/v1/closes", R"({"day":"2024-05-02"})"))), head);
    const auto paper = api.ask(router, ApiRig::request(http::verb::get, "/v1/closes/12345678/1/receipt"));
    EXPECT_THAT(paper.response.body, testing::StartsWith("Mercadinho da Praça\nCNPJ 12.345.678/0001-95\n"));
}

TEST_F(ClosesApiTest, ADayBeforeTheFirstSaleIsNotClosed) {
    for (const auto* day : {"2024-04-30", "2001-01-01", "0001-01-01"}) {
        const auto told = close(fmt::format(R"({{"day":"{}","estabelecimento":"12345678"}})", day));
        EXPECT_EQ(told.status(), 422u);
        EXPECT_EQ(told.detail_of("/day"), "is before there was anything to close: 12345678 has no sale yet");
    }
    sold_before(2);
    EXPECT_EQ(close(R"({"day":"2024-04-29"})").detail_of("/day"),
              "is before there was anything to close: the first sale of 12345678 is of 2024-04-30, and 87654321 has no "
              "sale yet");
    EXPECT_THAT(names(close(R"({"day":"2024-04-30"})")), ElementsAre("12345678 1 2024-04-30"))
        << "the other one has not begun";
    EXPECT_THAT(names(close(R"({"day":"2024-05-02"})")), ElementsAre("12345678 2 2024-05-02", "87654321 1 2024-05-02"));
}

TEST_F(ClosesApiTest, YesterdayIsClosedBeforeTheFirstSaleAsATimerAsksForIt) {
    EXPECT_THAT(names(close(R"({"day":"2024-05-01"})")), ElementsAre("12345678 1 2024-05-01", "87654321 1 2024-05-01"));
}

TEST_F(ClosesApiTest, ADayThatWasSoldOnAndForgottenIsNamed) {
    sold();
    close(R"({"day":"2024-05-01"})");
    api.flow.clock->shift_wall(std::chrono::hours(24));
    const auto told = close(R"({"day":"2024-05-03"})");
    EXPECT_EQ(boost::json::serialize(told.json().at("forgotten")),
              R"([{"estabelecimento":"12345678","day":"2024-05-02"}])");
    close(R"({"day":"2024-05-02"})");
    EXPECT_TRUE(close(R"({"day":"2024-05-03"})").json().at("forgotten").as_array().empty());
}

TEST_F(ClosesApiTest, TheListNamesTheDaysThatAreOverAndForgotten) {
    const auto forgotten = [&](const std::string& query) {
        return boost::json::serialize(get("/v1/closes" + query).json().at("forgotten"));
    };
    sold();
    close(R"({"day":"2024-05-01"})");
    EXPECT_EQ(forgotten(""), "[]") << "the day is not over";
    api.flow.clock->shift_wall(std::chrono::hours(24));
    EXPECT_EQ(forgotten(""), R"([{"estabelecimento":"12345678","day":"2024-05-02"}])");
    EXPECT_EQ(forgotten("?estabelecimento=12345678"), forgotten(""));
    EXPECT_EQ(forgotten("?estabelecimento=87654321"), "[]");
    EXPECT_TRUE(get("/v1/closes").json().at("automatic").is_null());
    close();
    EXPECT_EQ(forgotten(""), "[]");
}

TEST_F(ClosesApiTest, ClosesAreListedAndFound) {
    sold();
    sold("loja-b");
    close(R"({"day":"2024-05-01"})");
    close();
    EXPECT_THAT(names(get("/v1/closes?limit=3")),
                ElementsAre("87654321 2 2024-05-02", "12345678 2 2024-05-02", "87654321 1 2024-05-01"));
    EXPECT_THAT(names(get("/v1/closes?estabelecimento=12345678&from=2024-05-02&to=2024-05-02")),
                ElementsAre("12345678 2 2024-05-02"));
    EXPECT_EQ(get("/v1/closes/12345678/2").text("day"), "2024-05-02");
    for (const auto* unknown : {"/v1/closes/12345678/3", "/v1/closes/12345678/2-2", "/v1/closes/11111111/1",
                                "/v1/closes/12345678/x", "/v1/closes/12345678/3.csv", "/v1/closes/12345678/02",
                                "/v1/closes/12345678/3/receipt", "/v1/closes/12345678/2-1"}) {
        EXPECT_EQ(get(unknown).status(), 404u) << unknown;
        EXPECT_EQ(get(unknown).code(), "not_found");
    }
}

TEST_F(ClosesApiTest, WhatEachCashierSoldIsSummedUpWhereOneCloseIsAskedFor) {
    sold();
    const auto made = close().json().at("closes").at(0);
    EXPECT_FALSE(made.at("totals").as_object().contains("cashiers"));
    auto one = get("/v1/closes/12345678/1").json();
    auto& totals = one.at("totals").as_object();
    EXPECT_EQ(totals.at("cashiers").at("").at("sold").at("valor").as_int64(), 2500) << "nobody was named";
    totals.erase("cashiers");
    EXPECT_EQ(one, made);
}

TEST_F(ClosesApiTest, ACloseIsForASpreadsheetAndForPaperToo) {
    sold();
    close();
    const auto csv = get("/v1/closes/12345678/1.csv");
    EXPECT_EQ(csv.response.content_type, "text/csv; charset=utf-8");
    EXPECT_EQ(csv.header("Content-Language"), "pt-BR");
    EXPECT_THAT(csv.response.body, HasSubstr(R"("1";"12345678";"02/05/2024";"família";"tv";1;25,00;0;0,00;0;0,00)"));
    const auto english = get("/v1/closes/12345678/1.csv", "en");
    EXPECT_THAT(english.response.body, HasSubstr(R"("1","12345678","2024-05-02","family","tv",1,25.00,0,0.00,0,0.00)"));
    const auto receipt = get("/v1/closes/12345678/1/receipt");
    EXPECT_EQ(receipt.response.content_type, "text/plain; charset=utf-8");
    EXPECT_TRUE(receipt.response.body.starts_with("Fechamento nº 1\nLoja 12345678\n"));
    EXPECT_TRUE(get("/v1/closes/12345678/1/receipt", "en").response.body.starts_with("Close no. 1\nStore 12345678\n"));
}

TEST_F(ClosesApiTest, ADayThatHasNotBegunIsNotClosed) {
    const auto told = close(R"({"day":"2024-05-03"})");
    EXPECT_EQ(told.status(), 422u);
    EXPECT_EQ(told.text("detail"), "day must have begun: by the gateway's clock it is 2024-05-02 in the store");
    EXPECT_THAT(names(get("/v1/closes")), ElementsAre());
}

TEST_F(ClosesApiTest, AnEstablishmentThatNobodyKnowsIsNotClosed) {
    const auto told = close(R"({"day":"2024-05-02","estabelecimento":"11111111"})");
    EXPECT_EQ(told.status(), 422u);
    EXPECT_THAT(told.pointers(), ElementsAre("/estabelecimento"));
    EXPECT_THAT(names(get("/v1/closes")), ElementsAre());
}

TEST_F(ClosesApiTest, AJournalThatCannotBeWrittenIsSaidInWords) {
    auto other = another();
    ASSERT_TRUE(other.run("BEGIN IMMEDIATE").has_value());
    const auto told = close();
    EXPECT_EQ(told.status(), 503u);
    EXPECT_EQ(told.code(), "journal_unavailable");
    EXPECT_THAT(told.text("detail"), HasSubstr("cannot write its journal"));
    ASSERT_TRUE(other.run("ROLLBACK").has_value());
    EXPECT_EQ(close().status(), 201u);
}

TEST_F(ClosesApiTest, WhatTheJournalDoesNotSayIsNotKnown) {
    api.flow.doubtful->endings.assign(30, Ending::done_but_unknown);
    const auto told = close();
    EXPECT_EQ(told.status(), 503u);
    EXPECT_THAT(told.text("detail"), HasSubstr("a day has one close only"));
    EXPECT_EQ(close().status(), 201u) << "of the other establishment";
    EXPECT_EQ(names(get("/v1/closes")).size(), 2u);
}

TEST_F(ClosesApiTest, ADamagedCloseIsSaidAndIsNotMadeAgain) {
    close(R"({"day":"2024-05-02","estabelecimento":"12345678"})");
    ASSERT_TRUE(another().run("UPDATE closes SET made_at = 'x'").has_value());
    const auto told = close(R"({"day":"2024-05-02","estabelecimento":"12345678"})");
    EXPECT_EQ(told.status(), 503u);
    EXPECT_EQ(told.code(), "close_unreadable");
}

}  // namespace
}  // namespace gateway::test
