#include "provider/provider.hpp"

#include "families/request_body.hpp"
#include "unit/provider/provider_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

TEST_F(ProviderTest, OnlyWhatItsInterfaceAnswersIsHeard) {
    const auto sale = sale_in(Family::tv);
    network.then(answered(200, R"( {"a":1})")).then(answered(201, "[]"));
    exchange(Step::solicitar, sale);
    exchange(Step::confirmar, sale);
    EXPECT_THAT(heard, ElementsAre(R"( {"a":1})", "[]"));
    network.then(answered(200, "<html>Sign in to the Wi-Fi</html>"))
        .then(answered(404, "{}"))
        .then(answered(503, "{}"))
        .then(answered(302, "{}"))
        .then(answered(200, ""))
        .then(lost());
    for (int i = 0; i < 6; ++i)
        exchange(Step::solicitar, sale);
    EXPECT_EQ(heard.size(), 2u);
}

TEST_F(ProviderTest, SendsAStepAsTheFamilyHasIt) {
    options.base_url.path = "/api";
    const auto sale = sale_in(Family::tv);
    const auto reply = exchange(Step::solicitar, sale);
    EXPECT_EQ(reply.status, 200u);
    EXPECT_TRUE(sent().post);
    EXPECT_EQ(sent().target, "/api/venda/tv/solicitar");
    EXPECT_EQ(sent().label, "tv solicitar");
    EXPECT_EQ(sent().content_type, "application/json");
    EXPECT_EQ(sent().accept, "application/json");
    EXPECT_EQ(sent().authorization.reveal(), "Bearer t1");
    EXPECT_EQ(sent().body.reveal(), request_body(Step::solicitar, sale, sale.current(), "", ""));
}

TEST_F(ProviderTest, UsesTheDocumentsPathForEveryStepOfEveryFamily) {
    const std::vector<std::tuple<Family, Step, std::string, std::string>> rows{
        {Family::tv, Step::solicitar, "", "/venda/tv/solicitar"},
        {Family::tv, Step::confirmar, "", "/venda/tv/confirmar"},
        {Family::tv, Step::cancelar, "", "/venda/tv/cancelar"},
        {Family::egift, Step::solicitar, "", "/venda/egift/solicitar"},
        {Family::egift, Step::confirmar, "", "/venda/egift/confirmar"},
        {Family::egift, Step::cancelar, "", "/venda/voucher/cancelar"},
        {Family::transit, Step::solicitar, "metro", "/venda/transporte/metro/solicitar"},
        {Family::transit, Step::confirmar, "metro", "/venda/transporte/metro/confirmar"},
        {Family::transit, Step::cancelar, "metro", "/venda/transporte/metro/cancelar"},
        {Family::health, Step::solicitar, "clinica", "/venda/clinica/solicitar"},
        {Family::health, Step::confirmar, "clinica", "/venda/clinica/confirmar"},
        {Family::esim, Step::solicitar, "", "/venda/esim/solicitar"},
    };
    for (const auto& [family, step, segment, path] : rows) {
        exchange(step, sale_in(family, segment));
        EXPECT_EQ(network.seen.back().request.target, path);
    }
}

TEST_F(ProviderTest, WhatHasNoPathIsNotSent) {
    for (const auto& [family, step] :
         {std::pair{Family::health, Step::cancelar}, {Family::esim, Step::cancelar}, {Family::esim, Step::confirmar}}) {
        const auto reply = exchange(step, sale_in(family, "clinica"));
        EXPECT_EQ(reply.kind, Reply::Kind::nothing_sent);
        EXPECT_EQ(reply.failure, errc::not_found);
    }
    EXPECT_THAT(network.seen, IsEmpty());
}

TEST_F(ProviderTest, KnowsWhichFamiliesCanBeCancelled) {
    make();
    for (const auto family : {Family::tv, Family::egift, Family::transit})
        EXPECT_TRUE(provider->can_cancel(family));
    for (const auto family : {Family::health, Family::esim})
        EXPECT_FALSE(provider->can_cancel(family));
}

TEST_F(ProviderTest, HealthIsCancelledWhereTheConfigurationSays) {
    options.health_cancel_path = "/venda/{health}/cancelar";
    make();
    EXPECT_TRUE(provider->can_cancel(Family::health));
    exchange(Step::cancelar, sale_in(Family::health, "clinica"));
    EXPECT_EQ(sent().target, "/venda/clinica/cancelar");
}

