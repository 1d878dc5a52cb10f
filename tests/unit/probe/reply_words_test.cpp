#include "probe/reply_words.hpp"

#include "unit/support/scripted_client.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using probe::error_shape;
using probe::said;

Reply with_type(Reply reply, std::string type) {
    reply.content_type = std::move(type);
    return reply;
}

TEST(ReplyWords, SayTheStatusOfAnAnswerInOneWord) {
    EXPECT_EQ(said(answered(404, R"({"erro":"x"})")), "404");
    EXPECT_EQ(said(answered(200, "{}")), "200-bare");
    EXPECT_EQ(said(answered(200, R"({"transacao":{"status":"CANCELADA"}})")), "200-cancelada");
    EXPECT_EQ(said(answered(200, R"({"transacao":{"status":"CANCELADA"}})"), Status::CANCELADA), "200-status");
    EXPECT_EQ(said(answered(409, R"({"transacao":{"status":"efetivada"}})"), Status::EFETIVADA), "409-status");
    EXPECT_EQ(said(answered(200, R"({"status":"OUTRA"})")), "200-stranger");
    EXPECT_EQ(said(Reply::lost(errc::timed_out)), "none");
}

TEST(ReplyWords, FindTheStatusWhereverItStands) {
    EXPECT_EQ(probe::status_place(answered(200, R"({"venda":{"transacao":{"status":"AUTORIZADA"}}})")), "venda");
    EXPECT_EQ(probe::status_place(answered(200, R"({"transacao":{"status":"AUTORIZADA"}})")), "transacao");
    EXPECT_EQ(probe::status_place(answered(200, R"({"status":"AUTORIZADA"})")), "top");
    EXPECT_EQ(probe::status_place(answered(200, R"({"transacao":[]})")), "");
}

TEST(ReplyWords, NameTheShapeOfAnError) {
    EXPECT_EQ(error_shape(answered(400, R"({"erro":"x","mensagem":"y"})")), "erro");
    EXPECT_EQ(error_shape(answered(400, R"({"erro":{"codigo":"x"}})")), "erro-object");
    EXPECT_EQ(error_shape(answered(400, R"({"error":"x","error_description":"y"})")), "oauth");
    EXPECT_EQ(error_shape(answered(400, R"({"message":"y"})")), "message");
    EXPECT_EQ(error_shape(with_type(answered(400, "<html>"), "text/html")), "html");
    EXPECT_EQ(error_shape(answered(400, " ")), "empty");
    EXPECT_EQ(error_shape(answered(400, "[1]")), "other");
}

TEST(ReplyWords, RepeatNothingThatCouldBeAnything) {
    EXPECT_EQ(probe::in_portuguese(answered(200, R"({"status":"Fulana de Tal"})")),
              "HTTP 200 com um status desconhecido");
    EXPECT_EQ(probe::in_portuguese(answered(404, "{}")), "HTTP 404 sem status");
}

}  // namespace
}  // namespace gateway::test
