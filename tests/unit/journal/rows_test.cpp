#include "journal/rows.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(Rows, WhatThereIsNoneOfIsNull) {
    EXPECT_EQ(rows::reason_text(std::nullopt), std::nullopt);
    EXPECT_EQ(rows::facts_text(TransactionDetails{}), std::nullopt);
    EXPECT_EQ(rows::goods_text(TransactionDetails{}), std::nullopt);
    EXPECT_EQ(rows::esim_text(std::nullopt), std::nullopt);
}

TEST(Rows, AColumnHasWhatThereIsAndNothingElse) {
    TransactionDetails details{.cnpj_cpf = "1", .data_hora = "2024-05-02T10:11:12.000-03:00"};
    details.complemento = Secret(R"({"a":"b"})");
    EXPECT_EQ(rows::facts_text(details), R"({"cnpjCpf":"1","dataHora":"2024-05-02T10:11:12.000-03:00"})");
    EXPECT_EQ(rows::goods_text(details), R"({"complemento":"{\"a\":\"b\"}"})");
    EXPECT_EQ(rows::esim_text(EsimDetails{.uuid = "u", .url = Secret("https://x")}),
              R"({"uuid":"u","url":"https://x"})");
    EXPECT_EQ(rows::esim_text(EsimDetails{}), std::nullopt);
}

TEST(Rows, AReasonsWordsAreKeptApartFromIt) {
    Reason reason{.code = ReasonCode::refused, .detail = "no", .provider_status = 422};
    reason.provider_body = Secret("CPF 1");
    reason.retry_after = std::chrono::seconds(7);
    EXPECT_EQ(rows::reason_text(reason), R"({"code":"refused","detail":"no","providerStatus":422,"retryAfter":7})");
    EXPECT_EQ(rows::words_text(reason), R"({"providerBody":"CPF 1"})");
    reason = {.code = ReasonCode::by_operator, .detail = "asked Maria"};
    EXPECT_EQ(rows::reason_text(reason), R"({"code":"operator"})");
    EXPECT_EQ(rows::words_text(reason), R"({"note":"asked Maria"})");
}

TEST(Rows, TimesAreMilliseconds) {
    const WallTime at{Duration(1'714'655'472'020)};
    EXPECT_EQ(rows::milliseconds(at), 1'714'655'472'020);
    EXPECT_EQ(rows::wall_time(1'714'655'472'020), at);
}

}  // namespace
}  // namespace gateway::test
