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

TEST_F(AdminClientTest, AsksOnceAndHandsTheObjectOver) {
    answer(R"({"a":1})");
    const auto told = gateway.get("/v1/status");
    ASSERT_TRUE(told.has_value());
    EXPECT_TRUE(told->good());
    EXPECT_EQ(told->body.size(), 1U);
    ASSERT_EQ(client.seen.size(), 1U);
    EXPECT_FALSE(client.seen.front().request.post);
    EXPECT_EQ(client.seen.front().deadline - client.seen.front().at, std::chrono::seconds(10));
}

TEST_F(AdminClientTest, APostIsJson) {
    answer("{}");
    ASSERT_TRUE(gateway.post("/v1/sales/X/resolve", {{"note", "visto"}}).has_value());
    EXPECT_TRUE(client.seen.front().request.post);
    EXPECT_EQ(client.seen.front().request.content_type, "application/json");
    EXPECT_EQ(client.seen.front().request.body.reveal(), R"({"note":"visto"})");
}

TEST_F(AdminClientTest, WhereNobodyListensItSaysWhatToLookAt) {
    client.refuses = true;
    client.cause = "127.0.0.1:9090: Connection refused";
    const auto told = gateway.get("/v1/status");
    ASSERT_TRUE(told.has_error());
    EXPECT_EQ(told.error(),
              "no gateway answers at 127.0.0.1:9090: is it running? (systemctl status sales-gateway)\n"
              "  127.0.0.1:9090: Connection refused");
}

TEST_F(AdminClientTest, AnAnswerThatDoesNotComeIsSaidSo) {
    client.then(lost());
    EXPECT_EQ(gateway.get("/v1/status").error(), "the gateway at 127.0.0.1:9090 has not answered in 10 s");
    client.then(lost());
    EXPECT_THAT(gateway.post("/v1/sales/X/resolve", {}).error(),
                HasSubstr("; whether it was done is not known: sales-gateway show tells"));
}

TEST_F(AdminClientTest, WhoeverElseAnswersIsNoGateway) {
    for (const auto* body : {"<html>", "", "[1]", "\"x\"", "{\"a\":"}) {
        answer(body);
        EXPECT_THAT(gateway.get("/").error(), HasSubstr("no gateway's admin listener")) << body;
    }
    answer(R"({"detail":"Who are you?"})", 401);
    EXPECT_THAT(gateway.get("/").error(), HasSubstr("asks for a key"));
}

TEST_F(AdminClientTest, AProblemIsItsDetail) {
    answer(R"({"detail":"There is no such sale."})", 404);
    EXPECT_EQ(gateway.get("/")->problem(), "There is no such sale.");
    answer("{}", 500);
    EXPECT_EQ(gateway.get("/")->problem(), "the gateway answered with HTTP status 500");
}

}  // namespace
}  // namespace gateway::test