TEST_F(ProviderTest, ACancelIsNeverSentToAnAddressThatConfirms) {
    for (const char* path :
         {"/venda/{health}/confirmar", "/venda/{health}/confirmar/", "/venda/{health}/CONFIRMAR",
          "/venda/{health}/%63onfirmar", "/venda/{health}/confirmar?x=1", "/venda/{health}/confirmar;x",
          "/venda/{health}/x/../confirmar", "/venda/{health}/confirmar/x/..", "/venda/{health}/confirmar/.",
          "/venda/{health}//confirmar//", "/confirmar", "/venda/{health}/cancel%", "venda/{health}/cancelar"}) {
        options.health_cancel_path = path;
        make();
        EXPECT_FALSE(provider->can_cancel(Family::health)) << path;
        const auto reply = exchange(Step::cancelar, sale_in(Family::health, "clinica"));
        EXPECT_EQ(reply.kind, Reply::Kind::nothing_sent) << path;
    }
    options.health_cancel_path = "/venda/{health}";
    make();
    exchange(Step::cancelar, sale_in(Family::health, "confirmar"));
    EXPECT_THAT(network.seen, IsEmpty());
}

TEST_F(ProviderTest, NoCancelIsSentWithASegmentThatCannotStandInAPath) {
    options.health_cancel_path = "/venda/{health}/cancelar";
    make();
    for (const char* segment : {"", ".", "..", "a/b", "a?b", "a%2fb", "A"})
        EXPECT_EQ(exchange(Step::cancelar, sale_in(Family::health, segment)).kind, Reply::Kind::nothing_sent)
            << segment;
    EXPECT_THAT(network.seen, IsEmpty());
}

TEST_F(ProviderTest, AsksHowAnAttemptStands) {
    options.base_url.path = "/api";
    options.status_path = "/venda/transacao/{idExterno}/status?of={idExterno}";
    make();
    EXPECT_TRUE(provider->can_ask());
    EXPECT_FALSE(provider->asks_by_id_transacao());
    const auto sale = sale_in(Family::esim);
    exchange(Step::consultar, sale);
    const auto id = std::string(sale.current().id_externo.text());
    EXPECT_FALSE(sent().post);
    EXPECT_EQ(sent().target, "/api/venda/transacao/" + id + "/status?of=" + id);
    EXPECT_EQ(sent().label, "esim consultar");
    EXPECT_EQ(sent().accept, "application/json");
    EXPECT_EQ(sent().authorization.reveal(), "Bearer t1");
    EXPECT_EQ(sent().content_type, "");
    EXPECT_TRUE(sent().body.empty());
}

// The provider makes the idTransacao, so it may have any characters: in the path they are percent-encoded.
TEST_F(ProviderTest, AsksByIdTransacaoForWhatHasOne) {
    options.status_path = "/status/{idTransacao}";
    make();
    EXPECT_TRUE(provider->asks_by_id_transacao());
    auto sale = sale_in(Family::tv);
    sale.attempts.back().id_transacao.clear();
    EXPECT_EQ(exchange(Step::consultar, sale).kind, Reply::Kind::nothing_sent);
    EXPECT_THAT(network.seen, IsEmpty());
    sale.attempts.back().id_transacao = "a/b?c d{idTransacao}";
    exchange(Step::consultar, sale);
    EXPECT_EQ(sent().target, "/status/a%2Fb%3Fc%20d%7BidTransacao%7D");
}

TEST_F(ProviderTest, WithoutAStatusPathNothingIsAsked) {
    make();
    EXPECT_FALSE(provider->can_ask());
    EXPECT_EQ(exchange(Step::consultar, sale_in(Family::tv)).kind, Reply::Kind::nothing_sent);
    EXPECT_THAT(network.seen, IsEmpty());
}

TEST_F(ProviderTest, WaitingForATokenIsPartOfTheTime) {
    token_service.then(answered(200, R"({"access_token":"t","expires_in":300})"), 4s);
    const Instant begun = clock.now();
    exchange(Step::solicitar, sale_in(Family::tv));
    EXPECT_EQ(network.seen.at(0).at, begun + 4s);
    EXPECT_EQ(network.seen.at(0).deadline, begun + options.request_timeout);
}

