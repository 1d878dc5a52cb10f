#include "sandbox/message.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

using namespace std::chrono_literals;

Answer carried(const Treatment& treatment, std::optional<Reply> reply = std::nullopt) {
    Options options;
    options.lost_after = 20s;
    if (!reply) reply.emplace().body = {{"transacao", {{"status", "EFETIVADA"}}}};
    return to_answer(std::move(*reply), treatment, Step::confirmar, options);
}

TEST(Message, AnUntreatedReplyIsCarriedAsItIs) {
    const auto answer = carried({});
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, R"({"transacao":{"status":"EFETIVADA"}})");
    EXPECT_EQ(find_header(answer.headers, "content-TYPE"), "application/json");
    EXPECT_FALSE(find_header(answer.headers, "Accept"));
    EXPECT_EQ(answer.delay, 0s);
    EXPECT_EQ(carried({.behaviour = Behaviour::normal, .status = 201}).status, 201);
}

TEST(Message, TheDelayIsTheConnectionsUnlessItIsThatOfALateRequest) {
    EXPECT_EQ(carried({.behaviour = Behaviour::lose_answer}).delay, 20s);
    EXPECT_EQ(carried({.behaviour = Behaviour::lose_answer, .delay = 4s}).delay, 4s);
    EXPECT_EQ(carried({.behaviour = Behaviour::twice, .delay = 4s}).delay, 0s);
    for (const auto late : {Behaviour::hold, Behaviour::overtaken})
        EXPECT_EQ(carried({.behaviour = late, .delay = 4s}).delay, 20s);
}

TEST(Message, ARefusalIsNeverBentButCanBeLost) {
    const auto refused = refusal(400, "requisicao_invalida", "cpf is missing");
    for (const auto behaviour : {Behaviour::error_after, Behaviour::not_json, Behaviour::answer_after}) {
        const auto answer = carried({.behaviour = behaviour, .status = 502, .body = "x"}, refused);
        EXPECT_EQ(answer.status, 400);
        EXPECT_EQ(answer.body, R"({"erro":"requisicao_invalida","mensagem":"cpf is missing"})");
    }
    EXPECT_TRUE(carried({.behaviour = Behaviour::lose_answer}, refused).drop);
}

TEST(Message, AnErrorHasNoStatusOfASale) {
    for (const int status : {401, 404, 409, 422, 429, 500, 503}) {
        const auto answer = carried({.behaviour = Behaviour::error, .status = status});
        EXPECT_EQ(answer.status, status);
        EXPECT_FALSE(boost::json::parse(answer.body).as_object().contains("transacao"));
        EXPECT_EQ(find_header(answer.headers, "Retry-After").has_value(), status == 429);
    }
}

TEST(Message, AGivenAnswerIsTheRules) {
    const auto answer = carried({.behaviour = Behaviour::answer,
                                 .status = 206,
                                 .body = "x",
                                 .headers = {{"X-A", "b"}, {"content-type", "text/json"}}});
    EXPECT_EQ(answer.status, 206);
    EXPECT_EQ(answer.body, "x");
    EXPECT_EQ(answer.headers, (Headers{{"X-A", "b"}, {"content-type", "text/json"}}));
    EXPECT_EQ(carried({.behaviour = Behaviour::answer, .status = 204}).body, "");
}

}  // namespace
}  // namespace gateway::sandbox
