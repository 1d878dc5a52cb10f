#include "api/callback_body.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway {
namespace {

namespace json = boost::json;

json::object whole() {
    return {{"uuid", "u-1"},
            {"msisdn", "5511987654321"},
            {"url", "https://provider.example/qr"},
            {"situacaoTransacao", "EFETIVADA"},
            {"promocaoAtivada", "SIM"},
            {"situacaoRecarga", "EFETIVADA"},
            {"nsuRecarga", "77"}};
}

boost::system::result<CalledBack, std::string> read(const json::object& body) {
    return read_callback(json::serialize(body));
}

TEST(CallbackBody, IsReadWhole) {
    const auto called = read(whole());
    ASSERT_TRUE(called);
    EXPECT_EQ(called->status, Status::EFETIVADA);
    EXPECT_EQ(called->details.uuid, "u-1");
    EXPECT_EQ(called->details.msisdn.reveal(), "5511987654321");
    EXPECT_EQ(called->details.url.reveal(), "https://provider.example/qr");
    EXPECT_EQ(called->details.promocao_ativada, "SIM");
    EXPECT_EQ(called->details.situacao_recarga, "EFETIVADA");
    EXPECT_EQ(called->details.nsu_recarga, "77");
}

TEST(CallbackBody, WithoutARequiredFieldIsNone) {
    for (const auto* name : {"uuid", "msisdn", "url", "situacaoTransacao"}) {
        auto body = whole();
        body.erase(name);
        EXPECT_FALSE(read(body)) << name;
        body[name] = "";
        EXPECT_FALSE(read(body)) << name;
        body[name] = nullptr;
        EXPECT_FALSE(read(body)) << name;
    }
}

TEST(CallbackBody, MayBeInAnotherEncoding) {
    EXPECT_EQ(read_callback("\xEF\xBB\xBF" + json::serialize(whole()))->status, Status::EFETIVADA);
    const auto text = json::serialize(whole());
    EXPECT_EQ(read_callback(text.substr(0, text.size() - 1) + ",\"cidade\":\"S\xE3o Paulo\"}")->status,
              Status::EFETIVADA);
}

TEST(CallbackBody, ItIsSaidWhatIsWrong) {
    EXPECT_EQ(read_callback("\x81").error(), "is in no known encoding (byte 0x81 at offset 0)");
    EXPECT_THAT(read_callback("{").error(), testing::StartsWith("is not valid JSON"));
    EXPECT_EQ(read_callback("[]").error(), "is no JSON object");
    auto body = whole();
    body.erase("msisdn");
    EXPECT_EQ(read(body).error(), "lacks msisdn");
    body = whole();
    body["situacaoTransacao"] = "AUTORIZADA";
    EXPECT_EQ(read(body).error(), "has a situacaoTransacao that decides nothing");
}

TEST(CallbackBody, TheRestMayBeAbsentAndMayHaveMore) {
    auto body = whole();
    for (const auto* name : {"promocaoAtivada", "situacaoRecarga", "nsuRecarga"})
        body.erase(name);
    body["novo"] = json::array{1, 2};
    const auto called = read(body);
    ASSERT_TRUE(called);
    EXPECT_EQ(called->details.nsu_recarga, "");
}

TEST(CallbackBody, ANumberMayComeAsANumber) {
    auto body = whole();
    body["msisdn"] = 5511987654321;
    EXPECT_EQ(read(body)->details.msisdn.reveal(), "5511987654321");
}

TEST(CallbackBody, AStatusThatDecidesNothingIsNone) {
    auto body = whole();
    for (const auto* status : {"AUTORIZADA", "SOLD", "EFETIVADA "}) {
        body["situacaoTransacao"] = status;
        EXPECT_FALSE(read(body)) << status;
    }
    for (const auto* status : {"NEGADA", "cancelada", "PENDENTE"}) {
        body["situacaoTransacao"] = status;
        EXPECT_TRUE(read(body)) << status;
    }
}

TEST(CallbackBody, TwoOutcomesAreNone) {
    auto text = json::serialize(whole());
    EXPECT_TRUE(read_callback(text));
    text.insert(1, R"("situacaoTransacao":"NEGADA",)");
    EXPECT_FALSE(read_callback(text));
}

TEST(CallbackBody, WhatIsNoJsonObjectIsNone) {
    for (const auto* body : {"", "[]", "null", "{", "uuid=1"})
        EXPECT_FALSE(read_callback(body)) << body;
}

}  // namespace
}  // namespace gateway