TEST_F(ProviderTest, ATokenThatIsRefusedDuringTheWaitForAConnectionIsNotSent) {
    make();
    network.connecting = 3s;
    const auto sale = sale_in(Family::tv);
    std::optional<Reply> reply;
    boost::asio::co_spawn(io, exchange(*provider, Step::solicitar, sale, clock.now() + options.request_timeout),
                          [&](const std::exception_ptr&, Reply got) { reply = std::move(got); });
    clock.advance(1s);
    keeper.reject(Secret("t1"));
    clock.advance(2s);
    ASSERT_TRUE(reply);
    ASSERT_EQ(network.seen.size(), 1u);
    EXPECT_EQ(sent().authorization.reveal(), "Bearer t2");
}

TEST_F(ProviderTest, WithoutATokenNothingIsSent) {
    token_service.otherwise = [](const http::ClientRequest&) { return unsent(); };
    const auto reply = exchange(Step::solicitar, sale_in(Family::tv));
    EXPECT_EQ(reply.kind, Reply::Kind::nothing_sent);
    EXPECT_EQ(reply.failure, errc::no_token);
    EXPECT_THAT(network.seen, IsEmpty());
}

TEST_F(ProviderTest, ATokenThatIsNoGoodIsReplacedAndTheAnswerComesBack) {
    network.then(answered(401, ""));
    EXPECT_EQ(exchange(Step::solicitar, sale_in(Family::tv)).status, 401u);
    EXPECT_EQ(network.seen.size(), 1u) << "sending again is a decision about the sale";
    exchange(Step::solicitar, sale_in(Family::tv));
    EXPECT_EQ(sent(0).authorization.reveal(), "Bearer t1");
    EXPECT_EQ(sent(1).authorization.reveal(), "Bearer t2");
}

TEST_F(ProviderTest, OtherRefusalsLeaveTheTokenAlone) {
    network.then(answered(403, "")).then(lost()).then(answered(500, ""));
    for (int i = 0; i < 4; ++i)
        exchange(Step::solicitar, sale_in(Family::tv));
    EXPECT_EQ(sent(3).authorization.reveal(), "Bearer t1");
}

TEST_F(ProviderTest, TheSameAttemptGivesTheSameBytes) {
    const auto sale = sale_in(Family::tv);
    exchange(Step::cancelar, sale);
    clock.advance(90s);
    exchange(Step::cancelar, sale);
    EXPECT_EQ(sent(0).body, sent(1).body);
    EXPECT_EQ(sent(0).target, sent(1).target);
}

