#include "sandbox/sales.hpp"

#include "unit/sandbox/desk.hpp"

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
    Desk desk{options()};
};

INSTANTIATE_TEST_SUITE_P(Sales, ConfirmedFamily,
                         testing::Values(Family::tv, Family::egift, Family::transit, Family::health),
                         [](const auto& family) { return std::string(to_string(family.param)); });

// Cancels at the family's address, whatever family the sale is of.
Answer cancel(Desk& desk, Family family, const std::string& idExterno) {
    return desk.post(Desk::path(family, Step::cancelar),
                     {{"estabelecimento", "12345678"},
                      {"idExterno", idExterno},
                      {"dataHoraCliente", family == Family::health ? health_time : client_time}});
}

TEST_P(ConfirmedFamily, ARequestMakesAnAuthorisedSale) {
    desk.ask(GetParam(), "A");
    EXPECT_EQ(desk.status("A"), Status::autorizada);
    EXPECT_FALSE(desk.entry("A").idTransacao.empty());
}

TEST_P(ConfirmedFamily, AConfirmSells) {
    desk.ask(GetParam(), "A");
    const auto answer = desk.confirm("A");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answered_status(answer), "EFETIVADA");
    EXPECT_EQ(desk.status("A"), Status::efetivada);
}

TEST_P(ConfirmedFamily, ACancelCancels) {
    desk.ask(GetParam(), "A");
    const auto answer = cancel(desk, GetParam(), "A");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answered_status(answer), "CANCELADA");
    EXPECT_EQ(desk.status("A"), Status::cancelada);
}

TEST_P(ConfirmedFamily, ASoldSaleStaysSold) {
    desk.ask(GetParam(), "A");
    desk.confirm("A");
    EXPECT_EQ(answered_status(cancel(desk, GetParam(), "A")), "EFETIVADA");
    EXPECT_EQ(answered_status(desk.confirm("A")), "EFETIVADA");
    EXPECT_EQ(desk.status("A"), Status::efetivada);
}

TEST_P(ConfirmedFamily, ACancelledSaleStaysCancelled) {
    desk.ask(GetParam(), "A");
    cancel(desk, GetParam(), "A");
    EXPECT_EQ(answered_status(desk.confirm("A")), "CANCELADA");
    EXPECT_EQ(answered_status(cancel(desk, GetParam(), "A")), "CANCELADA");
    EXPECT_EQ(desk.status("A"), Status::cancelada);
}

TEST_P(ConfirmedFamily, ACancelOfAnUnknownSaleIsAnsweredWithoutAStatusAndForgotten) {
    const auto answer = cancel(desk, GetParam(), "A");
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answered_status(answer), "");
    EXPECT_EQ(desk.model.metrics().departures(), 0U) << "a client cannot know";
    EXPECT_EQ(desk.ask(GetParam(), "A").status, 200) << "the cancel does not stop a request that comes later";
    EXPECT_EQ(desk.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, AConfirmOfAnUnknownSaleIsADeparture) {
    desk.ask(GetParam(), "A");
    auto body = desk.confirm_body("A");
    body["idTransacao"] = "nonsense";
    const auto answer = desk.post(Desk::path(GetParam(), Step::confirmar), body);
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answered_status(answer), "");
    EXPECT_EQ(desk.model.metrics().departures(), 1U);
}

