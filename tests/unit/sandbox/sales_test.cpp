#include "sandbox/sales.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

class ConfirmedFamily : public testing::TestWithParam<Family> {
  protected:
    static Options options() {
        Options options;
        options.health_cancel_path = "/venda/{health}/cancelar";
        return options;
    }
    // Cancels at the address of `family`, whatever family the sale has.
    Answer cancel_at(Family family) {
        return caller.post(Caller::path(family, Step::cancelar),
                           {{"estabelecimento", "12345678"},
                            {"idExterno", "A"},
                            {"dataHoraCliente", family == Family::health ? health_time : client_time}});
    }
    Answer confirm_with(const json::object& body) {
        return caller.post(Caller::path(GetParam(), Step::confirmar), body);
    }
    Caller caller{options()};
};

INSTANTIATE_TEST_SUITE_P(Sales, ConfirmedFamily,
                         testing::Values(Family::tv, Family::egift, Family::transit, Family::health), name_of);

TEST_P(ConfirmedFamily, ASoldSaleStaysSold) {
    EXPECT_EQ(answered_status(caller.ask(GetParam(), "A")), "AUTORIZADA");
    EXPECT_FALSE(caller.entry("A").idTransacao.empty());
    EXPECT_EQ(answered_status(caller.confirm("A")), "EFETIVADA");
    EXPECT_EQ(answered_status(cancel_at(GetParam())), "EFETIVADA");
    EXPECT_EQ(answered_status(caller.confirm("A")), "EFETIVADA");
    EXPECT_EQ(caller.status("A"), Status::efetivada);
    EXPECT_EQ(caller.departures(), 0U);
}

TEST_P(ConfirmedFamily, ACancelledSaleStaysCancelled) {
    caller.ask(GetParam(), "A");
    EXPECT_EQ(answered_status(cancel_at(GetParam())), "CANCELADA");
    EXPECT_EQ(answered_status(caller.confirm("A")), "CANCELADA");
    EXPECT_EQ(answered_status(cancel_at(GetParam())), "CANCELADA");
    EXPECT_EQ(caller.status("A"), Status::cancelada);
}

TEST_P(ConfirmedFamily, ACancelOfAnUnknownSaleIsAnsweredWithoutAStatusAndForgotten) {
    const auto answer = cancel_at(GetParam());
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answered_status(answer), "");
    EXPECT_EQ(caller.departures(), 0U) << "a client cannot know";
    EXPECT_EQ(caller.ask(GetParam(), "A").status, 200) << "the cancel does not stop a request that comes later";
    EXPECT_EQ(caller.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, ASaleIsConfirmedAndCancelledAtItsOwnFamilysAddressOnly) {
    caller.ask(GetParam(), "A");
    for (const auto other : {Family::tv, Family::egift, Family::transit}) {
        if (other == GetParam()) continue;
        auto body = caller.confirm_body("A");
        body["dataHoraCliente"] = client_time;
        EXPECT_EQ(caller.post(Caller::path(other, Step::confirmar), body).status, 404);
        EXPECT_EQ(cancel_at(other).status, 404);
    }
    EXPECT_EQ(caller.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, ConfirmAndCancelHaveTheirFieldsAndNoOthers) {
    caller.ask(GetParam(), "A");
    const auto whole = caller.confirm_body("A");
    for (const auto& pair : whole) {
        auto body = whole;
        body.erase(pair.key());
        EXPECT_EQ(confirm_with(body).status, 400) << pair.key();
    }
    auto body = whole;
    body["idExterno"] = "A";
    EXPECT_EQ(confirm_with(body).status, 400);
    EXPECT_EQ(caller.post(Caller::path(GetParam(), Step::cancelar), body).status, 400);
    body = whole;
    body["produto"] = "Outro";
    EXPECT_EQ(reason_of(confirm_with(body)), "estabelecimento and produto are not those of the sale");
    const auto departures = caller.departures();
    body = whole;
    body["idTransacao"] = "nonsense";
    EXPECT_EQ(confirm_with(body).status, 404);
    EXPECT_EQ(caller.departures(), departures + 1) << "an unknown sale";
    EXPECT_EQ(caller.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, AnIdExternoServesOnceAcrossFamiliesAndForARequestThatWasRefused) {
    caller.ask(GetParam(), "A");
    EXPECT_EQ(reason_of(caller.ask(GetParam(), "A")), "idExterno was used by an earlier request");
    EXPECT_EQ(caller.ask(Family::esim, "A").status, 409);
    auto body = caller.order(Family::tv, "B");
    body.erase("cpf");
    caller.post("/venda/tv/solicitar", body);
    EXPECT_EQ(caller.ask(GetParam(), "B").status, 409);
    EXPECT_EQ(caller.departures(), 4U);
}

TEST(Sales, ARefusedSaleIsNoSaleToConfirmAndCancel) {
    Caller caller;
    EXPECT_EQ(answered_status(caller.ask(Family::tv, "A", 8)), "NEGADA");
    EXPECT_EQ(caller.confirm("A").status, 404);
    EXPECT_EQ(caller.cancel("A").status, 404);
    EXPECT_EQ(caller.status("A"), Status::negada);
}

TEST(Sales, HealthSalesAreOfTheirPartnersAddress) {
    Caller caller;
    caller.ask(Family::health, "A");
    EXPECT_EQ(caller.post("/venda/exame/confirmar", caller.confirm_body("A")).status, 404);
    EXPECT_EQ(caller.confirm("A").status, 200);
}

TEST(Sales, AStatusIsTheOneThatTheSaleHasNow) {
    Options options;
    options.status_path = "/status/{idExterno}";
    options.status_shape = StatusShape::venda;
    Caller caller(options);
    EXPECT_EQ(caller.get("/status/A").status, 404);
    caller.cancel("A");
    EXPECT_EQ(caller.get("/status/A").status, 404) << "only its cancel came";
    for (const auto family : families) {
        const std::string id(to_string(family));
        caller.ask(family, id);
        const auto& sale = caller.entry(id);
        const json::object transacao{
            {"status", "AUTORIZADA"}, {"idTransacao", sale.idTransacao}, {"valor", sale.valor}};
        EXPECT_EQ(sale_part(caller.get("/status/" + id)), (json::object{{"transacao", transacao}, {"idExterno", id}}));
        EXPECT_EQ(caller.model.metrics().count(Step::status, family).processed, 1U);
    }
    caller.confirm("tv");
    EXPECT_EQ(answered_status(caller.get("/status/tv")), "EFETIVADA");
    EXPECT_EQ(caller.departures(), 0U);
    caller.token = "nonsense";
    EXPECT_EQ(caller.get("/status/tv").status, 401);
    EXPECT_EQ(caller.post("/status/tv", {}).status, 404);
}

}  // namespace
}  // namespace gateway::sandbox
