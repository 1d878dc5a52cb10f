#include "commands/admin_client.hpp"

#include "unit/commands/rig.hpp"

namespace gateway::test {
namespace {

using AdminClientTest = CommandRig;
using ::testing::HasSubstr;

TEST(AdminOrigin, IsHostAndPort) {
    const auto v4 = parse_admin_origin("127.0.0.1:9090");
    ASSERT_TRUE(v4);
    EXPECT_EQ(v4->host, "127.0.0.1");
    EXPECT_EQ(v4->port, 9090);
    EXPECT_FALSE(v4->tls);
    const auto v6 = parse_admin_origin("[::1]:80");
    ASSERT_TRUE(v6);
    EXPECT_EQ(v6->host, "::1");
    EXPECT_TRUE(parse_admin_origin("box-2.store:9090"));
}

TEST(AdminOrigin, AnythingElseIsNone) {
    for (const auto* text : {"", "9090", "localhost", "localhost:", ":9090", "localhost:0", "localhost:65536",
                             "localhost:90x", "http://localhost:9090", "a b:1", "::1:9090", "[::1]", "a\r\nX: y:1"})
        EXPECT_FALSE(parse_admin_origin(text)) << text;
}

TEST_F(AdminClientTest, AsksOnceAndHandsTheAnswerOver) {
    answer(R"({"a":1})");
    const auto told = gateway.ask({.target = "/v1/status"});
    ASSERT_TRUE(told.has_value());
    EXPECT_TRUE(told->good());
    EXPECT_FALSE(told->is_text());
    EXPECT_EQ(told->object()->size(), 1U);
    ASSERT_EQ(client.seen.size(), 1U);
    EXPECT_FALSE(client.seen.front().request.post);
    EXPECT_EQ(client.seen.front().deadline - client.seen.front().at, std::chrono::seconds(25));
}

TEST_F(AdminClientTest, WhatIsForPeopleSaysWhatTheCommandExitsWith) {
    answer_text("Takes no sales.\n", 200, "; exit=3");
    const auto told =
        gateway.ask({.target = "/v1/status", .accept = "text/plain;width=80", .accept_language = "pt-BR"});
    ASSERT_TRUE(told.has_value());
    EXPECT_TRUE(told->is_text());
    EXPECT_EQ(told->exit, 3);
    EXPECT_EQ(told->body, "Takes no sales.\n");
    EXPECT_EQ(client.seen.front().request.accept, "text/plain;width=80");
    EXPECT_EQ(client.seen.front().request.accept_language, "pt-BR");
    answer_text("Takes sales.\n");
    EXPECT_EQ(gateway.ask({.target = "/v1/status", .accept = "text/plain"})->exit, 0);
}

TEST_F(AdminClientTest, ABodyIsPosted) {
    answer("{}");
    ASSERT_TRUE(gateway.ask({.target = "/v1/x", .body = "{}", .content_type = "application/json"}).has_value());
    EXPECT_TRUE(client.seen.front().request.post);
    EXPECT_EQ(client.seen.front().request.content_type, "application/json");
    EXPECT_EQ(client.seen.front().request.body.reveal(), "{}");
}

TEST_F(AdminClientTest, WhereNobodyListensItSaysWhatToLookAt) {
    client.refuses = true;
    client.cause = "127.0.0.1:9090: Connection refused";
    EXPECT_EQ(gateway.ask({.target = "/v1/status"}).error(),
              "no gateway answers at 127.0.0.1:9090: is it running? (systemctl status sales-gateway)\n"
              "  127.0.0.1:9090: Connection refused");
    AdminClient for_portuguese(io, clock, client, "127.0.0.1:9090", Words::in(Language::portuguese));
    EXPECT_THAT(for_portuguese.ask({.target = "/v1/status"}).error(),
                HasSubstr("nenhum gateway responde em 127.0.0.1:9090: ele está rodando?"));
}

TEST_F(AdminClientTest, AnAnswerThatDoesNotComeIsSaidSo) {
    client.then(lost());
    EXPECT_EQ(gateway.ask({.target = "/v1/status"}).error(), "the gateway at 127.0.0.1:9090 has not answered in 25 s");
    client.then(lost(errc::connection_lost));
    EXPECT_EQ(gateway.ask({.target = "/x", .body = "{}", .tells = "command.tells.show"}).error(),
              "the answer from 127.0.0.1:9090 was lost: The connection was lost; whether it was done is not known: "
              "sales-gateway show tells");
}

TEST_F(AdminClientTest, AnybodyElseWhoAnswersIsNoGateway) {
    for (const auto* body : {"<html>", "", "[1]", "\"x\"", "{\"a\":"}) {
        answer(body);
        EXPECT_THAT(gateway.ask({.target = "/"}).error(), HasSubstr("no gateway's admin listener")) << body;
    }
    answer(R"({"a":1})");
    EXPECT_THAT(gateway.ask({.target = "/", .accept = "text/plain"}).error(), HasSubstr("or not of this version"));
    answer(R"({"detail":"Who are you?"})", 401);
    EXPECT_THAT(gateway.ask({.target = "/"}).error(), HasSubstr("asks for a key"));
}

TEST_F(AdminClientTest, AProblemIsItsDetail) {
    answer(R"({"detail":"There is no such sale."})", 404);
    EXPECT_EQ(gateway.ask({.target = "/"})->problem(), "There is no such sale.");
    answer("{}", 500);
    EXPECT_EQ(gateway.ask({.target = "/"})->problem(), "HTTP 500");
}

}  // namespace
}  // namespace gateway::test
