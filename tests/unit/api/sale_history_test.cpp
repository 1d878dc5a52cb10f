#include "api/sale_history.hpp"

#include "base/wall_time.hpp"
#include "unit/api/rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;
namespace json = boost::json;

class SaleHistoryTest : public ApiTest {
  protected:
    // Makes a sale whose provider never answers, and returns its id.
    std::string being_cancelled() {
        api.flow.network->otherwise = [](const http::ClientRequest&) { return answered(500, ""); };
        const auto told = api.sold("k-1");
        EXPECT_EQ(told.text("outcome"), "not_sold");
        return std::string(told.json().at("sale").at("id").as_string());
    }
    json::object history(const std::string& id) {
        return api.operators(http::verb::get, "/v1/sales/" + id + "/events").json();
    }
    WallTime time_at(const json::value& text) { return from_rfc3339(text.as_string()).value(); }
};

TEST_F(SaleHistoryTest, OfASettledSaleSaysThatNothingIsDone) {
    const auto told = history(api.sold("k-1").text("id"));
    EXPECT_EQ(told.at("status"), "EFETIVADA");
    EXPECT_EQ(told.at("settled"), true);
    EXPECT_EQ(told.at("attention"), "none");
    EXPECT_EQ(told.at("advice"), "");
    EXPECT_EQ(told.at("tries"), 0);
    EXPECT_EQ(told.at("events").at(0).at("idExterno"), told.at("idExterno"));
    for (const auto* name : {"marked", "lastError", "now", "open", "callbacks"})
        EXPECT_FALSE(told.contains(name)) << name;
}

TEST_F(SaleHistoryTest, OfAnOpenSaleSaysWhichTryItIsWhenTheNextComesAndWhenAPersonIsAsked) {
    const auto id = being_cancelled();
    api.flow.clock->advance(30s);
    const auto told = history(id);
    const auto& now = told.at("now").as_object();
    EXPECT_EQ(now.at("state"), "cancelling");
    EXPECT_EQ(now.at("step"), "cancelar");
    EXPECT_EQ(now.at("underWay"), false);
    EXPECT_EQ(now.at("idExterno"), told.at("idExterno"));
    const auto tries = told.at("tries").as_int64();
    EXPECT_GT(tries, 3);
    EXPECT_EQ(now.at("try"), tries + 1);
    EXPECT_GT(time_at(now.at("nextAt")), api.flow.clock->wall());
    EXPECT_GT(time_at(now.at("attentionAt")), api.flow.clock->wall() + 9min);
    EXPECT_THAT(std::string(now.at("text").as_string()),
                AllOf(HasSubstr("The gateway asks the provider to cancel idExterno "),
                      HasSubstr(": try " + std::to_string(tries + 1) + " at "), HasSubstr("; a person is asked at ")));
    EXPECT_EQ(told.at("lastError").at("step"), "cancelar");
    EXPECT_THAT(std::string(told.at("lastError").at("text").as_string()), HasSubstr("500"));
    ASSERT_EQ(told.at("open").as_array().size(), 1U);
    EXPECT_EQ(told.at("open").as_array().front(), told.at("now"));
}

TEST_F(SaleHistoryTest, WhatALongHistoryLeavesOutIsKnownWhileTheGatewayRuns) {
    const auto id = being_cancelled();
    api.flow.clock->advance(48h);
    const auto told = history(id);
    const auto tries = told.at("tries").as_int64();
    EXPECT_GT(tries, 500) << "one in two and a half minutes, or so";
    EXPECT_LT(told.at("events").as_array().size(), 100u);
    EXPECT_GT(time_at(told.at("lastError").at("at")), api.flow.clock->wall() - 6min);
    EXPECT_EQ(told.at("marked").at("mark"), "unsettled");
    EXPECT_LT(time_at(told.at("marked").at("since")), api.flow.clock->wall() - 47h);
    for (const auto* part : {"known", "notKnown", "toDo"})
        EXPECT_THAT(std::string(told.at("advice").as_string()),
                    HasSubstr(std::string(told.at("marked").at(part).as_string())));
    EXPECT_THAT(std::string(told.at("now").at("text").as_string()), HasSubstr("; a person was asked at "));
    EXPECT_TRUE(told.at("now").at("attentionAt").is_null());
    const auto sale = api.flow.kept(*SaleId::parse(id));
    const auto kept =
        history_facts(api.flow.clock->run(api.flow.journal->history(sale.id)).value(), sale.attention, sale.attempts)
            .tries;
    EXPECT_GE(kept, tries / 2)
        << "the history records ever fewer of the tries, and only these are known after a restart";
    EXPECT_LT(kept, tries);
    EXPECT_EQ(told.at("leftOutAtEnd"), tries - kept);
    EXPECT_EQ(told.at("leavesOut"), true);
    EXPECT_FALSE(told.contains("moreTries")) << "this program has counted all of them";
    EXPECT_FALSE(told.at("lastError").as_object().contains("mayBeOlder"));
}

