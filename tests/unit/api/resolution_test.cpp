#include "api/resolution.hpp"

#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

using Pointers = std::vector<std::string>;

Sale sale_that(Family family, Status status) {
    SeededRandom random;
    Sale sale{.id = SaleId::make(WallTime(), random)};
    sale.family = family;
    sale.status = status;
    return sale;
}

ResultOrResponse<Resolved> read(const Sale& sale, std::string body) {
    return read_resolution(ApiRig::request(http::verb::post, "/v1/sales/x/resolve", std::move(body)), sale);
}

Resolved taken(const Sale& sale, std::string body) {
    auto resolved = read(sale, std::move(body));
    EXPECT_TRUE(resolved.has_value());
    return resolved.has_value() ? *resolved : Resolved{};
}

// Returns which fields are wrong; empty where none is.
Pointers wrong(const Sale& sale, std::string body) {
    auto resolved = read(sale, std::move(body));
    if (resolved.has_value()) return {};
    const Told told{resolved.error()};
    EXPECT_EQ(told.code(), "invalid_request");
    return told.pointers();
}

const Sale open_esim = sale_that(Family::esim, Status::PENDENTE);
const Sale sold_esim = sale_that(Family::esim, Status::EFETIVADA);

TEST(Resolution, OfAnOpenSaleHasAStatusAndANote) {
    const auto resolved = taken(open_esim, R"({"status":"EFETIVADA","note":"two\nlines"})");
    EXPECT_EQ(resolved.status, Status::EFETIVADA);
    EXPECT_EQ(resolved.note, "two\nlines");
    EXPECT_TRUE(resolved.by.empty());
    EXPECT_FALSE(resolved.esim);
    EXPECT_FALSE(taken(sold_esim, R"({"note":"n"})").status);
}

TEST(Resolution, IsReadStrictly) {
    const std::vector<std::pair<std::string, Pointers>> cases{
        {"{}", {"/note", "/status"}},
        {R"({"note":"n"})", {"/status"}},
        {R"({"status":"CANCELADA"})", {"/note"}},
        {R"({"status":"NEGADA","note":"n"})", {"/status"}},
        {R"({"status":"efetivada","note":"n"})", {"/status"}},
        {R"({"status":"CANCELADA","note":""})", {"/note"}},
        {R"({"status":"CANCELADA","note":1})", {"/note"}},
        {R"({"status":"CANCELADA","note":"n","who":"me"})", {"/who"}},
    };
    for (const auto& [body, pointers] : cases)
        EXPECT_EQ(wrong(open_esim, body), pointers) << body;
    EXPECT_EQ(wrong(sold_esim, "{}"), Pointers{"/note"});
}

TEST(Resolution, SaysWhoInOneToSixtyFourCharacters) {
    const auto body = [](const std::string& by) { return R"({"note":"n","by":)" + by + "}"; };
    EXPECT_EQ(taken(sold_esim, body(R"("João da Silva")")).by, "João da Silva");
    EXPECT_TRUE(wrong(sold_esim, body('"' + std::string(64, 'x') + '"')).empty());
    for (const auto& by : {std::string(R"("")"), '"' + std::string(65, 'x') + '"', std::string(R"("a\nb")"),
                           std::string("7"), std::string("null")})
        EXPECT_EQ(wrong(sold_esim, body(by)), Pointers{"/by"}) << by;
}

TEST(Resolution, BringsWhatTheReceiptOfAnEsimPrints) {
    const auto both = taken(open_esim, R"({"status":"EFETIVADA","note":"n","esim":{"msisdn":"1","url":"u"}})");
    EXPECT_EQ(both.esim, (EsimDetails{.msisdn = Secret("1"), .url = Secret("u")}));
    EXPECT_EQ(taken(sold_esim, R"({"note":"n","esim":{"url":"u"}})").esim, EsimDetails{.url = Secret("u")});
}

TEST(Resolution, BringsItForNothingElse) {
    const std::string facts = R"("note":"n","esim":{"msisdn":"1"}})";
    EXPECT_EQ(wrong(open_esim, R"({"status":"CANCELADA",)" + facts), Pointers{"/esim"});
    EXPECT_EQ(wrong(sale_that(Family::esim, Status::CANCELADA), "{" + facts), Pointers{"/esim"});
    EXPECT_EQ(wrong(sale_that(Family::tv, Status::EFETIVADA), "{" + facts), Pointers{"/esim"});
    const std::vector<std::pair<std::string, Pointers>> cases{
        {"7", {"/esim"}},
        {"{}", {"/esim"}},
        {R"({"msisdn":7})", {"/esim/msisdn"}},
        {R"({"msisdn":""})", {"/esim/msisdn"}},
        {R"({"msisdn":")" + std::string(33, '1') + R"("})", {"/esim/msisdn"}},
        {R"({"url":"a\u001bb"})", {"/esim/url"}},
        {R"({"url":"u","uuid":"x"})", {"/esim/uuid"}},
    };
    for (const auto& [esim, pointers] : cases)
        EXPECT_EQ(wrong(sold_esim, R"({"note":"n","esim":)" + esim + "}"), pointers) << esim;
}

TEST(Resolution, MustBeJson) {
    EXPECT_EQ(Told{read(sold_esim, "{").error()}.code(), "invalid_json");
    EXPECT_EQ(Told{read(sold_esim, "").error()}.code(), "invalid_json");
}

}  // namespace
}  // namespace gateway::test
