#include "sandbox/wire.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

Reply good() {
    Reply reply;
    reply.body = {{"transacao", {{"status", "EFETIVADA"}}}};
    return reply;
}

Answer carried(Treatment treatment, Reply reply = good(), Step step = Step::confirmar) {
    return to_answer(std::move(reply), treatment, step, Options{});
}

TEST(Wire, AnUntreatedReplyIsCarriedAsItIs) {
    const auto answer = carried({});
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, R"({"transacao":{"status":"EFETIVADA"}})");
    EXPECT_EQ(find_header(answer.headers, "Content-Type"), "application/json");
    EXPECT_FALSE(answer.drop);
    EXPECT_EQ(answer.delay, 0s);
}

TEST(Wire, ALostReplyHasNoByte) {
    const auto answer = carried({.behaviour = Behaviour::lose_answer, .delay = 4s});
    EXPECT_TRUE(answer.drop);
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.delay, 4s);
}

TEST(Wire, TheDelayOfAHeldRequestIsNotTheConnections) {
    EXPECT_EQ(carried({.behaviour = Behaviour::hold, .delay = 4s}).delay, 0s);
    EXPECT_EQ(carried({.behaviour = Behaviour::overtaken, .delay = 4s}).delay, 0s);
    EXPECT_EQ(carried({.behaviour = Behaviour::twice, .delay = 4s}).delay, 0s);
}

TEST(Wire, ARefusalIsNeverBent) {
    for (const auto behaviour : {Behaviour::error_after, Behaviour::not_json, Behaviour::answer_after}) {
        const auto answer = carried({.behaviour = behaviour, .status = 502, .body = "x"},
                                    refusal(400, "requisicao_invalida", "cpf is missing"));
        EXPECT_EQ(answer.status, 400);
        EXPECT_NE(answer.body.find("cpf is missing"), std::string::npos);
    }
}

TEST(Wire, ARefusalCanBeLost) {
    EXPECT_TRUE(carried({.behaviour = Behaviour::lose_answer}, refusal(400, "x", "y")).drop);
}

TEST(Wire, ATreatmentsStatusGoesWithAnUsualReply) {
    const auto answer = carried({.behaviour = Behaviour::normal, .status = 201});
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body, R"({"transacao":{"status":"EFETIVADA"}})");
}

TEST(Wire, AnErrorHasNoStatusOfASale) {
    for (const int status : {401, 404, 409, 422, 429, 500, 503}) {
        const auto answer = carried({.behaviour = Behaviour::error, .status = status});
        EXPECT_EQ(answer.status, status);
        EXPECT_FALSE(json::parse(answer.body).as_object().contains("transacao"));
        EXPECT_TRUE(json::parse(answer.body).as_object().contains("erro"));
    }
}

TEST(Wire, AnErrorOfTheTokenServiceHasItsShape) {
    const auto answer = carried({.behaviour = Behaviour::error}, good(), Step::token);
    EXPECT_EQ(answer.status, 500);
    EXPECT_TRUE(json::parse(answer.body).as_object().contains("error_description"));
}

TEST(Wire, AHeaderOfTheRuleReplacesTheAnswersOwn) {
    const auto answer = carried({.behaviour = Behaviour::too_many, .headers = {{"retry-after", "60"}}});
    EXPECT_EQ(answer.status, 429);
    EXPECT_EQ(find_header(answer.headers, "Retry-After"), "60");
    EXPECT_EQ(std::count_if(answer.headers.begin(), answer.headers.end(),
                            [](const auto& header) { return header.first.size() == 11; }),
              1);
}

TEST(Wire, RubbishIsNoJson) {
    const auto answer = carried({.behaviour = Behaviour::not_json});
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(find_header(answer.headers, "Content-Type"), "text/html");
    boost::system::error_code no_json;
    json::parse(answer.body, no_json);
    EXPECT_TRUE(no_json);
}

TEST(Wire, AGivenAnswerWithoutABodyHasNone) {
    EXPECT_EQ(carried({.behaviour = Behaviour::answer, .status = 204}).body, "");
}

}  // namespace
}  // namespace gateway::sandbox
