#include "api/metrics_page.hpp"

#include "journal/sqlite/database.hpp"
#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class MetricsPageTest : public ApiTest {
  protected:
    std::string page() { return api.operators(http::verb::get, "/metrics").response.body; }
    bool has(const std::string& line) { return page().find(line + "\n") != std::string::npos; }
};

TEST_F(MetricsPageTest, NumbersFollowTheSales) {
    api.sold("k-1");
    api.sold("k-1");
    api.held("k-2");
    api.flow.clock->advance(90s);
    for (const auto* line : {
             "gateway_sales_begun_total{family=\"tv\"} 2",
             "gateway_sales_begun_total{family=\"esim\"} 0",
             "gateway_sales_final_total{family=\"tv\",status=\"EFETIVADA\"} 1",
             "gateway_sale_replays_total 1",
             "gateway_sales_open{state=\"held\"} 1",
             "gateway_oldest_unsettled_seconds 90",
             "gateway_token_valid 1",
             "gateway_journal_writable 1",
             "gateway_sale_duration_seconds_count{family=\"tv\"} 1",
         })
        EXPECT_TRUE(has(line)) << line << "\n" << page();
}

TEST_F(MetricsPageTest, TheRoomOnTheJournalsDiskIsAGauge) {
    for (const auto* name : {"free_bytes", "needed_bytes"})
        EXPECT_NE(page().find("\ngateway_journal_disk_" + std::string(name) + " "), std::string::npos) << name;
    EXPECT_EQ(page().find("gateway_clock_ahead_of_provider_seconds"), std::string::npos) << "not known yet";
}

TEST_F(MetricsPageTest, SalesThatNeedAPersonAreCountedByTheirMark) {
    const auto sold = api.sold("k-1").text("id");
    auto sale = api.flow.kept(*SaleId::parse(sold));
    sale.attention = Attention::undeliverable;
    api.flow.attention->follow(sale);
    EXPECT_TRUE(has("gateway_sales_attention{attention=\"undeliverable\"} 1"));
    EXPECT_TRUE(has("gateway_sale_attention_total{attention=\"undeliverable\"} 1"));
    EXPECT_TRUE(has("gateway_sales_attention{attention=\"unsettled\"} 0"));
    EXPECT_FALSE(has("gateway_sales_attention{attention=\"none\"} 0"));
}

TEST_F(MetricsPageTest, CountsWhatCannotBeReadAsSoonAsItWasMet) {
    const auto id = api.sold("k-1").text("id");
    api.flow.clock->settle();
    auto database = *sqlite::Database::open(api.flow.folder.path("journal.db"), nullptr);
    ASSERT_TRUE(database.run("UPDATE sales SET attempts = 'garbage'").has_value());
    EXPECT_EQ(api.operators(http::verb::get, "/v1/sales/" + id).text("code"), "sale_unreadable");
    EXPECT_TRUE(has("gateway_sales_attention{attention=\"unreadable\"} 1")) << page();
}

TEST_F(MetricsPageTest, SaysWhetherItIsReadyInANumber) {
    EXPECT_TRUE(has("gateway_ready 0"));
    api.health->set_recovered();
    api.flow.tokens->start();
    api.flow.clock->settle();
    EXPECT_TRUE(has("gateway_ready 1"));
}

TEST_F(MetricsPageTest, LooksForTheProviderWhereNoSaleBringsNewsOfIt) {
    api.flow.network->refuses = true;
    EXPECT_TRUE(has("gateway_provider_up 0"));
}

TEST_F(MetricsPageTest, AnswersWithoutAMeaningAreCountedBeforeThereIsOne) {
    EXPECT_TRUE(has("gateway_provider_answers_total{family=\"esim\",step=\"solicitar\",known=\"unknown\"} 0"));
    EXPECT_FALSE(has("gateway_provider_answers_total{family=\"esim\",step=\"solicitar\",known=\"refused\"} 0"));
}

TEST_F(MetricsPageTest, OtherPartsNumbersAreShownAsTheyAreNow) {
    double value = 3;
    api.others = [&](Exposition& out) {
        out.metric("pool_open", "gauge", "Open.");
        out.sample(value);
    };
    api.build();
    value = 4;
    EXPECT_TRUE(has("# TYPE pool_open gauge\npool_open 4"));
}

}  // namespace
}  // namespace gateway::test
