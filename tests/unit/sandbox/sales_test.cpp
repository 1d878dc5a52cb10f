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
    Caller caller{options()};
};

INSTANTIATE_TEST_SUITE_P(Sales, ConfirmedFamily,
                         testing::Values(Family::tv, Family::egift, Family::transit, Family::health),
                         [](const auto& family) { return std::string(to_string(family.param)); });

// Cancels at the address of `family`, whatever family the sale has.
Answer cancel(Caller& caller, Family family, const std::string& idExterno) {
    return caller.post(Caller::path(family, Step::cancelar),
                       {{"estabelecimento", "12345678"},
                        {"idExterno", idExterno},
                        {"dataHoraCliente", family == Family::health ? health_time : client_time}});
}

TEST_P(ConfirmedFamily, ARequestMakesAnAuthorisedSale) {
    caller.ask(GetParam(), "A");
    EXPECT_EQ(caller.status("A"), Status::autorizada);
    EXPECT_FALSE(caller.entry("A").idTransacao.empty());
}

TEST_P(ConfirmedFamily, AConfirmSells) {
    caller.ask(GetParam(), "A");
    const auto answer = caller.confirm("A");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answered_status(answer), "EFETIVADA");
    EXPECT_EQ(caller.status("A"), Status::efetivada);
}

TEST_P(ConfirmedFamily, ACancelCancels) {
    caller.ask(GetParam(), "A");
    const auto answer = cancel(caller, GetParam(), "A");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answered_status(answer), "CANCELADA");
    EXPECT_EQ(caller.status("A"), Status::cancelada);
}

TEST_P(ConfirmedFamily, ASoldSaleStaysSold) {
    caller.ask(GetParam(), "A");
    caller.confirm("A");
    EXPECT_EQ(answered_status(cancel(caller, GetParam(), "A")), "EFETIVADA");
    EXPECT_EQ(answered_status(caller.confirm("A")), "EFETIVADA");
    EXPECT_EQ(caller.status("A"), Status::efetivada);
}

TEST_P(ConfirmedFamily, ACancelledSaleStaysCancelled) {
    caller.ask(GetParam(), "A");
    cancel(caller, GetParam(), "A");
    EXPECT_EQ(answered_status(caller.confirm("A")), "CANCELADA");
    EXPECT_EQ(answered_status(cancel(caller, GetParam(), "A")), "CANCELADA");
    EXPECT_EQ(caller.status("A"), Status::cancelada);
}

TEST_P(ConfirmedFamily, ACancelOfAnUnknownSaleIsAnsweredWithoutAStatusAndForgotten) {
    const auto answer = cancel(caller, GetParam(), "A");
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answered_status(answer), "");
    EXPECT_EQ(caller.model.metrics().departures(), 0U) << "a client cannot know";
    EXPECT_EQ(caller.ask(GetParam(), "A").status, 200) << "the cancel does not stop a request that comes later";
    EXPECT_EQ(caller.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, AConfirmOfAnUnknownSaleIsADeparture) {
    caller.ask(GetParam(), "A");
    auto body = caller.confirm_body("A");
    body["idTransacao"] = "nonsense";
    const auto answer = caller.post(Caller::path(GetParam(), Step::confirmar), body);
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answered_status(answer), "");
    EXPECT_EQ(caller.model.metrics().departures(), 1U);
}

TEST_P(ConfirmedFamily, ASaleIsConfirmedAndCancelledAtItsOwnFamilysAddressOnly) {
    caller.ask(GetParam(), "A");
    for (const auto other : {Family::tv, Family::egift, Family::transit}) {
        if (other == GetParam()) continue;
        auto body = caller.confirm_body("A");
        body["dataHoraCliente"] = client_time;
        EXPECT_EQ(caller.post(Caller::path(other, Step::confirmar), body).status, 404);
        EXPECT_EQ(cancel(caller, other, "A").status, 404);
    }
    EXPECT_EQ(caller.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, AConfirmNamesTheSalesEstablishmentAndProduct) {
    caller.ask(GetParam(), "A");
    auto body = caller.confirm_body("A");
    body["produto"] = "Outro";
    EXPECT_EQ(reason_of(caller.post(Caller::path(GetParam(), Step::confirmar), body)),
              "estabelecimento and produto are not those of the sale");
    EXPECT_EQ(caller.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, ConfirmAndCancelHaveTheirFieldsAndNoOthers) {
    caller.ask(GetParam(), "A");
    const auto whole = caller.confirm_body("A");
    for (const auto& pair : whole) {
        auto body = whole;
        body.erase(pair.key());
        EXPECT_EQ(caller.post(Caller::path(GetParam(), Step::confirmar), body).status, 400) << pair.key();
    }
    auto more = whole;
    more["idExterno"] = "A";
    EXPECT_EQ(caller.post(Caller::path(GetParam(), Step::confirmar), more).status, 400);
    EXPECT_EQ(caller.post(Caller::path(GetParam(), Step::cancelar), more).status, 400);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
}

TEST_P(ConfirmedFamily, AnIdExternoServesOnce) {
    caller.ask(GetParam(), "A");
    const auto answer = caller.ask(GetParam(), "A");
    EXPECT_EQ(answer.status, 409);
    EXPECT_EQ(reason_of(answer), "idExterno was used by an earlier request");
    EXPECT_EQ(caller.model.metrics().departures(), 1U);
}

TEST(Sales, AnIdExternoIsUsedUpByARequestThatWasRefused) {
    Caller caller;
    auto body = caller.order(Family::tv, "A");
    body.erase("cpf");
    caller.post("/venda/tv/solicitar", body);
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 409);
    EXPECT_EQ(caller.model.metrics().departures(), 2U);
}

TEST(Sales, AnIdExternoIsUsedUpAcrossFamilies) {
    Caller caller;
    caller.ask(Family::tv, "A");
    EXPECT_EQ(caller.ask(Family::egift, "A").status, 409);
}

TEST(Sales, FinalSalesCanBeAnsweredWith4xxAndTheirStatus) {
    Options options;
    options.confirm_again = options.cancel_on_efetivada = Said{409, Said::Word::own};
    Caller caller(options);
    caller.ask(Family::tv, "A");
    EXPECT_EQ(caller.confirm("A").status, 200);
    for (const auto& answer : {caller.confirm("A"), caller.cancel("A")}) {
        EXPECT_EQ(answer.status, 409);
        EXPECT_EQ(answered_status(answer), "EFETIVADA");
        EXPECT_TRUE(parse_object(answer.body).contains("erro"));
    }
    EXPECT_EQ(caller.model.metrics().departures(), 0U);
}

TEST(Sales, FinalSalesCanBeAnsweredWith4xxWithoutAStatus) {
    Options options;
    options.confirm_on_cancelada = options.cancel_again = Said{409};
    Caller caller(options);
    caller.ask(Family::tv, "A");
    EXPECT_EQ(caller.cancel("A").status, 200);
    for (const auto& answer : {caller.confirm("A"), caller.cancel("A")}) {
        EXPECT_EQ(answer.status, 409);
        EXPECT_EQ(answered_status(answer), "");
    }
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

TEST(Sales, ACancelSentToHealthsConfirmAddressIsRefused) {
    Caller caller;
    caller.ask(Family::health, "A");
    const auto answer =
        caller.post("/venda/consulta/confirmar",
                    {{"estabelecimento", "12345678"}, {"idExterno", "A"}, {"dataHoraCliente", health_time}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
    EXPECT_EQ(caller.model.metrics().departures(), 1U);
}

}  // namespace
}  // namespace gateway::sandbox
