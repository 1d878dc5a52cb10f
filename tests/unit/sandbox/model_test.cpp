#include "sandbox/model.hpp"

#include "sandbox/outcomes.hpp"
#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::sandbox {
namespace {

// One request of a scenario, and what has to come of it.
struct Exchange {
    Step step;
    int status;        // 0: the connection is closed without an answer
    const char* word;  // transacao.status in the answer
    Status after;      // of the sale, in the books
    Duration delay{0};
    Duration wait{0};  // passes before the request is sent
};

struct Scenario {
    int cents;
    std::vector<Exchange> exchanges;
};

constexpr Exchange authorised{Step::solicitar, 200, "AUTORIZADA", Status::autorizada};
constexpr Exchange answer_lost{Step::solicitar, 0, "", Status::autorizada};
constexpr Exchange sold{Step::confirmar, 200, "EFETIVADA", Status::efetivada};
constexpr Exchange cancelled{Step::cancelar, 200, "CANCELADA", Status::cancelada};
constexpr Exchange nothing_to_cancel{Step::cancelar, 404, "", Status::none};

// Tells what each row of the table is to a client, without using the table.
const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> all{
        {1, {{Step::solicitar, 422, "", Status::none}, nothing_to_cancel}},
        {2, {answer_lost, cancelled}},
        {3, {{Step::solicitar, 0, "", Status::none}, nothing_to_cancel}},
        {4, {{Step::solicitar, 200, "AUTORIZADA", Status::autorizada, 3s}, sold}},
        {5, {{Step::solicitar, 500, "", Status::autorizada}, cancelled}},
        {6, {{Step::solicitar, 200, "", Status::autorizada}, cancelled}},
        {7, {authorised, cancelled}},
        {8, {{Step::solicitar, 200, "NEGADA", Status::negada}, {Step::cancelar, 404, "", Status::negada}}},
        {9, {{Step::solicitar, 429, "", Status::none}, nothing_to_cancel}},
        {10, {{Step::solicitar, 503, "", Status::none}, nothing_to_cancel}},
        {11,
         {authorised,
          {Step::confirmar, 422, "", Status::autorizada},
          {Step::confirmar, 422, "", Status::autorizada},
          cancelled}},
        {12, {authorised, {Step::confirmar, 0, "", Status::efetivada}, sold}},
        {13, {authorised, {Step::confirmar, 0, "", Status::autorizada}, sold}},
        {14, {authorised, {Step::confirmar, 200, "EFETIVADA", Status::efetivada, 3s}}},
        {15, {authorised, {Step::confirmar, 500, "", Status::efetivada}, sold}},
        {16, {authorised, {Step::confirmar, 200, "", Status::efetivada}, sold}},
        {17,
         {authorised,
          {Step::confirmar, 200, "CANCELADA", Status::cancelada},
          {Step::confirmar, 200, "CANCELADA", Status::cancelada},
          cancelled}},
        {18,
         {authorised,
          {Step::confirmar, 0, "", Status::efetivada},
          {Step::confirmar, 0, "", Status::efetivada},
          {Step::cancelar, 200, "EFETIVADA", Status::efetivada}}},
        {19, {authorised, {Step::confirmar, 422, "", Status::efetivada}, sold}},
        {20, {authorised, {Step::confirmar, 401, "", Status::autorizada}, sold}},
        {21, {authorised, cancelled}},
        {22, {answer_lost, {Step::cancelar, 0, "", Status::cancelada}, cancelled}},
        {23, {answer_lost, {Step::cancelar, 0, "", Status::autorizada}, cancelled}},
        {24, {answer_lost, {Step::cancelar, 200, "CANCELADA", Status::cancelada, 3s}}},
        {25,
         {answer_lost,
          {Step::cancelar, 500, "", Status::autorizada},
          {Step::cancelar, 500, "", Status::autorizada},
          {Step::cancelar, 500, "", Status::autorizada},
          cancelled}},
        {26, {answer_lost, {Step::cancelar, 200, "", Status::cancelada}, cancelled}},
        {27, {answer_lost, {Step::cancelar, 404, "", Status::autorizada}, cancelled}},
        {28, {{Step::solicitar, 0, "", Status::none}, {Step::cancelar, 404, "", Status::autorizada}, cancelled}},
        {29, {answer_lost, {Step::cancelar, 401, "", Status::autorizada}, cancelled}},
        {30, {authorised, cancelled}},
        {42, {authorised, sold}},
        {0, {authorised, sold}},
    };
    return all;
}

Answer send(Caller& caller, Step step, Family family, int cents) {
    if (step == Step::solicitar) return caller.ask(family, "A", cents);
    return step == Step::confirmar ? caller.confirm("A") : caller.cancel("A", family);
}

