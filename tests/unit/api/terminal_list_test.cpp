#include "api/terminal_list.hpp"

#include "base/wall_time.hpp"
#include "unit/api/rig.hpp"
#include "unit/support/forwarding_journal.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// This is a journal that counts how often it is asked for lists, and that cannot answer or find something when a test
// says so.
class ListedJournal final : public ForwardingJournal {
  public:
    using ForwardingJournal::ForwardingJournal;

    Awaited<SalePage> list(const SaleFilter& filter) override {
        ++lists;
        if (fails) co_return errc::journal_unavailable;
        co_return co_await real_->list(filter);
    }
    Awaited<std::optional<Sale>> find(SaleId id) override {
        if (loses) co_return errc::sale_unreadable;
        co_return co_await real_->find(id);
    }

    int lists = 0;
    bool fails = false;
    bool loses = false;
};

class TerminalListTest : public ApiTest {
  protected:
    TerminalListTest() { add_routes(router, on_admin, Parts(list)); }

    boost::json::object told() {
        const auto answer = api.ask(router, ApiRig::request(http::verb::get, "/v1/terminals"));
        EXPECT_EQ(answer.status(), 200u);
        return answer.json();
    }
    boost::json::object terminal_of(std::size_t place) { return told().at("terminals").at(place).as_object(); }
    // Tells the list of a terminal's call, as the authenticator does.
    void called(const std::string& terminal, const http::Response& answer, std::string_view route = "/v1/sell") {
        auto asked = ApiRig::request(http::verb::get, "/v1/status");
        asked.route = route;
        asked.principal = terminal;
        asked.remote = boost::asio::ip::make_address("192.0.2.1");
        asked.headers.insert("User-Agent", "till/1.0");
        asked.certified.ends_at = api.flow.clock->wall() + 24h;
        seen.note(asked, answer, RunMoment(*api.flow.clock));
    }

    SeenCalls seen;
    ListedJournal journal{*api.flow.journal};
    TerminalListApi list{api.terminals, seen, journal, *api.flow.clock};
    http::Router router;
};

TEST_F(TerminalListTest, NamesEveryTerminalOfTheConfigurationInItsOrder) {
    std::vector<std::string> ids;
    const auto all = told();
    for (const auto& terminal : all.at("terminals").as_array())
        ids.emplace_back(terminal.at("id").as_string());
    EXPECT_THAT(ids, ElementsAre("caixa-01", "caixa-02", "loja-b", "so-tv"));
    EXPECT_EQ(all.at("terminals").at(2).at("estabelecimento"), "87654321");
    EXPECT_EQ(all.at("terminals").at(3).at("families"), boost::json::parse(R"(["tv"])"));
    api.terminals.reload({terminal("nova")});
    EXPECT_EQ(terminal_of(0).at("id"), "nova");
}

TEST_F(TerminalListTest, OfATerminalThatHasNotCalledNothingIsSaid) {
    const auto first = terminal_of(0);
    for (const auto* name :
         {"lastSeenAt", "address", "client", "certificateEndsAt", "lastRefusedAt", "lastRefusedWith", "lastSale"})
        EXPECT_TRUE(first.at(name).is_null()) << name;
    EXPECT_EQ(first.at("refused"), 0);
}

TEST_F(TerminalListTest, SaysWhenAndFromWhereItCalledAndWhatItWasRefused) {
    called("caixa-02", {.status = http::status::forbidden});
    const auto second = terminal_of(1);
    EXPECT_EQ(second.at("lastSeenAt"), "2024-05-02T13:00:00.000Z");
    EXPECT_EQ(second.at("address"), "192.0.2.1");
    EXPECT_EQ(second.at("client"), "till/1.0");
    EXPECT_EQ(second.at("certificateEndsAt"), "2024-05-03T13:00:00.000Z");
    EXPECT_EQ(second.at("refused"), 1);
    EXPECT_EQ(second.at("lastRefusedAt"), "2024-05-02T13:00:00.000Z");
    EXPECT_EQ(second.at("lastRefusedWith"), 403);
    EXPECT_TRUE(terminal_of(0).at("lastSeenAt").is_null());
}