TEST_F(SaleHistoryTest, SaysThatAnExchangeIsUnderWay) {
    const auto id = being_cancelled();
    api.flow.network->otherwise = [](const http::ClientRequest&) { return answered(500, ""); };
    api.flow.network->then(answered(500, ""), 10s);
    while (api.flow.network->under_way == 0)
        api.flow.clock->advance(100ms);
    const auto told = history(id);
    EXPECT_EQ(told.at("now").at("underWay"), true);
    EXPECT_TRUE(told.at("now").at("nextAt").is_null());
    EXPECT_THAT(std::string(told.at("now").at("text").as_string()), HasSubstr(" is under way"));
}

TEST_F(SaleHistoryTest, OfAPendingEsimSaysSinceWhenItWaits) {
    const auto id = api.sold("k-1", ApiRig::esim_body).text("id");
    auto told = history(id);
    EXPECT_THAT(std::string(told.at("now").at("text").as_string()),
                AllOf(HasSubstr("waits for the provider's callback since "), HasSubstr("; a person is asked at ")));
    EXPECT_TRUE(told.at("now").at("step").is_null());
    EXPECT_EQ(told.at("now").at("try"), 0);
    api.flow.clock->advance(api.flow.rules.attention_after + 1s);
    told = history(id);
    EXPECT_EQ(told.at("marked").at("mark"), "no_callback");
    EXPECT_EQ(told.at("events").as_array().back().at("mark"), "no_callback");
    EXPECT_TRUE(told.contains("now")) << "it only waits for its callback, and a driver still has it";
}

TEST_F(SaleHistoryTest, OfARefusedSaleHasTheProvidersWordsWithoutTheCustomer) {
    EXPECT_FALSE(history(api.sold("k-1").text("id")).contains("providerSaid"));
    api.flow.network->then(answered(422, R"({"mensagem":"recusado: z@correio.example, CPF 529.982.247-25"})"));
    const auto told = api.sold("k-2", ApiRig::esim_body).json();
    EXPECT_EQ(history(std::string(told.at("sale").at("id").as_string())).at("providerSaid"), "recusado: … CPF …");
}

TEST_F(SaleHistoryTest, OfAHeldSaleSaysUntilWhen) {
    const auto told = history(api.held("k-1").text("id"));
    EXPECT_THAT(std::string(told.at("now").at("text").as_string()), HasSubstr("the terminal holds it until "));
    EXPECT_EQ(time_at(told.at("now").at("nextAt")), api.flow.clock->wall() + api.flow.rules.hold);
}

TEST_F(SaleHistoryTest, OfASaleThatWaitsForTheJournalSaysThatNothingIsAskedMeanwhile) {
    const auto id = being_cancelled();
    api.flow.doubtful->fail();
    api.flow.clock->advance(60s);
    const auto asked = api.flow.network->seen.size();
    const auto now = history(id).at("now").as_object();
    EXPECT_EQ(now.at("waitsForJournal"), true);
    const auto id_externo = std::string(now.at("idExterno").as_string());
    EXPECT_EQ(std::string(now.at("text").as_string()),
              "The last step of the sale is not recorded yet, because the journal cannot be written; until it can, the "
              "gateway asks the provider nothing more for idExterno " +
                  id_externo + ".");
    for (const auto* name : {"step", "nextAt", "attentionAt"})
        EXPECT_TRUE(now.at(name).is_null()) << name;
    api.flow.clock->advance(600s);
    EXPECT_EQ(api.flow.network->seen.size(), asked);
    api.flow.doubtful->mend();
    api.flow.clock->advance(1s);
    EXPECT_EQ(history(id).at("now").at("waitsForJournal"), false);
    EXPECT_THAT(std::string(history(id).at("now").at("text").as_string()), HasSubstr(": try "));
}

TEST_F(SaleHistoryTest, OfASaleThatIsNotDrivenHereDoesNotSayWhatIsDone) {
    const auto held = *SaleId::parse(api.held("k-1").text("id"));
    const LiveSale copy(api.flow.kept(held), "", LiveSale::Stage::resting, *api.flow.clock);
    const auto told = boost::json::parse(sale_history(api.flow.rules, copy, {}, {}, {}, {})).get_object();
    EXPECT_FALSE(told.contains("now") || told.contains("open"));
    EXPECT_EQ(told.at("tries"), 0);
}

}  // namespace
}  // namespace gateway::test
