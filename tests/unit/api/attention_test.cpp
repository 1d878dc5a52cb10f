#include "api/attention.hpp"

#include "base/wall_time.hpp"
#include "sale/advice.hpp"
#include "unit/api/rig.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

// This is a journal that has these sales for a person, or from which none can be read.
class MarkedJournal final : public ForwardingJournal {
  public:
    using ForwardingJournal::ForwardingJournal;

    Awaited<std::vector<MarkedSale>> marked() override {
        if (fails) co_return errc::journal_unavailable;
        co_return sales;
    }

    std::vector<MarkedSale> sales;
    bool fails = false;
};

class AttentionTest : public ApiTest {
  protected:
    Told list(Journal& journal, Duration open_sales_end = Duration(0)) {
        AttentionApi attention(journal, *api.flow.seller, open_sales_end);
        http::Router router;
        add_routes(router, on_admin, Parts(attention));
        return api.ask(router, ApiRig::request(http::verb::get, "/v1/attention"));
    }
    Told list(Duration open_sales_end = Duration(0)) { return list(*api.flow.journal, open_sales_end); }
    // Makes an eSIM sale whose callback does not come.
    std::string for_a_person(const char* key = "esim-1") {
        const auto id = api.sold(key, ApiRig::esim_body).text("id");
        api.flow.clock->advance(api.flow.rules.attention_after + 1s);
        return id;
    }
};

TEST_F(AttentionTest, NothingIsAnEmptyList) {
    api.sold("k-1");
    EXPECT_EQ(list().response.body, R"({"sales":[],"total":0})");
}

TEST_F(AttentionTest, NamesTheProvidersTelephoneWhereItIsKnown) {
    AttentionApi attention(*api.flow.journal, *api.flow.seller, Duration(0), "0800 123 4567");
    http::Router router;
    add_routes(router, on_admin, Parts(attention));
    EXPECT_EQ(api.ask(router, ApiRig::request(http::verb::get, "/v1/attention")).response.body,
              R"({"sales":[],"total":0,"providerPhone":"0800 123 4567"})");
}

TEST_F(AttentionTest, SaysOfASaleWhatIsKnownAndWhatToDo) {
    const auto id = for_a_person();
    const auto told = list();
    ASSERT_EQ(told.status(), 200u);
    const auto sale = told.json().at("sales").as_array().at(0).as_object();
    const auto kept = api.flow.kept(*SaleId::parse(id));
    const auto [known, not_known, to_do] = advice(Attention::no_callback);
    EXPECT_EQ(sale.at("id"), boost::json::value(id));
    EXPECT_EQ(sale.at("idExterno"), boost::json::value(kept.current().id_externo.text()));
    EXPECT_EQ(sale.at("idTransacao"), boost::json::value(kept.current().id_transacao));
    EXPECT_EQ(sale.at("family"), "esim");
    EXPECT_EQ(sale.at("produto"), "Chip");
    EXPECT_EQ(sale.at("terminal"), "caixa-01");
    EXPECT_EQ(sale.at("estabelecimento"), "12345678");
    EXPECT_EQ(sale.at("valor"), 2990);
    EXPECT_EQ(sale.at("status"), "AUTORIZADA");
    EXPECT_EQ(sale.at("mark"), "no_callback");
    EXPECT_EQ(sale.at("createdAt"), boost::json::value(to_rfc3339(kept.created_at)));
    EXPECT_TRUE(sale.at("since").is_string());
    EXPECT_EQ(sale.at("known"), boost::json::value(known));
    EXPECT_EQ(sale.at("notKnown"), boost::json::value(not_known));
    EXPECT_EQ(sale.at("toDo"), boost::json::value(to_do));
    EXPECT_TRUE(sale.at("endsAt").is_null()) << "nobody said that the provider cancels open sales";
}

TEST_F(AttentionTest, TellsNothingOfTheCustomer) {
    for_a_person();
    const auto body = list().response.body;
    for (const auto* secret : {"52998224725", "529.982", "correio.example", "987654321", "21041985"})
        EXPECT_THAT(body, Not(HasSubstr(secret)));
}

