#include "sandbox/routes.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

std::variant<Route, NoRoute> find(std::string_view method, std::string_view target, const Options& options = {}) {
    const auto path = path_segments(target);
    if (!path) return NoRoute::not_found;
    return find_route(method, *path, options);
}

Route route(std::string_view method, std::string_view target) {
    const auto found = find(method, target);
    EXPECT_TRUE(std::holds_alternative<Route>(found)) << method << " " << target;
    return std::holds_alternative<Route>(found) ? std::get<Route>(found) : Route{};
}

bool is(const std::variant<Route, NoRoute>& found, NoRoute why) {
    return std::holds_alternative<NoRoute>(found) && std::get<NoRoute>(found) == why;
}

struct Row {
    const char* method;
    const char* target;
    Step step;
    std::optional<Family> family;
};

TEST(Routes, EveryAddressOfTheInterfaceLeadsToItsOperation) {
    const std::vector<Row> rows{
        {"POST", "/authorization/token", Step::token, std::nullopt},
        {"GET", "/venda/tv/consulta-dinamica/1/TV%20Livre", Step::consulta, Family::tv},
        {"POST", "/venda/tv/solicitar", Step::solicitar, Family::tv},
        {"POST", "/venda/tv/confirmar", Step::confirmar, Family::tv},
        {"POST", "/venda/tv/cancelar", Step::cancelar, Family::tv},
        {"GET", "/venda/egift/consulta-dinamica/1/Jogos", Step::consulta, Family::egift},
        {"POST", "/venda/egift/solicitar", Step::solicitar, Family::egift},
        {"POST", "/venda/egift/confirmar", Step::confirmar, Family::egift},
        {"POST", "/venda/voucher/cancelar", Step::cancelar, Family::egift},
        {"GET", "/venda/transporte/x/consulta-valores/1/x/99", Step::consulta, Family::transit},
        {"POST", "/venda/transporte/x/solicitar", Step::solicitar, Family::transit},
        {"POST", "/venda/transporte/x/confirmar", Step::confirmar, Family::transit},
        {"POST", "/venda/transporte/x/cancelar", Step::cancelar, Family::transit},
        {"GET", "/venda/consulta/1/Consulta/valores", Step::consulta, Family::health},
        {"POST", "/venda/consulta/solicitar", Step::solicitar, Family::health},
        {"POST", "/venda/consulta/confirmar", Step::confirmar, Family::health},
        {"GET", "/venda/esim/consulta-planos/1/Chip", Step::consulta, Family::esim},
        {"POST", "/venda/esim/solicitar", Step::solicitar, Family::esim},
    };
    for (const auto& row : rows) {
        const auto found = route(row.method, row.target);
        EXPECT_EQ(found.step, row.step) << row.target;
        EXPECT_EQ(found.family, row.family) << row.target;
        EXPECT_TRUE(is(find("DELETE", row.target), NoRoute::wrong_method)) << row.target;
        EXPECT_TRUE(is(find(row.method, std::string(row.target) + "/more"), NoRoute::not_found)) << row.target;
    }
}

TEST(Routes, ThePathsPartsAreDecoded) {
    const auto tv = route("GET", "/venda/tv/consulta-dinamica/1%202/TV%20Livre?x=1");
    EXPECT_EQ(tv.estabelecimento, "1 2");
    EXPECT_EQ(tv.produto, "TV Livre");
    const auto card = route("GET", "/venda/transporte/op/consulta-valores/1/op/99");
    EXPECT_EQ(card.segment, "op");
    EXPECT_EQ(card.numeroCartao, "99");
    EXPECT_EQ(route("GET", "/venda/dr/1/Consulta/valores").segment, "dr");
}

TEST(Routes, TheTransitSegmentIsRepeatedAfterTheEstablishment) {
    EXPECT_TRUE(is(find("GET", "/venda/transporte/op/consulta-valores/1/other/99"), NoRoute::not_found));
}

TEST(Routes, NoEGiftCancelUnderTheEGiftPrefix) {
    EXPECT_TRUE(is(find("POST", "/venda/egift/cancelar"), NoRoute::not_found));
}

TEST(Routes, EsimHasNeitherConfirmNorCancel) {
    EXPECT_TRUE(is(find("POST", "/venda/esim/confirmar"), NoRoute::not_found));
    EXPECT_TRUE(is(find("POST", "/venda/esim/cancelar"), NoRoute::not_found));
}

TEST(Routes, HealthHasNoCancelUnlessItIsGivenOne) {
    EXPECT_TRUE(is(find("POST", "/venda/consulta/cancelar"), NoRoute::not_found));
    Options options;
    options.health_cancel_path = "/venda/{health}/cancelar";
    const auto found = find("POST", "/venda/consulta/cancelar", options);
    ASSERT_TRUE(std::holds_alternative<Route>(found));
    EXPECT_EQ(std::get<Route>(found).step, Step::cancelar);
    EXPECT_EQ(std::get<Route>(found).family, Family::health);
    EXPECT_EQ(std::get<Route>(found).segment, "consulta");
    EXPECT_TRUE(is(find("POST", "/venda/esim/cancelar", options), NoRoute::not_found));
}

TEST(Routes, WhatIsNoPathIsNoAddress) {
    EXPECT_TRUE(is(find("GET", "*"), NoRoute::not_found));
    EXPECT_TRUE(is(find("GET", "/"), NoRoute::not_found));
    EXPECT_TRUE(is(find("GET", "/venda/tv/consulta-dinamica/1/%zz"), NoRoute::not_found));
    EXPECT_TRUE(is(find("GET", "/venda/tv/consulta-dinamica//x"), NoRoute::not_found));
}

}  // namespace
}  // namespace gateway::sandbox