TEST_F(ProviderTest, TheRulesAreCompletedByWhatItCanDo) {
    options.trust_cancel_4xx = false;
    options.request_timeout = 7s;
    make();
    auto rules = provider->complete({.max_attempts = 5, .can_cancel = {}, .can_ask = true});
    EXPECT_EQ(rules.max_attempts, 5);
    EXPECT_TRUE(rules.cancellable(Family::tv));
    EXPECT_FALSE(rules.cancellable(Family::health)) << "no path is configured";
    EXPECT_FALSE(rules.can_ask);
    EXPECT_FALSE(rules.trusts_cancel_4xx);
    EXPECT_EQ(rules.attempt_time, Duration(7'000));
    options.health_cancel_path = "/venda/{health}/cancelar";
    options.status_path = "/venda/transacao/{idTransacao}";
    make();
    rules = provider->complete({});
    EXPECT_TRUE(rules.cancellable(Family::health));
    EXPECT_TRUE(rules.can_ask);
    EXPECT_TRUE(rules.asks_by_id_transacao);
}

TEST_F(ProviderTest, AsksAValueQuery) {
    options.base_url.path = "/api";
    make();
    OptionsQuestion question;
    question.family = Family::esim;
    question.estabelecimento = "0042";
    question.produto = "Chip Pré";
    const Instant deadline = clock.now() + 3s;
    clock.run(provider->query(question, deadline));
    EXPECT_FALSE(sent().post);
    EXPECT_EQ(sent().target, "/api/venda/esim/consulta-planos/0042/Chip%20Pr%C3%A9");
    EXPECT_EQ(sent().label, "esim query");
    EXPECT_EQ(sent().authorization.reveal(), "Bearer t1");
    EXPECT_EQ(network.seen.at(0).deadline, deadline);
}

TEST_F(ProviderTest, PassesAPlainGetOn) {
    options.base_url.path = "/api";
    make();
    clock.run(provider->get("/recarga/x?y=1", "text/plain", "req-1", clock.now() + 3s));
    EXPECT_FALSE(sent().post);
    EXPECT_EQ(sent().target, "/api/recarga/x?y=1");
    EXPECT_EQ(sent().accept, "text/plain");
    EXPECT_EQ(sent().request_id, "req-1");
    EXPECT_EQ(sent().authorization.reveal(), "Bearer t1");
}

TEST_F(ProviderTest, TheListOfADayMayBeLongerThanOtherAnswers) {
    options.base_url.path = "/api";
    options.list_path = "/{day}/list?day={day}";
    make();
    EXPECT_TRUE(provider->can_list());
    clock.run(provider->list(parse_day("2026-11-20").value(), 4096, clock.now() + 3s));
    EXPECT_FALSE(sent().post);
    EXPECT_EQ(sent().target, "/api/2026-11-20/list?day=2026-11-20");
    EXPECT_EQ(sent().answer_limit, 4096u);
    EXPECT_EQ(sent().authorization.reveal(), "Bearer t1");
}

TEST_F(ProviderTest, AListThatDoesNotComeIsNoOutage) {
    make();
    for (int tries = 0; tries < 5; ++tries) {
        network.then(answered(500, ""));
        clock.run(provider->list(Day(), 4096, clock.now() + 3s));
    }
    EXPECT_FALSE(provider->reachability().outage());
}

TEST_F(ProviderTest, AStatusCanBeAskedForOutsideOfTheStepsOfASale) {
    options.base_url.path = "/api";
    options.status_path = "/venda/transacao/{idExterno}";
    network.then(answered(401, "")).then(answered(200, "{}"));
    make();
    const auto sale = sale_in(Family::tv);
    EXPECT_EQ(clock.run(provider->status(sale, sale.current(), clock.now() + 1min)).status, 200u);
    EXPECT_FALSE(sent(1).post);
    EXPECT_EQ(sent(1).target, "/api/venda/transacao/" + sale.current().id_externo.str());
    EXPECT_EQ(sent(1).authorization.reveal(), "Bearer t2")
        << "the gateway replaces a token that was refused, and asks again";
    options.status_path = "/s/{idTransacao}";
    make();
    auto unknown = sale;
    unknown.attempts.back().id_transacao.clear();
    const auto reply = clock.run(provider->status(unknown, unknown.current(), clock.now() + 1min));
    EXPECT_EQ(reply.kind, Reply::Kind::nothing_sent);
    EXPECT_EQ(reply.failure, errc::not_found);
}

TEST_F(ProviderTest, AQuestionWhoseTokenIsNoGoodIsAskedOnceMore) {
    network.then(answered(401, "")).then(answered(200, "{}"));
    make();
    const OptionsQuestion question{.family = Family::tv, .produto = "TV"};
    EXPECT_EQ(clock.run(provider->query(question, clock.now() + 1min)).status, 200u);
    EXPECT_EQ(sent(1).authorization.reveal(), "Bearer t2");
    network.then(answered(401, "")).then(answered(401, ""));
    EXPECT_EQ(clock.run(provider->query(question, clock.now() + 1min)).status, 401u) << "and not for ever";
    EXPECT_EQ(network.seen.size(), 4u);
}

TEST_F(ProviderTest, WithoutAConnectionNothingIsSent) {
    network.connecting = 1h;
    const auto reply = exchange(Step::solicitar, sale_in(Family::tv));
    EXPECT_EQ(reply.kind, Reply::Kind::nothing_sent);
    EXPECT_EQ(reply.failure, errc::timed_out);
    EXPECT_THAT(network.seen, IsEmpty());
}

TEST_F(ProviderTest, WhetherAStepIsSentOnAnotherConnectionIsTheCallersAffair) {
    network.then(unsent(errc::stale_connection));
    EXPECT_EQ(exchange(Step::solicitar, sale_in(Family::tv)).failure, errc::stale_connection);
    EXPECT_EQ(network.seen.size(), 1u);
}

TEST_F(ProviderTest, AQuestionWhoseConnectionWasStaleIsSentOnAnother) {
    network.then(unsent(errc::stale_connection)).then(answered(200, "{}"));
    make();
    const OptionsQuestion question{.family = Family::tv, .produto = "TV"};
    EXPECT_EQ(clock.run(provider->query(question, clock.now() + 1min)).status, 200u);
    EXPECT_EQ(network.seen.size(), 2u);
}

}  // namespace
}  // namespace gateway::test