void play(Family family, const Scenario& scenario) {
    Options options;
    options.health_cancel_path = "/venda/{health}/cancelar";
    Caller caller(options);
    int number = 0;
    for (const auto& exchange : scenario.exchanges) {
        SCOPED_TRACE("cents " + std::to_string(scenario.cents) + ", request " + std::to_string(++number));
        if (family == Family::esim && exchange.step != Step::solicitar) continue;
        caller.pass(exchange.wait);
        const auto answer = send(caller, exchange.step, family, scenario.cents);
        EXPECT_EQ(answer.drop, exchange.status == 0);
        EXPECT_TRUE(answer.drop || answer.status == exchange.status) << answer.status;
        EXPECT_TRUE(answer.drop || answered_status(answer) == exchange.word) << answer.body;
        EXPECT_EQ(answer.delay, exchange.delay);
        EXPECT_EQ(caller.status("A"), exchange.after);
        EXPECT_EQ(caller.model.metrics().departures(), 0U);
    }
}

class OutcomesOf : public testing::TestWithParam<Family> {};

INSTANTIATE_TEST_SUITE_P(Model, OutcomesOf, testing::ValuesIn(families),
                         [](const auto& family) { return std::string(to_string(family.param)); });

TEST_P(OutcomesOf, EveryAmountAreWhatTheTableSays) {
    for (const auto& scenario : scenarios()) {
        const bool in_catalogue = scenario.cents == 0 || find_outcome(scenario.cents, Step::solicitar, 1) != nullptr ||
                                  find_outcome(scenario.cents, Step::confirmar, 1) != nullptr;
        if (GetParam() == Family::health && !in_catalogue) continue;
        play(GetParam(), scenario);
    }
}

TEST(Model, EveryRowOfTheTableHasItsScenario) {
    std::set<int> told;
    for (const auto& scenario : scenarios())
        told.insert(scenario.cents);
    for (const auto& row : outcomes())
        EXPECT_TRUE(told.contains(row.cents)) << row.cents;
}

TEST(Model, ABentAnswerDiffersInTheOneThing) {
    Caller caller;
    const auto amount = sale_part(caller.ask(Family::tv, "A", 7));
    EXPECT_EQ(amount.at("transacao").at("valor").as_int64(), 5008);
    EXPECT_EQ(caller.entry("A").valor, 5007);
    EXPECT_EQ(sale_part(caller.ask(Family::tv, "B", 21)).at("idExterno").as_string(), "B-0");
    EXPECT_EQ(sale_part(caller.ask(Family::esim, "C", 21)).at("idExterno").as_string(), "-0");
    EXPECT_FALSE(sale_part(caller.ask(Family::tv, "D", 30)).at("transacao").as_object().contains("idTransacao"));
}

TEST(Model, TooManyRequestsSaysWhenToComeBack) {
    Caller caller;
    EXPECT_TRUE(find_header(caller.ask(Family::tv, "A", 9).headers, "Retry-After"));
}

TEST(Model, ADeparturesIsRefusedWhateverTheCentsAskFor) {
    Caller caller;
    auto body = caller.order(Family::tv, "A", 2);
    body["extra"] = 1;
    const auto answer = caller.post("/venda/tv/solicitar", body);
    EXPECT_FALSE(answer.drop);
    EXPECT_EQ(answer.status, 400);
}

TEST(Model, TheOutcomesOfTheDynamicTvProductAreChosenByItsValue) {
    Caller caller;
    auto body = caller.order(Family::tv, "A");
    body["produto"] = "TV Livre";
    body["id_valor"] = "902;3002";
    body.erase("valor");
    body.erase("cpf");
    EXPECT_TRUE(caller.post("/venda/tv/solicitar", body).drop);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
}

TEST(Model, AQueryIsAnsweredFromTheCatalogue) {
    Caller caller;
    const auto has = [&](const std::string& target, const char* name) {
        const auto answer = caller.get(target);
        return answer.status == 200 && parse_object(answer.body).contains(name);
    };
    EXPECT_TRUE(has("/venda/tv/consulta-dinamica/12345678/TV%20Livre", "valores"));
    EXPECT_TRUE(has("/venda/egift/consulta-dinamica/12345678/Jogos", "produtos"));
    EXPECT_TRUE(has("/venda/transporte/bilhete/consulta-valores/12345678/bilhete/1000000001", "valores"));
    EXPECT_TRUE(has("/venda/consulta/12345678/Consulta/valores", "produtoIdParceiro"));
    EXPECT_TRUE(has("/venda/esim/consulta-planos/12345678/Chip%20Virtual", "valores"));
    EXPECT_EQ(caller.model.metrics().count(Step::consulta, Family::tv).processed, 1U);
}

TEST(Model, AQueryForNothingIsA404) {
    Caller caller;
    for (const auto* target :
         {"/venda/tv/consulta-dinamica/12345678/TV%20Mensal", "/venda/egift/consulta-dinamica/12345678/Nada",
          "/venda/transporte/nada/consulta-valores/12345678/nada/1000000001",
          "/venda/transporte/bilhete/consulta-valores/12345678/bilhete/1", "/venda/exame/12345678/Consulta/valores",
          "/venda/esim/consulta-planos/12345678/Chip"})
        EXPECT_EQ(caller.get(target).status, 404) << target;
    EXPECT_EQ(caller.model.metrics().departures(), 0U);
    EXPECT_EQ(caller.get("/venda/tv/consulta-dinamica/87654321/TV%20Livre").status, 404);
    EXPECT_EQ(caller.model.metrics().departures(), 1U) << "an unknown establishment";
}