TEST_F(AttentionTest, TheOldestComesFirst) {
    const auto first = for_a_person("esim-1");
    const auto second = for_a_person("esim-2");
    const auto told = list();
    EXPECT_EQ(told.json().at("total"), 2);
    EXPECT_EQ(told.json().at("sales").at(0).at("id"), boost::json::value(first));
    EXPECT_EQ(told.json().at("sales").at(1).at("id"), boost::json::value(second));
}

TEST_F(AttentionTest, TheLastErrorIsTheLastOneAlthoughALongHistoryLeavesItOut) {
    api.flow.network->otherwise = [](const http::ClientRequest&) { return answered(500, ""); };
    EXPECT_EQ(api.sold("k-1").text("outcome"), "not_sold");
    api.flow.clock->advance(48h);
    const auto error = list().json().at("sales").at(0).at("lastError").as_object();
    EXPECT_GT(from_rfc3339(error.at("at").as_string()).value(), api.flow.clock->wall() - 6min);
    EXPECT_FALSE(error.contains("mayBeOlder"));
    const auto marked = api.flow.clock->run(api.flow.journal->marked());
    ASSERT_TRUE(marked.has_value());
    const auto& history = marked->at(0).history;
    EXPECT_TRUE(history.more_tries);
    EXPECT_TRUE(history.last_error->may_be_older);
    EXPECT_LT(history.last_error->at, api.flow.clock->wall() - 6min);
}

TEST_F(AttentionTest, AnOpenSaleHasTheTimeThatTheProviderLeavesIt) {
    const auto id = for_a_person();
    const auto created = api.flow.kept(*SaleId::parse(id)).created_at;
    EXPECT_EQ(list(48h).json().at("sales").at(0).at("endsAt"), boost::json::value(to_rfc3339(created + 48h)));
}

TEST_F(AttentionTest, AFinalSaleHasAllTheTime) {
    auto sale = api.flow.kept(*SaleId::parse(api.sold("k-1").text("id")));
    sale.attention = Attention::undeliverable;
    const auto change = decide(api.flow.rules, sale, 0, Elapsed{}, {});
    ASSERT_TRUE(api.flow.clock->run(api.flow.journal->record(sale, change, nullptr, {.event = "elapsed"})).has_value());
    const auto told = list(48h).json().at("sales").at(0).as_object();
    EXPECT_EQ(told.at("mark"), "undeliverable");
    EXPECT_EQ(told.at("status"), "EFETIVADA");
    EXPECT_TRUE(told.at("endsAt").is_null());
}

TEST_F(AttentionTest, SaysWhatWentWrongLast) {
    api.held("k-1");
    api.flow.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    api.flow.clock->advance(api.flow.rules.hold + api.flow.rules.attention_after * 2);
    const auto sale = list().json().at("sales").at(0).as_object();
    EXPECT_EQ(sale.at("mark"), "unsettled");
    EXPECT_EQ(sale.at("lastError").at("step"), "cancelar");
    EXPECT_TRUE(sale.at("lastError").at("at").is_string());
    EXPECT_FALSE(sale.at("lastError").at("text").as_string().empty());
}

TEST_F(AttentionTest, OfADamagedSaleItTellsWhatIsLeft) {
    MarkedJournal journal(*api.flow.journal);
    journal.sales = {{.id = "nonsense", .terminal = "caixa-01", .attention = Attention::unreadable}};
    const auto sale = list(journal, 48h).json().at("sales").at(0).as_object();
    EXPECT_EQ(sale.at("id"), "nonsense");
    EXPECT_EQ(sale.at("mark"), "unreadable");
    for (const auto* name : {"family", "valor", "status", "createdAt", "since", "endsAt"})
        EXPECT_TRUE(sale.at(name).is_null()) << name;
    EXPECT_FALSE(sale.contains("lastError"));
}

TEST_F(AttentionTest, MoreThanAPersonReadsAreCountedAndNotTold) {
    MarkedJournal journal(*api.flow.journal);
    journal.sales.assign(501, {.id = "x", .attention = Attention::unsettled});
    const auto told = list(journal).json();
    EXPECT_EQ(told.at("sales").as_array().size(), 500u);
    EXPECT_EQ(told.at("total"), 501);
}

TEST_F(AttentionTest, WithoutAJournalNothingIsSaid) {
    MarkedJournal journal(*api.flow.journal);
    journal.fails = true;
    EXPECT_EQ(list(journal).code(), "journal_unavailable");
}

}  // namespace
}  // namespace gateway::test