TEST_P(ConfirmedFamily, ASaleIsConfirmedAndCancelledAtItsOwnFamilysAddressOnly) {
    desk.ask(GetParam(), "A");
    for (const auto other : {Family::tv, Family::egift, Family::transit}) {
        if (other == GetParam()) continue;
        auto body = desk.confirm_body("A");
        body["dataHoraCliente"] = client_time;
        EXPECT_EQ(desk.post(Desk::path(other, Step::confirmar), body).status, 404);
        EXPECT_EQ(cancel(desk, other, "A").status, 404);
    }
    EXPECT_EQ(desk.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, AConfirmNamesTheSalesEstablishmentAndProduct) {
    desk.ask(GetParam(), "A");
    auto body = desk.confirm_body("A");
    body["produto"] = "Outro";
    EXPECT_EQ(reason_of(desk.post(Desk::path(GetParam(), Step::confirmar), body)),
              "estabelecimento and produto are not those of the sale");
    EXPECT_EQ(desk.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, ConfirmAndCancelHaveTheirFieldsAndNoOthers) {
    desk.ask(GetParam(), "A");
    const auto whole = desk.confirm_body("A");
    for (const auto& pair : whole) {
        auto body = whole;
        body.erase(pair.key());
        EXPECT_EQ(desk.post(Desk::path(GetParam(), Step::confirmar), body).status, 400) << pair.key();
    }
    auto more = whole;
    more["idExterno"] = "A";
    EXPECT_EQ(desk.post(Desk::path(GetParam(), Step::confirmar), more).status, 400);
    EXPECT_EQ(desk.post(Desk::path(GetParam(), Step::cancelar), more).status, 400);
    EXPECT_EQ(desk.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, AnIdExternoServesOnce) {
    desk.ask(GetParam(), "A");
    const auto answer = desk.ask(GetParam(), "A");
    EXPECT_EQ(answer.status, 409);
    EXPECT_EQ(reason_of(answer), "idExterno was used by an earlier request");
    EXPECT_EQ(desk.model.metrics().departures(), 1U);
}

TEST(Sales, AnIdExternoIsUsedUpByARequestThatWasRefused) {
    Desk desk;
    auto body = desk.order(Family::tv, "A");
    body.erase("cpf");
    desk.post("/venda/tv/solicitar", body);
    EXPECT_EQ(desk.ask(Family::tv, "A").status, 409);
    EXPECT_EQ(desk.model.metrics().departures(), 2U);
}

TEST(Sales, AnIdExternoIsUsedUpAcrossFamilies) {
    Desk desk;
    desk.ask(Family::tv, "A");
    EXPECT_EQ(desk.ask(Family::egift, "A").status, 409);
}

TEST(Sales, FinalSalesCanBeAnsweredWith4xxAndTheirStatus) {
    Options options;
    options.confirm_again = options.cancel_on_efetivada = Said{409, Said::Word::own};
    Desk desk(options);
    desk.ask(Family::tv, "A");
    EXPECT_EQ(desk.confirm("A").status, 200);
    for (const auto& answer : {desk.confirm("A"), desk.cancel("A")}) {
        EXPECT_EQ(answer.status, 409);
        EXPECT_EQ(answered_status(answer), "EFETIVADA");
        EXPECT_TRUE(parse_object(answer.body).contains("erro"));
    }
    EXPECT_EQ(desk.model.metrics().departures(), 0U);
}

TEST(Sales, FinalSalesCanBeAnsweredWith4xxWithoutAStatus) {
    Options options;
    options.confirm_on_cancelada = options.cancel_again = Said{409};
    Desk desk(options);
    desk.ask(Family::tv, "A");
    EXPECT_EQ(desk.cancel("A").status, 200);
    for (const auto& answer : {desk.confirm("A"), desk.cancel("A")}) {
        EXPECT_EQ(answer.status, 409);
        EXPECT_EQ(answered_status(answer), "");
    }
}

TEST(Sales, ARefusedSaleIsNoSaleToConfirmAndCancel) {
    Desk desk;
    EXPECT_EQ(answered_status(desk.ask(Family::tv, "A", 8)), "NEGADA");
    EXPECT_EQ(desk.confirm("A").status, 404);
    EXPECT_EQ(desk.cancel("A").status, 404);
    EXPECT_EQ(desk.status("A"), Status::negada);
}

TEST(Sales, HealthSalesAreOfTheirPartnersAddress) {
    Desk desk;
    desk.ask(Family::health, "A");
    EXPECT_EQ(desk.post("/venda/exame/confirmar", desk.confirm_body("A")).status, 404);
    EXPECT_EQ(desk.confirm("A").status, 200);
}

TEST(Sales, ACancelSentToHealthsConfirmAddressIsRefused) {
    Desk desk;
    desk.ask(Family::health, "A");
    const auto answer =
        desk.post("/venda/consulta/confirmar",
                  {{"estabelecimento", "12345678"}, {"idExterno", "A"}, {"dataHoraCliente", health_time}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(desk.status("A"), Status::autorizada);
    EXPECT_EQ(desk.model.metrics().departures(), 1U);
}

}  // namespace
}  // namespace gateway::sandbox
