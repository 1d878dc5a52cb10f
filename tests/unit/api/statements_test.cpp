// Tests the list of the statements that were read. e2e_reconcile tests reading one.
#include "api/statements.hpp"

#include "books/reconciler.hpp"
#include "unit/api/rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using testing::ElementsAre;

class StatementsTest : public ApiTest {
  protected:
    StatementsTest() { add_routes(router, on_admin, Parts(statements)); }

    Told get(std::string_view target) { return api.ask(router, ApiRig::request(http::verb::get, target)); }
    std::int64_t keep(std::string digest, std::string_view day = "2026-11-20") {
        const KeptStatement made{.day = parse_day(day).value(),
                                 .source = "file",
                                 .digest = std::move(digest),
                                 .reading = "r",
                                 .read_at = api.flow.clock->wall(),
                                 .rows = 7,
                                 .matched = 5,
                                 .others = 1,
                                 .findings = 2};
        return api.flow.clock->run(api.flow.journal->keep_statement(made, {})).value().statement.id;
    }
    static std::vector<std::int64_t> ids(const Told& told) {
        std::vector<std::int64_t> all;
        const auto body = told.json();
        for (const auto& statement : body.at("statements").as_array())
            all.push_back(statement.at("id").as_int64());
        return all;
    }

    Reconciler reconciler{{}, *api.flow.seller, *api.books, *api.flow.journal, *api.flow.clock, api.flow.log};
    ProviderList list{*api.flow.provider, reconciler, *api.flow.journal, *api.flow.clock};
    SaleInquiry inquiry{*api.flow.provider, api.flow.rules,  reconciler,
                        *api.flow.journal,  *api.flow.clock, api.flow.log};
    StatementsApi statements{reconciler, list, inquiry, *api.flow.journal, *api.flow.clock};
    http::Router router;
};

TEST_F(StatementsTest, WithoutAnyTheListIsEmpty) {
    EXPECT_EQ(get("/v1/statements").response.body, R"({"statements":[],"next":null})");
}

TEST_F(StatementsTest, WhyAFileIsRefusedIsToldInTheLanguageThatIsAskedFor) {
    for (const auto& [language, why] : {std::pair("en", "it is of 2024-05-02, and was taken for that of 2024-05-01"),
                                        std::pair("pt-BR", "ele é de 2024-05-02, e foi tomado pelo de 2024-05-01")}) {
        auto request = ApiRig::request(http::verb::post, "/v1/statements?day=2024-05-01");
        request.headers.insert("Accept-Language", language);
        request.headers.insert("Content-Type", "text/plain");
        request.body = "0;1234;REDE;;03052024;02052024;0;0;0;0;\n";
        const auto refused = api.ask(router, std::move(request));
        EXPECT_EQ(refused.code(), "wrong_day") << refused.response.body;
        EXPECT_EQ(refused.text("detail"), why);
    }
}

TEST_F(StatementsTest, AStatementIsToldWithWhatCameOfIt) {
    const auto first = keep("a");
    const auto second = keep("b");
    const auto body = get("/v1/statements").json();
    const auto& newest = body.at("statements").at(0).as_object();
    EXPECT_EQ(newest.at("id"), second);
    EXPECT_EQ(newest.at("day"), "2026-11-20");
    EXPECT_EQ(newest.at("source"), "file");
    EXPECT_TRUE(newest.at("network").is_null());
    EXPECT_TRUE(newest.at("by").is_null());
    EXPECT_EQ(newest.at("readAt"), "2024-05-02T13:00:00.000Z");
    EXPECT_EQ(newest.at("rows"), 7);
    EXPECT_EQ(newest.at("matched"), 5);
    EXPECT_EQ(newest.at("others"), 1);
    EXPECT_EQ(newest.at("findings"), 2);
    EXPECT_EQ(newest.at("replaced"), first);
    EXPECT_TRUE(newest.at("supersededBy").is_null());
    EXPECT_EQ(body.at("statements").at(1).at("supersededBy"), second);
}

TEST_F(StatementsTest, PagesAreWholeAndNewestFirst) {
    std::vector<std::int64_t> kept;
    for (const auto* digest : {"a", "b", "c"})
        kept.push_back(keep(digest));
    const auto first = get("/v1/statements?limit=2");
    EXPECT_THAT(ids(first), ElementsAre(kept[2], kept[1]));
    const auto second = get("/v1/statements?limit=2&cursor=" + first.text("next"));
    EXPECT_THAT(ids(second), ElementsAre(kept[0]));
    EXPECT_TRUE(second.json().at("next").is_null());
}

TEST_F(StatementsTest, WhatIsWrongIsNamedAllAtOnce) {
    for (const auto* query : {"?limit=0&cursor=x", "?limit=501&cursor=0", "?limit=x&cursor=-1"})
        EXPECT_THAT(get("/v1/statements" + std::string(query)).pointers(), ElementsAre("/limit", "/cursor")) << query;
    EXPECT_THAT(get("/v1/statements?day=2026-11-20").pointers(), ElementsAre("/day"));
}

}  // namespace
}  // namespace gateway::test