TEST_F(TerminalListTest, CountsTheKeysThatLetNobodyIn) {
    EXPECT_EQ(told().at("unknownKeys"), boost::json::parse(R"({"count":0,"lastAt":null,"lastAddress":null})"));
    auto stranger = ApiRig::request(http::verb::get, "/v1/status");
    stranger.remote = boost::asio::ip::make_address("192.0.2.66");
    seen.note_unknown(stranger, RunMoment(*api.flow.clock));
    EXPECT_EQ(told().at("unknownKeys"),
              boost::json::parse(R"({"count":1,"lastAt":"2024-05-02T13:00:00.000Z","lastAddress":"192.0.2.66"})"));
}

TEST_F(TerminalListTest, TheLastSaleIsToldWithoutItsGoods) {
    const auto sold = api.sold("k-1");
    called("caixa-01", sold.response);
    const auto sale = terminal_of(0).at("lastSale").as_object();
    EXPECT_EQ(sale.at("id"), boost::json::value(sold.text("id")));
    EXPECT_EQ(sale.at("outcome"), "sold");
    EXPECT_EQ(sale.at("status"), "EFETIVADA");
    EXPECT_EQ(sale.at("valor"), 2500);
    EXPECT_EQ(sale.at("family"), "tv");
    EXPECT_EQ(sale.at("createdAt"), sold.json().at("createdAt"));
    const auto body = boost::json::serialize(told());
    EXPECT_THAT(body, Not(HasSubstr("pin")));
    EXPECT_THAT(body, Not(HasSubstr("52998224725")));
}

TEST_F(TerminalListTest, WhatWasSoldBeforeTheStartIsLookedForOnce) {
    api.sold("k-1");
    api.flow.clock->advance(1s);
    const auto newest = api.sold("k-2").text("id");
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(terminal_of(0).at("lastSale").at("id"), boost::json::value(newest));
    EXPECT_TRUE(terminal_of(1).at("lastSale").is_null());
    EXPECT_EQ(journal.lists, 1);
    EXPECT_EQ(terminal_of(0).at("lastSeenAt"), "2024-05-02T13:00:01.000Z") << "it sold then, though no call was seen";
    EXPECT_TRUE(terminal_of(1).at("lastSeenAt").is_null());
    EXPECT_EQ(told().at("since"), "2024-05-02T13:00:00.000Z");
    api.flow.clock->advance(1s);
    const auto since = api.sold("k-3");
    called("caixa-02", since.response, "/v1/sales/{id}");
    EXPECT_TRUE(terminal_of(1).at("lastSale").is_null()) << "to look at a colleague's sale is to sell nothing";
    called("caixa-01", since.response);
    EXPECT_EQ(terminal_of(0).at("lastSale").at("id"), boost::json::value(since.text("id")));
    EXPECT_EQ(journal.lists, 1);
}

TEST_F(TerminalListTest, AnOldSellThatIsRepeatedAfterAStartIsNotTheLastSale) {
    const auto old = api.sold("k-1");
    api.flow.clock->advance(1s);
    const auto newest = api.sold("k-2").text("id");
    called("caixa-01", old.response);
    EXPECT_EQ(terminal_of(0).at("lastSale").at("id"), boost::json::value(newest));
}

TEST_F(TerminalListTest, ASaleThatCannotBeReadIsNotToldOf) {
    called("caixa-01", api.sold("k-1").response);
    EXPECT_TRUE(terminal_of(0).at("lastSale").is_object());
    journal.loses = true;
    EXPECT_TRUE(terminal_of(0).at("lastSale").is_null());
}

TEST_F(TerminalListTest, AJournalThatCouldNotAnswerIsAskedAgain) {
    api.sold("k-1");
    journal.fails = true;
    const auto answer = api.ask(router, ApiRig::request(http::verb::get, "/v1/terminals"));
    EXPECT_EQ(answer.code(), "journal_unavailable");
    journal.fails = false;
    EXPECT_TRUE(terminal_of(0).at("lastSale").is_object());
}

}  // namespace
}  // namespace gateway::test
