#include "sandbox/model.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::sandbox {
namespace {

// This is one request of a scenario, and what has to come of it.
struct Exchange {
    Step step;
    int status;        // 0: the connection is closed without an answer
    const char* word;  // transacao.status in the answer
    Status after;      // of the sale, in the books
    Duration delay{0};
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

constexpr Exchange request(int status, Status after) {
    return {Step::solicitar, status, "", after};
}
constexpr Exchange confirm(int status, Status after) {
    return {Step::confirmar, status, "", after};
}
constexpr Exchange cancel(int status, Status after) {
    return {Step::cancelar, status, "", after};
}

// Tells what each row of the table is to a client, without using the table.
const std::vector<Scenario>& scenarios() {
    constexpr auto none = Status::none;
    constexpr auto open = Status::autorizada;
    constexpr auto done = Status::efetivada;
    constexpr auto gone = Status::cancelada;
    static const std::vector<Scenario> all{
        {0, {authorised, sold}},
        {1, {request(422, none), nothing_to_cancel}},
        {2, {answer_lost, cancelled}},
        {3, {request(0, none), nothing_to_cancel}},
        {4, {{Step::solicitar, 200, "AUTORIZADA", open, 3s}, sold}},
        {5, {request(500, open), cancelled}},
        {6, {request(200, open), cancelled}},
        {7, {authorised, cancelled}},
        {8, {{Step::solicitar, 200, "NEGADA", Status::negada}, cancel(404, Status::negada)}},
        {9, {request(429, none), nothing_to_cancel}},
        {10, {request(503, none), nothing_to_cancel}},
        {11, {authorised, confirm(422, open), confirm(422, open), cancelled}},
        {12, {authorised, confirm(0, done), sold}},
        {13, {authorised, confirm(0, open), sold}},
        {14, {authorised, {Step::confirmar, 200, "EFETIVADA", done, 3s}}},
        {15, {authorised, confirm(500, done), sold}},
        {16, {authorised, confirm(200, done), sold}},
        {17, {authorised, {Step::confirmar, 200, "CANCELADA", gone}, {Step::confirmar, 200, "CANCELADA", gone}}},
        {18, {authorised, confirm(0, done), confirm(0, done), {Step::cancelar, 200, "EFETIVADA", done}}},
        {19, {authorised, confirm(422, done), sold}},
        {20, {authorised, confirm(401, open), sold}},
        {21, {authorised, cancelled}},
        {22, {answer_lost, cancel(0, gone), cancelled}},
        {23, {answer_lost, cancel(0, open), cancelled}},
        {24, {answer_lost, {Step::cancelar, 200, "CANCELADA", gone, 3s}}},
        {25, {answer_lost, cancel(500, open), cancel(500, open), cancel(500, open), cancelled}},
        {26, {answer_lost, cancel(200, gone), cancelled}},
        {27, {answer_lost, cancel(404, open), cancelled}},
        {28, {request(0, none), cancel(404, open), cancelled}},
        {29, {answer_lost, cancel(401, open), cancelled}},
        {30, {authorised, cancelled}},
        {42, {authorised, sold}},
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
        const auto answer = send(caller, exchange.step, family, scenario.cents);
        EXPECT_EQ(answer.drop, exchange.status == 0);
        EXPECT_TRUE(answer.drop || answer.status == exchange.status) << answer.status;
        EXPECT_TRUE(answer.drop || answered_status(answer) == exchange.word) << answer.body;
        EXPECT_EQ(answer.delay, exchange.delay);
        EXPECT_EQ(caller.status("A"), exchange.after);
        EXPECT_EQ(caller.departures(), 0U);
    }
}

class OutcomesOf : public testing::TestWithParam<Family> {};

INSTANTIATE_TEST_SUITE_P(Model, OutcomesOf, testing::ValuesIn(families), name_of);

TEST_P(OutcomesOf, EveryAmountAreWhatTheTableSays) {
    for (const auto& scenario : scenarios()) {
        const bool in_catalogue = scenario.cents <= 30;
        if (GetParam() != Family::health || in_catalogue) play(GetParam(), scenario);
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
    EXPECT_EQ(sale_part(caller.ask(Family::tv, "A", 7)).at("transacao").at("valor").as_int64(), 5008);
    EXPECT_EQ(caller.entry("A").valor, 5007);
    EXPECT_EQ(sale_part(caller.ask(Family::tv, "B", 21)).at("idExterno").as_string(), "B-0");
    EXPECT_EQ(sale_part(caller.ask(Family::esim, "C", 21)).at("idExterno").as_string(), "-0");
    EXPECT_FALSE(sale_part(caller.ask(Family::tv, "D", 30)).at("transacao").as_object().contains("idTransacao"));
}

struct Header {
    const char* name;
    std::optional<std::string> value;
    int status;
    bool departs;
};

TEST(Model, EveryRequestNeedsItsHeaders) {
    const std::vector<Header> rows{
        {"Authorization", std::nullopt, 401, true},
        {"Authorization", "Basic x", 401, true},
        {"Authorization", "nonsense", 401, true},
        {"Authorization", "Bearer nonsense", 401, false},  // one that was revoked is not the client's fault
        {"Accept", std::nullopt, 406, true},
        {"Accept", "*/*", 406, true},
        {"Accept", "text/html, application/xml", 406, true},
        {"Accept", "text/html , Application/JSON;q=0.9", 200, false},
        {"Content-Type", std::nullopt, 415, true},
        {"Content-Type", "text/plain", 415, true},
        {"Content-Type", "application/jsonx", 415, true},
        {"Content-Type", "application/json; charset=utf-8", 200, false},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(std::string(row.name) + ": " + row.value.value_or("none"));
        Caller caller;
        auto headers = caller.headers();
        std::erase_if(headers, [&](const auto& header) { return header.first == row.name; });
        if (row.value) headers.emplace_back(row.name, *row.value);
        const auto body = json::serialize(caller.order(Family::tv, "A"));
        EXPECT_EQ(caller.model.handle({"POST", "/venda/tv/solicitar", headers, body}, caller.now).status, row.status);
        EXPECT_EQ(caller.departures(), row.departs ? 1U : 0U);
        EXPECT_EQ(caller.status("A"), row.status == 200 ? Status::autorizada : Status::none);
    }
}

TEST(Model, OnlyAnEGiftConfirmGoesWithoutATokenWhereThePersonalitySaysSo) {
    Options options;
    options.egift_confirm_without_token = true;
    Caller caller(options);
    const auto confirm = [&](Family family) {
        const Headers headers{{"Accept", "application/json"}, {"Content-Type", "application/json"}};
        const std::string id(to_string(family));
        caller.ask(family, id);
        const auto body = json::serialize(caller.confirm_body(id));
        return caller.model.handle({"POST", Caller::path(family, Step::confirmar), headers, body}, caller.now).status;
    };
    EXPECT_EQ(confirm(Family::tv), 401);
    EXPECT_EQ(confirm(Family::egift), 200);
    caller.token = "nonsense";
    EXPECT_EQ(caller.confirm("egift").status, 401) << "a token that is sent has to be good";
}

TEST(Model, AQueryIsAnsweredFromTheCatalogueAndOneForNothingIsA404) {
    struct Query {
        const char* target;
        const char* member;  // of the answer; null: 404
        bool departs = false;
    };
    const std::vector<Query> rows{
        {"/venda/tv/consulta-dinamica/12345678/TV%20Livre", "valores"},
        {"/venda/egift/consulta-dinamica/12345678/Jogos", "produtos"},
        {"/venda/transporte/bilhete/consulta-valores/12345678/bilhete/1000000001", "valores"},
        {"/venda/consulta/12345678/Consulta/valores", "produtoIdParceiro"},
        {"/venda/esim/consulta-planos/12345678/Chip%20Virtual", "valores"},
        {"/venda/tv/consulta-dinamica/12345678/TV%20Mensal", nullptr},
        {"/venda/egift/consulta-dinamica/12345678/Nada", nullptr},
        {"/venda/transporte/nada/consulta-valores/12345678/nada/1000000001", nullptr},
        {"/venda/transporte/bilhete/consulta-valores/12345678/bilhete/1", nullptr},
        {"/venda/exame/12345678/Consulta/valores", nullptr},
        {"/venda/esim/consulta-planos/12345678/Chip", nullptr},
        {"/venda/tv/consulta-dinamica/87654321/TV%20Livre", nullptr, true},  // an unknown establishment
        {"/venda/radio/x", nullptr, true},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.target);
        Caller caller;
        const Headers enough{{"accept", "application/json"}, {"authorization", "Bearer " + caller.token}};
        const auto answer = caller.model.handle({"GET", row.target, enough, ""}, caller.now);
        EXPECT_EQ(answer.status, row.member == nullptr ? 404 : 200);
        EXPECT_TRUE(row.member == nullptr || parse_object(answer.body).contains(row.member)) << answer.body;
        EXPECT_EQ(caller.departures(), row.departs ? 1U : 0U);
    }
    Caller caller;
    EXPECT_EQ(caller.get("/venda/tv/solicitar").status, 405);
    EXPECT_FALSE(caller.model.metrics().latest_departures().back().step);
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

}  // namespace
}  // namespace gateway::sandbox
