#include "api/list_request.hpp"

#include "base/wall_time.hpp"
#include "http/server/target.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway {
namespace {

ResultOrResponse<SaleFilter> read(std::string_view query) {
    http::Request request;
    EXPECT_TRUE(http::set_target(request, "/v1/sales" + std::string(query)));
    return read_list_request(request);
}

SaleFilter filter_of(std::string_view query) {
    const auto filter = read(query);
    EXPECT_TRUE(filter.has_value()) << query;
    return filter.has_value() ? *filter : SaleFilter{};
}

std::vector<std::string> wrong(std::string_view query) {
    const auto answer = read(query).error();
    EXPECT_EQ(answer.status, http::status::unprocessable_entity);
    std::vector<std::string> pointers;
    const auto problem = boost::json::parse(answer.body);
    for (const auto& error : problem.at("errors").as_array())
        pointers.emplace_back(error.at("pointer").as_string());
    return pointers;
}
using Pointers = std::vector<std::string>;

TEST(ListRequest, WithoutAnythingListsFiftyOfAll) {
    const auto filter = filter_of("");
    EXPECT_EQ(filter.limit, 50u);
    EXPECT_FALSE(filter.key || filter.id_externo || filter.status || filter.from || filter.to || filter.after);
    EXPECT_FALSE(filter.attention);
}

TEST(ListRequest, ReadsEveryParameter) {
    const auto filter = filter_of(
        "?key=k-1&idExterno=01JD3W4Q90C4D8E1F5G7H9J2KM&status=EFETIVADA&attention=true"
        "&from=2024-05-02T13:00:00Z&to=2024-05-02T13:00:00-03:00&limit=200"
        "&cursor=01JD3W4Q8Y7RZK5T9V2XB6M0NA");
    EXPECT_EQ(filter.key, "k-1");
    EXPECT_EQ(filter.id_externo, "01JD3W4Q90C4D8E1F5G7H9J2KM");
    EXPECT_EQ(filter.status, Status::EFETIVADA);
    EXPECT_EQ(filter.attention, true);
    EXPECT_EQ(filter_of("?attention=false").attention, false);
    EXPECT_EQ(to_rfc3339(*filter.from), "2024-05-02T13:00:00.000Z");
    EXPECT_EQ(to_rfc3339(*filter.to), "2024-05-02T16:00:00.000Z");
    EXPECT_EQ(filter.limit, 200u);
    EXPECT_EQ(filter.after->text(), "01JD3W4Q8Y7RZK5T9V2XB6M0NA");
}

TEST(ListRequest, WhatIsWrongIsNamedAllAtOnce) {
    EXPECT_EQ(wrong("?status=SOLD&attention=1&from=today&to=2024-05-02&limit=x&cursor=y"),
              (Pointers{"/status", "/attention", "/from", "/to", "/limit", "/cursor"}));
}

TEST(ListRequest, WhatNoSaleCanHaveIsNotLookedFor) {
    EXPECT_EQ(filter_of("?key=cr%2Bab/9=").key, "cr+ab/9=");
    const auto longest = std::string(64, 'k');
    EXPECT_EQ(filter_of("?key=" + longest).key, longest);
    for (const auto& key : {std::string("cr+ab/9="), std::string(""), std::string("%C3%A9"), longest + "k"})
        EXPECT_EQ(wrong("?key=" + key), Pointers{"/key"}) << key;
    EXPECT_EQ(filter_of("?idExterno=01jd3w4q90c4d8e1f5g7h9j2km").id_externo, "01JD3W4Q90C4D8E1F5G7H9J2KM");
    for (const auto* id :
         {"", "7", "01JD3W4Q90C4D8E1F5G7H9J2K", "01JD3W4Q90C4D8E1F5G7H9J2KMX", "01JD3W4Q90C4D8E1F5G7H9J2K+"})
        EXPECT_EQ(wrong(std::string("?idExterno=") + id), Pointers{"/idExterno"}) << id;
}

TEST(ListRequest, ATimeThatEndsBeforeItBeginsIsRefused) {
    for (const auto* to : {"2024-05-02T12:59:59Z", "2024-05-02T13:30:00%2B01:00"})
        EXPECT_EQ(wrong(std::string("?from=2024-05-02T13:00:00Z&to=") + to), Pointers{"/to"}) << to;
    EXPECT_TRUE(filter_of("?from=2024-05-02T13:00:00Z&to=2024-05-02T13:00:00Z").to);
}

TEST(ListRequest, LimitIsOneTo200InDigits) {
    for (const auto* limit : {"0", "201", "-1", "", "1x", "+1", "99999999999999999999"})
        EXPECT_EQ(wrong("?limit=" + std::string(limit)), Pointers{"/limit"}) << limit;
    EXPECT_EQ(filter_of("?limit=1").limit, 1u);
}

TEST(ListRequest, AnUnknownOrRepeatedParameterIsNeverIgnored) {
    EXPECT_EQ(wrong("?estado=EFETIVADA"), Pointers{"/estado"});
    EXPECT_EQ(wrong("?Status=EFETIVADA"), Pointers{"/Status"});
    EXPECT_EQ(wrong("?status=EFETIVADA&status=NEGADA"), Pointers{"/status"});
}

ResultOrResponse<SaleSearch> searched(std::string_view query) {
    http::Request request;
    EXPECT_TRUE(http::set_target(request, "/v1/sales" + std::string(query)));
    return read_search_request(request);
}

TEST(SearchRequest, WithoutAnythingListsFiftyOfAll) {
    const auto search = searched("");
    ASSERT_TRUE(search.has_value());
    EXPECT_EQ(search->filter.limit, 50u);
    EXPECT_EQ(search->nsu, "");
    const auto& filter = search->filter;
    EXPECT_FALSE(filter.id_transacao || filter.family || filter.cashier || filter.valor || filter.terminal);
}

TEST(SearchRequest, PeopleSearchByMore) {
    const auto search = searched(
        "?key=k-1&status=NEGADA&limit=10&idTransacao=T%201&family=tv&terminal=caixa-01&cashier=Rit%C3%A1"
        "&estabelecimento=12345678&valor=2500");
    ASSERT_TRUE(search.has_value());
    const auto& filter = search->filter;
    EXPECT_EQ(filter.key, "k-1");
    EXPECT_EQ(filter.status, Status::NEGADA);
    EXPECT_EQ(filter.limit, 10u);
    EXPECT_EQ(filter.id_transacao, "T 1");
    EXPECT_EQ(filter.family, Family::tv);
    EXPECT_EQ(filter.terminal, "caixa-01");
    EXPECT_EQ(filter.cashier, "Ritá");
    EXPECT_EQ(filter.estabelecimento, "12345678");
    EXPECT_EQ(filter.valor, Cents{2500});
}

TEST(SearchRequest, OfAnNsuTheLongestPageIsLookedThrough) {
    const auto search = searched("?nsu=000123&limit=1");
    ASSERT_TRUE(search.has_value());
    EXPECT_EQ(search->nsu, "000123");
    EXPECT_EQ(search->filter.limit, 200u);
}

TEST(SearchRequest, WhatIsWrongIsNamedAllAtOnce) {
    const auto answer = searched("?family=radio&terminal=&cashier=%07&estabelecimento=&valor=25,00&nsu=").error();
    EXPECT_EQ(answer.status, http::status::unprocessable_entity);
    for (const auto* pointer : {"/family", "/terminal", "/cashier", "/estabelecimento", "/valor", "/nsu"})
        EXPECT_NE(answer.body.find("\"" + std::string(pointer) + "\""), std::string::npos) << pointer;
    for (const auto* valor : {"0", "100000000", "-1", "2500.0", "R$"})
        EXPECT_TRUE(searched("?valor=" + std::string(valor)).has_error()) << valor;
}

TEST(SearchRequest, ATerminalSearchesByNoneOfThem) {
    for (const auto* name : {"idTransacao", "nsu", "family", "terminal", "cashier", "estabelecimento", "valor"})
        EXPECT_EQ(wrong("?" + std::string(name) + "=1"), Pointers{"/" + std::string(name)});
}

}  // namespace
}  // namespace gateway