TEST(Model, AnUnknownAddressOrMethodIsADeparture) {
    Caller caller;
    EXPECT_EQ(caller.get("/venda/radio/x").status, 404);
    EXPECT_EQ(caller.get("/venda/tv/solicitar").status, 405);
    EXPECT_EQ(caller.model.metrics().departures(), 2U);
    EXPECT_FALSE(caller.model.metrics().latest_departures().back().step);
}

TEST(Model, ALostAnswersConnectionStaysOpenForAsLongAsTheOptionSays) {
    Options options;
    options.lost_after = 20s;
    Caller caller(options);
    const auto answer = caller.ask(Family::tv, "A", 2);
    EXPECT_TRUE(answer.drop);
    EXPECT_EQ(answer.delay, Duration(20s));
}

TEST(Model, TheHistoryTellsWhatWasSeenDoneAndAnswered) {
    Caller caller;
    caller.ask(Family::tv, "A", 2);
    caller.now += 5s;
    caller.cancel("A");
    caller.cancel("A");
    const auto& history = caller.entry("A").history;
    ASSERT_EQ(history.size(), 3U);
    EXPECT_EQ(history.at(0).step, Step::solicitar);
    EXPECT_EQ(history.at(0).behaviour, "lose_answer");
    EXPECT_TRUE(history.at(0).processed);
    EXPECT_EQ(history.at(0).answered, 0);
    EXPECT_EQ(history.at(0).status, Status::autorizada);
    EXPECT_EQ(history.at(1).at, history.at(0).at + 5s);
    EXPECT_EQ(history.at(1).answered, 200);
    EXPECT_EQ(history.at(1).status, Status::cancelada);
    EXPECT_FALSE(history.at(2).processed) << "the second cancel had no effect";
    EXPECT_EQ(history.at(2).body, history.at(1).body) << "byte for byte the same";
    EXPECT_NE(history.at(1).body, history.at(0).body);
}

TEST(Model, ARefusalsReasonIsInTheHistory) {
    Caller caller;
    auto body = caller.order(Family::tv, "A");
    body.erase("cpf");
    caller.post("/venda/tv/solicitar", body);
    EXPECT_EQ(caller.entry("A").history.at(0).reason, "cpf is missing");
    EXPECT_EQ(caller.entry("A").history.at(0).status, Status::none);
}

TEST(Model, CountsWhatComes) {
    Caller caller;
    caller.ask(Family::tv, "A", 2);
    caller.ask(Family::tv, "B", 3);
    caller.ask(Family::tv, "B");
    const auto& count = caller.model.metrics().count(Step::solicitar, Family::tv);
    EXPECT_EQ(count.seen, 3U);
    EXPECT_EQ(count.processed, 1U);
    EXPECT_EQ(count.refused, 1U);
    EXPECT_EQ(count.lost, 2U);
    EXPECT_EQ(caller.model.metrics().count(Step::token, std::nullopt).processed, 1U);
}

TEST(Model, TheSameChanceAndTheSameCallsGiveTheSameAnswers) {
    const auto run = [] {
        Caller caller;
        std::string all = caller.token;
        for (const auto family : families)
            all += caller.ask(family, std::string(to_string(family))).body;
        for (const auto& delivery : caller.pass(1min))
            all += delivery.body;
        return all;
    };
    EXPECT_EQ(run(), run());
}

TEST(Model, ThousandsOfSalesStayWithinTheBooks) {
    Options options;
    options.keep = 500;
    options.token_lifetime = 24h;
    Caller caller(options);
    for (int i = 0; i < 3000; ++i) {
        const auto id = std::to_string(i);
        ASSERT_EQ(caller.ask(Family::tv, id).status, 200);
        ASSERT_EQ(caller.confirm(id).status, 200);
        caller.now += 10ms;
    }
    EXPECT_EQ(caller.model.books().all().size(), 500U);
    EXPECT_EQ(caller.model.metrics().count(Step::confirmar, Family::tv).processed, 3000U);
}

TEST(Model, ResetForgetsEverythingButTheTokens) {
    Caller caller;
    ASSERT_TRUE(caller.model.faults().replace(R"([{"step":"solicitar","behaviour":"hold"}])"));
    caller.ask(Family::tv, "A");
    caller.model.faults().clear();
    caller.ask(Family::esim, "B");
    ASSERT_TRUE(caller.model.faults().replace(R"([{"step":"solicitar","behaviour":"error"}])"));
    caller.model.reset();
    EXPECT_TRUE(caller.model.books().all().empty());
    EXPECT_FALSE(caller.model.next_due());
    EXPECT_EQ(caller.model.metrics().count(Step::solicitar, Family::tv).seen, 0U);
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 200);
}

}  // namespace
}  // namespace gateway::sandbox
